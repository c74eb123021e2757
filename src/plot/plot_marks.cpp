#include "plot/plot_marks.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <unordered_set>
#include <utility>

namespace ensue::plot::detail {
namespace {

// Liang & Barsky (1984): the part of a segment inside a frame.
std::optional<std::pair<point, point>> clipped(const point& a, const point& b, const frame& f) {
  double from = 0, to = 1;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const auto cut = [&](double direction, double distance) {
    if (direction == 0) return distance >= 0;
    const double t = distance / direction;
    if (direction < 0) from = std::max(from, t);
    else to = std::min(to, t);
    return from <= to;
  };
  if (!cut(-dx, a.x - f.left) || !cut(dx, f.right - a.x) || !cut(-dy, a.y - f.top) || !cut(dy, f.bottom - a.y))
    return std::nullopt;
  const auto at = [&](double t) {
    return point{std::clamp(a.x + t * dx, f.left, f.right), std::clamp(a.y + t * dy, f.top, f.bottom)};
  };
  return std::pair{from == 0 ? a : at(from), to == 1 ? b : at(to)};
}

}  // namespace

void append(std::string& to, double pixels) {
  const std::int64_t hundredths = std::llround(std::clamp(pixels, -1e9, 1e9) * 100);
  const std::int64_t size = std::abs(hundredths);
  if (hundredths < 0) to += '-';
  to += std::to_string(size / 100);
  if (size % 100 == 0) return;
  to += '.';
  to += static_cast<char>('0' + size / 10 % 10);
  if (size % 10 != 0) to += static_cast<char>('0' + size % 10);
}

void append(std::string& to, char command, const point& p) {
  to += command;
  append(to, p.x);
  to += ' ';
  append(to, p.y);
}

std::vector<std::vector<point>> polylines(const curve& drawn, const scale& x, const scale& y) {
  std::vector<std::vector<point>> lines(1);
  const std::size_t count = std::min(drawn.x.size(), drawn.y.size());
  for (std::size_t i = 0; i < count; ++i) {
    const point p{x(drawn.x[i]), y(drawn.y[i])};
    if (!std::isnan(p.x) && !std::isnan(p.y)) lines.back().push_back(p);
    else if (!lines.back().empty()) lines.emplace_back();
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

std::vector<point> thinned(const std::vector<point>& line) {
  std::vector<point> kept;
  const auto column = [](const point& p) { return std::floor(4 * p.x); };
  for (std::size_t begin = 0, end = 0; begin < line.size(); begin = end) {
    std::size_t low = begin, high = begin, left = begin, right = begin;
    for (end = begin; end < line.size() && column(line[end]) == column(line[begin]); ++end) {
      if (line[end].y < line[low].y) low = end;
      if (line[end].y > line[high].y) high = end;
      if (line[end].x < line[left].x) left = end;
      if (line[end].x > line[right].x) right = end;
    }
    std::size_t keep[] = {begin, low, high, left, right, end - 1};
    std::sort(std::begin(keep), std::end(keep));
    const auto last = std::unique(std::begin(keep), std::end(keep));
    for (auto i = std::begin(keep); i != last; ++i) kept.push_back(line[*i]);
  }
  return kept;
}

std::vector<point> straightened(const std::vector<point>& line) {
  // From the last point kept, the directions that pass near all points since: a cone that narrows (Williams 1978). A point
  // outside of it, or one that turns back, makes the point before it one that stays.
  constexpr double tolerance = 0.1;
  if (line.size() < 3) return line;
  std::vector<point> kept = {line[0]};
  double middle = 0, from = 0, to = 0, reached = 0;  // of the cone, from and to relative to its first direction
  bool open = true;                                  // every direction is still good
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto distance = [&] { return std::hypot(line[i].x - kept.back().x, line[i].y - kept.back().y); };
    const auto direction = [&] { return std::atan2(line[i].y - kept.back().y, line[i].x - kept.back().x); };
    double r = distance(), turn = std::remainder(direction() - middle, 2 * std::numbers::pi);
    if (!open && (r < reached || turn < from || turn > to)) {
      kept.push_back(line[i - 1]);
      open = true;
      reached = 0;
      r = distance();
    }
    reached = r;
    if (r <= tolerance) continue;
    const double half = std::asin(tolerance / r);
    if (open) middle = direction(), from = -half, to = half, open = false;
    else from = std::max(from, turn - half), to = std::min(to, turn + half);
  }
  kept.push_back(line.back());
  return kept;
}

std::string line_path(const std::vector<point>& line, const frame& inside) {
  std::string path;
  if (line.size() == 1 && inside.contains(line[0])) {
    append(path, 'M', line[0]);
    path += "h0";
  }
  bool open = false;  // the pen is at the end of the segment before
  for (std::size_t i = 1; i < line.size(); ++i) {
    const auto part = clipped(line[i - 1], line[i], inside);
    if (!part) {
      open = false;
      continue;
    }
    if (!open || !inside.contains(line[i - 1])) append(path, 'M', part->first);
    append(path, 'L', part->second);
    open = true;
  }
  return path;
}

std::string dots_path(const std::vector<std::vector<point>>& lines, const frame& inside) {
  std::string path;
  std::unordered_set<std::int64_t> taken;
  for (const auto& line : lines)
    for (const point& p : line) {
      if (!inside.contains(p)) continue;
      const auto cell =
          static_cast<std::int64_t>(std::floor(p.x)) * 100'000 + static_cast<std::int64_t>(std::floor(p.y));
      if (!taken.insert(cell).second) continue;
      append(path, 'M', p);
      path += "h0";
    }
  return path;
}

void add_arrow(arrow_paths& to, point from, point tip, const frame& inside) {
  if (std::isnan(from.x) || std::isnan(from.y) || std::isnan(tip.x) || std::isnan(tip.y) || !inside.contains(from))
    return;
  const double dx = tip.x - from.x, dy = tip.y - from.y, length = std::hypot(dx, dy);
  if (length < 0.5) {  // no direction to be seen
    append(to.shafts, 'M', from);
    to.shafts += "h0";
    return;
  }
  // The head is half the arrow where that is short, and its shaft ends inside of it.
  const double head = std::min(6.5, 0.5 * length), ux = dx / length, uy = dy / length;
  const bool whole = inside.contains(tip);
  const point neck{tip.x - 0.8 * head * ux, tip.y - 0.8 * head * uy};
  to.shafts += line_path({from, whole ? neck : tip}, inside);
  if (!whole) return;
  const point back{tip.x - head * ux, tip.y - head * uy};
  append(to.heads, 'M', tip);
  append(to.heads, 'L', {back.x - 0.38 * head * uy, back.y + 0.38 * head * ux});
  append(to.heads, 'L', {back.x + 0.38 * head * uy, back.y - 0.38 * head * ux});
  to.heads += 'Z';
}

}  // namespace ensue::plot::detail
