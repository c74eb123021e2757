/// Rigid bodies of problem files: `model = "bodies"`.
///
/// `boxes` (three sides each, the middle is the origin) or one `mesh` for all; `density`; `position` (of the centres), `velocity`, `turn` (rotation vectors), `spin` (in space): lists of points, one a body;
/// `springs` ([i, x, y, z, j, x, y, z, stiffness, rest length, damping], points of the bodies), `anchors` ([i, x, y, z, X, Y, Z, stiffness, rest length, damping]), `gravity`.
#pragma once

#include "scene.hpp"
#include "scene_table.hpp"

#include <string>
#include <vector>

namespace ensue {

std::vector<std::string> keys_of_bodies();
scene bodies_scene(const table_reader& table, const std::string& folder);

}  // namespace ensue
