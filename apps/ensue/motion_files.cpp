#include "motion_files.hpp"

#include "meshes/mesh.hpp"
#include "problems/problem_words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ensue::command {
namespace {

mesh as_mesh(const motion_shape& shape, std::span<const double> positions) {
  mesh made;
  for (std::size_t i = 0; i < shape.particles; ++i)
    made.vertices.push_back({static_cast<float>(positions[3 * i]), static_cast<float>(positions[3 * i + 1]), static_cast<float>(positions[3 * i + 2])});
  for (const auto& t : shape.triangles) made.triangles.push_back({t[0], t[1], t[2]});
  return made;
}

// ---- OBJ ----

std::string obj_text(const motion_shape& shape, std::span<const double> positions) {
  std::string text = mesh_text(as_mesh(shape, positions), mesh_format::obj);
  for (const auto& line : shape.lines) text += "l " + std::to_string(line[0] + 1) + ' ' + std::to_string(line[1] + 1) + '\n';
  if (shape.triangles.empty() && shape.lines.empty())
    for (std::size_t i = 1; i <= shape.particles; ++i) text += "p " + std::to_string(i) + '\n';
  return text;
}

// ---- VTK ----

template <class Cells> std::string vtk_cells(const char* name, const Cells& cells) {
  std::string indices, ends;
  std::size_t end = 0;
  for (const auto& cell : cells) {
    for (const auto i : cell) indices += std::to_string(i) + ' ';
    ends += std::to_string(end += cell.size()) + ' ';
  }
  return std::string("<") + name + "><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">" + indices +
         "</DataArray><DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">" + ends + "</DataArray></" + name + ">\n";
}

std::string vtp_text(const motion_shape& shape, std::span<const double> positions) {
  std::vector<vec<std::uint32_t, 1>> points;
  if (shape.triangles.empty() && shape.lines.empty())
    for (std::size_t i = 0; i < shape.particles; ++i) points.push_back({static_cast<std::uint32_t>(i)});
  std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"><PolyData>\n<Piece NumberOfPoints=\"" +
                     std::to_string(shape.particles) + "\" NumberOfVerts=\"" + std::to_string(points.size()) + "\" NumberOfLines=\"" +
                     std::to_string(shape.lines.size()) + "\" NumberOfStrips=\"0\" NumberOfPolys=\"" + std::to_string(shape.triangles.size()) +
                     "\">\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">";
  for (std::size_t i = 0; i < 3 * shape.particles; ++i) text += shown(positions[i]) + ' ';
  text += "</DataArray></Points>\n";
  if (!points.empty()) text += vtk_cells("Verts", points);
  if (!shape.lines.empty()) text += vtk_cells("Lines", shape.lines);
  if (!shape.triangles.empty()) text += vtk_cells("Polys", shape.triangles);
  return text + "</Piece></PolyData></VTKFile>\n";
}

// ---- glTF ----

using object = nlohmann::ordered_json;

/// A .glb while it is filled: its JSON, and the bytes that it speaks of.
class gltf {
 public:
  gltf() {
    all_["asset"] = {{"version", "2.0"}, {"generator", "ensue"}};
    all_["scene"] = 0;
    all_["scenes"] = object::array({{{"nodes", object::array({0})}}});
    // from z up to y up: a quarter turn about x
    constexpr double half = 0.7071067811865476;
    all_["nodes"] = object::array({{{"rotation", {-half, 0, 0, half}}, {"children", object::array()}}});
    all_["materials"] = object::array({{{"pbrMetallicRoughness", {{"baseColorFactor", {0.35, 0.55, 0.8, 1}}, {"metallicFactor", 0}, {"roughnessFactor", 0.7}}}, {"doubleSided", true}}});
    all_["animations"] = object::array({{{"channels", object::array()}, {"samplers", object::array()}}});
  }

  /// Numbers as an accessor; its index. `width` of them belong together.
  template <class T> std::size_t add(std::span<const T> values, std::size_t width, int target, bool with_bounds) {
    constexpr int component = std::is_same_v<T, float> ? 5126 : 5125;
    const char* const types[] = {"SCALAR", "VEC2", "VEC3"};
    object view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", values.size_bytes()}};
    if (target != 0) view["target"] = target;
    all_["bufferViews"].push_back(view);
    const std::size_t before = bytes_.size();
    bytes_.resize(before + values.size_bytes());
    if (!values.empty()) std::memcpy(bytes_.data() + before, values.data(), values.size_bytes());
    object accessor = {{"bufferView", all_["bufferViews"].size() - 1}, {"componentType", component}, {"count", values.size() / width}, {"type", types[width - 1]}};
    if (with_bounds) {
      std::vector<T> least(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(width)), largest = least;
      for (std::size_t i = 0; i < values.size(); ++i) {
        least[i % width] = std::min(least[i % width], values[i]);
        largest[i % width] = std::max(largest[i % width], values[i]);
      }
      accessor["min"] = least, accessor["max"] = largest;
    }
    all_["accessors"].push_back(accessor);
    return all_["accessors"].size() - 1;
  }
  std::size_t add_mesh(object primitive, object weights) {
    object made = {{"primitives", object::array({std::move(primitive)})}};
    if (!weights.empty()) made["weights"] = std::move(weights);
    all_["meshes"].push_back(made);
    return all_["meshes"].size() - 1;
  }
  std::size_t add_node(object node) {
    all_["nodes"].push_back(std::move(node));
    all_["nodes"][0]["children"].push_back(all_["nodes"].size() - 1);
    return all_["nodes"].size() - 1;
  }
  void animate(std::size_t node, const char* path, std::size_t times, std::size_t values) {
    object& film = all_["animations"][0];
    film["samplers"].push_back({{"input", times}, {"output", values}, {"interpolation", "LINEAR"}});
    film["channels"].push_back({{"sampler", film["samplers"].size() - 1}, {"target", {{"node", node}, {"path", path}}}});
  }

