// ensue sculpt MESH --stroke FILE: a mesh, or a sphere of points, moved by recorded strokes of sculpting tools.
#include "meshes/mesh.hpp"
#include "sculpting/sculpting.hpp"
#include "claimed_files.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "notices.hpp"
#include "numbers.hpp"
#include "written_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

namespace ensue::command {
namespace {

struct sculpt_arguments {
  std::optional<std::string> mesh, sphere, tolerance, voxel, check, output;
  std::vector<std::string> strokes;
  std::string field = "kelvinlet", method = "dp54", backend = "threads";
  bool push = false, every_frame = false, single_scale = false, no_culling = false, json = false, quiet = false;
};

/// One of the words, as what it stands for.
template <class Meaning>
Meaning meaning_of(const char* option, const std::string& word, std::initializer_list<std::pair<const char*, Meaning>> words) {
  std::string expected;
  for (const auto& [name, meaning] : words) {
    if (word == name) return meaning;
    expected += (expected.empty() ? "" : ", ") + std::string(name);
  }
  throw wrong_input(fmt::format("{} {}: expected one of {}", option, word, expected));
}

sculpting_settings settings_of(const sculpt_arguments& given) {
  sculpting_settings made;
  made.field =
      meaning_of<sculpting_field>("--field", given.field, {{"kelvinlet", sculpting_field::kelvinlet}, {"affine", sculpting_field::affine}});
  made.method = meaning_of<sculpting_method>(
      "--method", given.method, {{"dp54", sculpting_method::dp54}, {"bs32", sculpting_method::bs32}, {"tsit5", sculpting_method::tsit5}});
  made.backend = meaning_of<sculpting_backend>("--backend", given.backend,
                                               {{"scalar", sculpting_backend::scalar},
                                                {"lanes", sculpting_backend::lanes},
                                                {"threads", sculpting_backend::threads},
                                                {"cuda", sculpting_backend::cuda}});
  if (made.backend == sculpting_backend::cuda)
    if (const std::string why = why_no_gpu(); !why.empty())
      throw wrong_input(fmt::format("--backend cuda: {}, expected scalar, lanes or threads", why));
  constexpr double voxels = 0.1;  // of a voxel's edge is what nobody sees
  if (given.tolerance) made.tolerance = positive_number_of("--tolerance", *given.tolerance);
  else if (given.voxel) made.tolerance = voxels * positive_number_of("--voxel", *given.voxel);
  if (given.single_scale && made.field != sculpting_field::kelvinlet)
    throw wrong_input(fmt::format("--single-scale: found --field {}, expected kelvinlet, which it is about", given.field));
  made.bi_scale = !given.single_scale;
  made.every_frame = given.every_frame;
  made.culling = !given.no_culling;
  return made;
}

/// The sphere of the bench case: the tool starts on its surface and pulls away from it, or pushes through it.
mesh sphere_at(const stroke& of, std::size_t vertices, bool push) {
  constexpr double radius = 0.15;
  const vec<double, 3>&from = of.poses.front().position, &to = of.poses.back().position;
  const vec<double, 3> way = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
  const double length = std::sqrt(dot(way, way)), side = (push ? radius : -radius) / (length > 0 ? length : 1);
  return fibonacci_sphere(vertices, radius, {from[0] + side * way[0], from[1] + side * way[1], from[2] + side * way[2]});
}

/// Refuses strokes that take no time: a speed is a way over a time.
void require_duration(std::span<const stroke> strokes) {
  const double time = strokes.front().poses.front().time;
  const auto takes_time = [&](const stroke& each) { return each.poses.front().time != time || each.poses.back().time != time; };
  if (std::none_of(strokes.begin(), strokes.end(), takes_time))
    throw wrong_input(fmt::format("--stroke: every pose is of t = {}, expected a stroke that takes some time", time));
}

struct errors {
  double worst = 0, mean = 0;
};

/// Of so many vertices, evenly chosen, against runs in double.
errors errors_of(const std::vector<vec<float, 3>>& before, const std::vector<vec<float, 3>>& after, std::span<const stroke> strokes,
                 const sculpting_settings& settings, std::size_t sample) {
  errors found;
  const std::size_t count = std::min(sample, before.size());
  for (std::size_t k = 0; k < count && !*settings.cancel; ++k) {
    const std::size_t i = k * before.size() / count;
    const vec<double, 3> exact = sculpted_exactly({before[i][0], before[i][1], before[i][2]}, strokes, settings);
    const vec<double, 3> off = {exact[0] - after[i][0], exact[1] - after[i][1], exact[2] - after[i][2]};
    found.worst = std::max(found.worst, std::sqrt(dot(off, off)));
    found.mean += std::sqrt(dot(off, off)) / static_cast<double>(count);
  }
  return found;
}

void print_json(const mesh& moved, const sculpting_result& done, const std::optional<errors>& wrong) {
  const batch_report& report = done.report;
  const auto vertices = static_cast<double>(moved.vertices.size());
  nlohmann::ordered_json all = {{"vertices", moved.vertices.size()},
                                {"seconds", done.seconds},
                                {"vertices_per_second", vertices / done.seconds},
                                {"evaluations_per_vertex", static_cast<double>(report.evaluations) / vertices},
                                {"rejected", report.rejected},
                                {"worst_error", wrong ? nlohmann::ordered_json(wrong->worst) : nullptr},
                                {"mean_error", wrong ? nlohmann::ordered_json(wrong->mean) : nullptr},
                                {"at_smallest_step", report.at_smallest_step},
                                {"outcome", name_of(report.all_finished() ? outcome::finished : report.failure.how)},
                                {"culled", done.culled},
                                {"frames", done.frames}};
  fmt::print("{}\n", all.dump());
}

void print_report(const mesh& moved, const sculpting_result& done, const std::optional<errors>& wrong, const sculpting_settings& settings) {
  const batch_report& report = done.report;
  const auto vertices = static_cast<double>(moved.vertices.size());
  fmt::print("{} vertices, {} {} in {:.4g} s: {:.4g} million a second\n", moved.vertices.size(), done.frames,
             done.frames == 1 ? "frame" : "frames", done.seconds, 1e-6 * vertices / done.seconds);
  fmt::print("{}, {:.2f} evaluations a vertex, {} steps rejected, {} vertices beyond the tools' reach\n", report.method,
             static_cast<double>(report.evaluations) / vertices, report.rejected, done.culled);
  if (report.at_smallest_step > 0)
    fmt::print("{} runs took their smallest step although its error was too large\n", report.at_smallest_step);
  if (wrong) fmt::print("worst error {:.3g} m of the {:.3g} m asked for, mean {:.3g} m\n", wrong->worst, settings.tolerance, wrong->mean);
}

void sculpt_command(const sculpt_arguments& given) {
  if (given.mesh.has_value() == given.sphere.has_value()) throw wrong_input("expected a MESH, or --sphere N to make one");
  if (given.push && !given.sphere) throw wrong_input("--push: expected --sphere N, which it places");
  if (given.strokes.size() > 2) throw wrong_input("--stroke: found more than two, expected one or two");
  sculpting_settings settings = settings_of(given);
  const std::size_t sample = given.check ? whole_number_of("--check", *given.check, 1e9) : 0;
  mesh clay;
  std::vector<stroke> strokes;
  try {
    if (given.output) (void)mesh_format_of(*given.output);
    for (const std::string& each : given.strokes) strokes.push_back(read_stroke(each));
    clay = given.mesh ? read_mesh(*given.mesh) : sphere_at(strokes.front(), whole_number_of("--sphere", *given.sphere, 1e9), given.push);
  } catch (const file_error& error) {
    throw wrong_input(error.what());
  }
  if (given.mesh) claim_input("the mesh that is read", *given.mesh);
  for (const std::string& each : given.strokes) claim_input("the stroke that is read", each);
  require_duration(strokes);
  settings.cancel = listen_for_interrupt();
  std::optional<written_file> file;
  if (given.output) file.emplace("--output", *given.output);
  const std::vector<vec<float, 3>> before = sample > 0 ? clay.vertices : std::vector<vec<float, 3>>{};
  const sculpting_result done = sculpt(clay.vertices, strokes, settings);
  std::optional<errors> wrong;
  if (sample > 0) wrong = errors_of(before, clay.vertices, strokes, settings, sample);
  if (*settings.cancel) {
    notice("ensue: cancelled, nothing is written\n");
    throw ended_early{};
  }
  if (given.json) print_json(clay, done, wrong);
  else if (!given.quiet) print_report(clay, done, wrong, settings);
  bool written = true;
  if (file) {
    file->write(mesh_text(clay, mesh_format_of(*given.output)));
    written = file->finish();
  }
  if (!done.report.all_finished()) notice("ensue: {}\n", done.report.message());
  if (!written || !done.report.all_finished()) throw ended_early{};
}

}  // namespace

void add_sculpt_command(CLI::App& app) {
  const auto given = std::make_shared<sculpt_arguments>();
  CLI::App* const command = app.add_subcommand("sculpt", "Deforms a mesh by a recorded stroke of a sculpting tool");
  command->footer(
      "Every vertex is carried along by the field of the moving tool: an elastic body that follows it\n"
      "(kelvinlet), or a stiff move that fades with distance (affine).\n"
      "For example:\n"
      "  ensue sculpt head.ply --stroke pull.bin -o pulled.obj\n"
      "  ensue sculpt --sphere 1e6 --stroke pull.bin --check 20000 --json\n"
      "Strokes are those of Facebook's sculpting-and-simulations-sample. Lengths are metres.\n"
      "Exit status: 0 finished, 1 some vertex ended early (what was reached is written) or Ctrl-C came (nothing\n"
      "is), 2 wrong input.");
  command->add_option("MESH", given->mesh, "What is deformed: .obj, or .ply as text or binary");
  command->add_option("--stroke", given->strokes, "The stroke; a second one for the other hand")
      ->required()
      ->type_name("F.bin")
      ->allow_extra_args(false);
  command->add_option("--sphere", given->sphere, "Instead of MESH: so many points on a sphere that the tool touches")->type_name("N");
  command->add_flag("--push", given->push, "Places that sphere before the tool, not behind it");
  command->add_option("--field", given->field, "How clay follows: kelvinlet (default) or affine")->type_name("WORD");
  command->add_flag("--single-scale", given->single_scale, "Kelvinlets of one radius, which reach further");
  command->add_flag("--every-frame", given->every_frame, "Goes from pose to pose; default: from the first to the last");
  auto* const tolerance =
      command->add_option("--tolerance", given->tolerance, "Worst error of a vertex in metres; default 1.3e-4")->type_name("E");
  command->add_option("--voxel", given->voxel, "Instead: a tenth of a voxel of this size")->type_name("SIZE")->excludes(tolerance);
  command->add_option("--method", given->method, "dp54 (default), bs32 or tsit5")->type_name("WORD");
  command->add_option("--backend", given->backend, "threads (default), lanes of one thread, scalar: one vertex at a time, or cuda: on a GPU")
      ->type_name("WORD");
  command->add_flag("--no-culling", given->no_culling, "Moves vertices that the tool can hardly reach, too");
  command->add_option("--check", given->check, "Measures the error on so many vertices against tight runs")->type_name("N");
  command->add_option("-o,--output", given->output, "Writes the mesh there: .obj or .ply")->type_name("OUT");
  command->add_flag("--json", given->json, "Prints one JSON object and nothing else");
  command->add_flag("--quiet", given->quiet, "Prints nothing but what goes wrong");
  command->callback([given] { sculpt_command(*given); });
}

}  // namespace ensue::command
