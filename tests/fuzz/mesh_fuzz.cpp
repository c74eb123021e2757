/// Any bytes as a mesh, OBJ or PLY: refused with a place in them, or read, and then the same when written and read again.
#include "meshes/mesh.hpp"

#include <cstdlib>

using namespace ensue;

static void expect_sound(const mesh& read) {
  for (const auto& corners : read.triangles)
    for (const std::uint32_t corner : corners)
      if (corner >= read.vertices.size()) std::abort();
  const mesh again = read_ply(mesh_text(read, mesh_format::ply_binary), "again");
  if (!(again.vertices == read.vertices) || again.triangles != read.triangles) std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto read : {read_obj, read_ply}) {
    try {
      expect_sound(read(bytes, "it"));
    } catch (const file_error& error) {
      if (!std::string_view(error.what()).starts_with("it:")) std::abort();
    }
  }
  return 0;
}