  /// Header, JSON, bytes, each filled up to whole words: the specification's §4.4.
  std::string glb() {
    if (all_["animations"][0]["channels"].empty()) all_.erase("animations");
    while (bytes_.size() % 4 != 0) bytes_ += '\0';
    all_["buffers"] = object::array({{{"byteLength", bytes_.size()}}});
    std::string text = all_.dump();
    while (text.size() % 4 != 0) text += ' ';
    std::string file;
    const auto word = [&](std::size_t value) {
      for (int byte = 0; byte < 4; ++byte) file += static_cast<char>(value >> (8 * byte) & 0xff);
    };
    file += "glTF", word(2), word(12 + 8 + text.size() + 8 + bytes_.size());
    word(text.size()), file += "JSON", file += text;
    word(bytes_.size()), file += std::string("BIN\0", 4), file += bytes_;
    return file;
  }

 private:
  static_assert(std::endian::native == std::endian::little, "glTF's numbers are little-endian, and are copied as they are");
  object all_;
  std::string bytes_;
};

constexpr int vertices_target = 34962, indices_target = 34963, mode_lines = 1, mode_triangles = 4;

}  // namespace

std::string frame_text(const motion_shape& shape, std::span<const double> positions, frame_format format) {
  switch (format) {
    case frame_format::obj: return obj_text(shape, positions);
    case frame_format::ply: return mesh_text(as_mesh(shape, positions), mesh_format::ply_binary);
    case frame_format::vtp: return vtp_text(shape, positions);
  }
  return "";
}

std::string pvd_text(std::span<const std::pair<double, std::string>> frames) {
  std::string text = "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\"><Collection>\n";
  for (const auto& [t, file] : frames) text += "<DataSet timestep=\"" + shown(t) + "\" part=\"0\" file=\"" + file + "\"/>\n";
  return text + "</Collection></VTKFile>\n";
}

void animation::add(double t, std::span<const double> positions) {
  times_.push_back(static_cast<float>(t));
  for (std::size_t i = 0; i < 3 * shape_.particles; ++i) positions_.push_back(static_cast<float>(positions[i]));
}

std::string animation::glb() const {
  if (times_.empty()) return "";
  const std::size_t numbers = 3 * shape_.particles, stride = (times_.size() + most_frames - 1) / most_frames, count = (times_.size() + stride - 1) / stride;
  const auto frame = [&](std::size_t k) { return std::span<const float>(positions_).subspan(k * stride * numbers, numbers); };
  const std::span<const float> first = frame(0);
  gltf file;
  std::vector<float> times;
  for (std::size_t k = 0; k < count; ++k) times.push_back(std::abs(times_[k * stride] - times_.front()));
  const std::size_t clock = file.add<float>(times, 1, 0, true);

  if (shape_.triangles.empty() && shape_.lines.empty()) {  // balls, a hundredth of what they move in
    float extent = 0;
    for (const float each : positions_) extent = std::max(extent, std::abs(each));
    const mesh ball = icosphere(2, extent > 0 ? 0.01f * extent : 1.f);
    std::vector<float> points;
    std::vector<std::uint32_t> indices;
    for (const auto& v : ball.vertices) points.insert(points.end(), v.begin(), v.end());
    for (const auto& t : ball.triangles) indices.insert(indices.end(), t.begin(), t.end());
    const std::size_t drawn = file.add_mesh({{"attributes", {{"POSITION", file.add<float>(points, 3, vertices_target, true)}}},
                                             {"indices", file.add<std::uint32_t>(indices, 1, indices_target, false)},
                                             {"material", 0}}, {});
    for (std::size_t i = 0; i < shape_.particles; ++i) {
      std::vector<float> path;
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t c = 0; c < 3; ++c) path.push_back(frame(k)[3 * i + c]);
      const std::size_t node = file.add_node({{"mesh", drawn}, {"translation", {path[0], path[1], path[2]}}});
      if (count > 1) file.animate(node, "translation", clock, file.add<float>(path, 3, 0, false));
    }
    return file.glb();
  }

  object primitive;
  primitive["attributes"]["POSITION"] = file.add<float>(first, 3, vertices_target, true);
  std::vector<std::uint32_t> indices;
  if (!shape_.triangles.empty())
    for (const auto& t : shape_.triangles) indices.insert(indices.end(), t.begin(), t.end());
  else
    for (const auto& l : shape_.lines) indices.insert(indices.end(), l.begin(), l.end());
  primitive["indices"] = file.add<std::uint32_t>(indices, 1, indices_target, false);
  primitive["mode"] = shape_.triangles.empty() ? mode_lines : mode_triangles;
  primitive["material"] = 0;
  object weights = object::array();
  std::vector<float> moved(numbers), keys(count * (count - 1), 0.f);
  for (std::size_t k = 1; k < count; ++k) {
    for (std::size_t i = 0; i < numbers; ++i) moved[i] = frame(k)[i] - first[i];
    primitive["targets"].push_back({{"POSITION", file.add<float>(moved, 3, vertices_target, true)}});
    weights.push_back(0);
    keys[k * (count - 1) + k - 1] = 1;  // at its time a frame is all there is, and between two they are mixed
  }
  const std::size_t node = file.add_node({{"mesh", file.add_mesh(std::move(primitive), std::move(weights))}});
  if (count > 1) file.animate(node, "weights", clock, file.add<float>(keys, 1, 0, false));
  return file.glb();
}

}  // namespace ensue::command
