/// A mesh moved by recorded strokes: every vertex is carried along by the field of the moving tools, an initial value problem of its own.
///
///     std::vector<vec<float, 3>> vertices = …;
///     const sculpting_result done = sculpt(vertices, strokes, {.tolerance = 1e-4});       // metres, for the worst vertex
///     done.report.message(), done.seconds
///
/// What is asked for is the worst error of a vertex at the end. Steps are controlled so that this holds: each is allowed about a twentieth of it, and less the longer the tools' ways are over all frames
/// (measured in docs/measurements.md); the first has a length in which the tool moves by about its own radius, and none is so long that a tool could pass unseen. Where floats have not the digits for
/// that, as for ways of more than about ten radii, vertices are moved in doubles.
#pragma once

#include "sculpting/stroke.hpp"

#include <ensue/batch/trajectories.hpp>

#include <atomic>
#include <span>
#include <string>
#include <vector>

namespace ensue {

enum class sculpting_field : unsigned char { kelvinlet, affine };
enum class sculpting_method : unsigned char { bs32, dp54, tsit5 };
enum class sculpting_backend : unsigned char { scalar, lanes, threads, cuda };

struct sculpting_settings {
  sculpting_field field = sculpting_field::kelvinlet;
  sculpting_method method = sculpting_method::dp54;
  sculpting_backend backend = sculpting_backend::threads;
  double tolerance = 1.3e-4;  ///< the worst error, in metres
  bool bi_scale = true;       ///< of Kelvinlets
  bool every_frame = false;   ///< from pose to pose, instead of from the first to the last
  bool culling = true;        ///< vertices that the tools move by less than a tenth of the tolerance stay where they are
  const std::atomic<bool>* cancel = nullptr;  ///< set to true from outside, it ends soon, with vertices that have gone part of the way
};

struct sculpting_result {
  batch_report report;     ///< over all frames
  std::size_t culled = 0;  ///< vertices that were left out in every frame
  std::size_t frames = 0;
  double seconds = 0;  ///< of the deformation alone
};

/// In place. One stroke or two, which begin together: times count from the earliest pose. Throws std::invalid_argument for another number, and
/// std::runtime_error where the backend is cuda and `why_no_gpu` says something.
sculpting_result sculpt(std::span<vec<float, 3>> vertices, std::span<const stroke> strokes, const sculpting_settings& settings);

/// Where one vertex goes, to 1e-10 m: the same fields in double.
vec<double, 3> sculpted_exactly(const vec<double, 3>& vertex, std::span<const stroke> strokes, const sculpting_settings& settings);

/// Why the backend cuda cannot be had: it is not compiled in, or there is no GPU. Empty: it can.
std::string why_no_gpu();

/// The instruction set that lanes are run with on this machine: "avx512", "avx2" or "baseline".
const char* lanes_in_use();

}  // namespace ensue
