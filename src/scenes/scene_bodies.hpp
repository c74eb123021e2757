/// Rigid bodies of problem files: `model = "bodies"`.
///
/// `boxes` (three sides each, the origin in the middle) or one `mesh` for all; `density`; `position` (of the centres of mass), `velocity`, `turn` (rotation
/// vectors), `spin` (in space): lists of points, one a body; `springs` ([i, x, y, z, j, x, y, z, stiffness, rest length, damping], points in the coordinates of
/// box or mesh), `anchors` ([i, x, y, z, X, Y, Z, stiffness, rest length, damping], X, Y, Z in space), `gravity`. The components are x[0], y[0], z[0], the
/// orientation qw[0], qx[0], qy[0], qz[0], momentum px[0], …, angular momentum lx[0], …
#pragma once

#include "scenes/scene.hpp"
#include "scenes/scene_table.hpp"

#include <string>
#include <vector>

namespace ensue {

std::vector<std::string> keys_of_bodies();
scene bodies_scene(const table_reader& table, const std::string& folder);

}  // namespace ensue
