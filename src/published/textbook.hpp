/// What textbooks say of bars, strings and chains, measured on our models: each function returns what it saw as a part of what the textbook
/// says, so that 1 is agreement. `ensue verify` shows them, the tests of the models ask for more of each. A run that does not finish throws
/// std::runtime_error.
#pragma once

#include <cstddef>

namespace ensue::textbook {

/// A bar ten times as long as thick, of so many cells across, held at one end: how far a load at the other bends it ÷ P L³/(3 E I), and how
/// fast it swings ÷ κ²√(EI/(ρA)), κL = 1.8751. S. Timoshenko, Strength of Materials I, §39; Vibration Problems in Engineering, §53.
double cantilever_deflection(std::size_t across);
double cantilever_frequency(std::size_t across);

/// Linear elements are too stiff by the square of their size: what a mesh and one twice as fine say of none at all.
inline double without_mesh(double coarse, double fine) { return fine + (fine - coarse) / 3; }

/// A pulse across a stretched chain of so many particles: its speed ÷ √(tension ÷ mass a length).
double string_wave_speed(std::size_t particles);

/// A standing wave along a chain of 40 masses between fixed ends: its frequency ÷ 2√(k/m) sin(κa/2), κa = π mode/41.
double chain_frequency(int mode);

/// The longest step with which Verlet keeps a long free chain from blowing up ÷ √(m/k).
double chain_stable_step();

/// A chain that can hardly be stretched, 1.5 times as long as the span between its ends, at rest at last: how far its middle sinks ÷ what
/// y = a cosh(x/a) says, and by how much any particle is off that curve, in spans.
struct hanging_shape {
  double sag, off_the_curve;
};
hanging_shape catenary();

}  // namespace ensue::textbook
