#include "plot/plot.hpp"

#include "plot/plot_document.hpp"
#include "plot/plot_marks.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace ensue::plot {
namespace {

using namespace detail;

constexpr double space = 14, legend_row = 20, legend_sample = 26, widest_legend_beside = 210, title_font = 16;

struct legend_entry {
  std::string name, colour;
  mark as;
  bool faint;
};

/// A chart with its frame and scales, before it has a place on the page.
struct prepared {
  const chart& of;
  double width, height;  ///< of the frame
  range x, y;
  tick_marks x_ticks, y_ticks;
  std::vector<std::string> colours;  ///< one a curve
  std::vector<legend_entry> legend;
  bool legend_beside;
  double legend_width, legend_height;
  double left, above, below;  ///< room around the frame
};

// Every value that has a share in the range of an axis.
std::vector<double> values_of(const chart& c, bool horizontal) {
  std::vector<double> values;
  for (const curve& each : c.lines) {
    const std::size_t count = std::min(each.x.size(), each.y.size());
    for (std::size_t i = 0; i < count; ++i)
      if (std::isfinite(each.x[i]) && std::isfinite(each.y[i])) values.push_back(horizontal ? each.x[i] : each.y[i]);
  }
  for (const arrow& each : c.arrows) {
    const double from = horizontal ? each.x : each.y;
    values.push_back(from);
    values.push_back(from + (horizontal ? each.dx : each.dy));
  }
  for (const note& each : c.notes) values.push_back(horizontal ? each.x : each.y);
  return values;
}

// Curves over time begin and end at the frame; those that go to and fro keep off it.
bool goes_one_way(const chart& c) {
  return c.arrows.empty() && !c.equal_scales && std::all_of(c.lines.begin(), c.lines.end(), [](const curve& each) {
           return each.as != mark::dots && std::is_sorted(each.x.begin(), each.x.end());
         });
}

// The frame takes the shape of the ranges; where that would be too flat or too narrow, a range gets wider.
void make_scales_equal(prepared& p) {
  const double dx = p.x.high - p.x.low, dy = p.y.high - p.y.low;
  const double shape = std::clamp(dy / dx, 0.4, 2.);
  p.width = equal_frame_width(shape);
  p.height = p.width * shape;
  const auto widen = [](range& r, double to) {
    const double more = (to - (r.high - r.low)) / 2;
    if (more > 0 && std::isfinite(r.low - more) && std::isfinite(r.high + more)) r = {r.low - more, r.high + more};
  };
  if (dy / dx < shape) widen(p.y, dx * shape);
  if (dy / dx > shape) widen(p.x, dy / shape);
}

void prepare_legend(prepared& p) {
  int next = 0;
  double widest = 0;
  for (const curve& each : p.of.lines) {
    const int colour = each.colour >= 0 ? each.colour : each.faint ? -1 : next++;
    p.colours.push_back(colour < 0 ? "many" : "c" + std::to_string(colour % palette_size));
    if (colour >= palette_size) p.colours.back() += " again";
    if (each.name.empty()) continue;
    const std::string name = shortened(each.name, text_font, frame_width - legend_sample - space);
    p.legend.push_back({name, p.colours.back(), each.as, each.faint});
    widest = std::max(widest, legend_sample + text_width(name, text_font));
  }
  p.legend_beside = widest <= widest_legend_beside;
  const auto fit = static_cast<std::size_t>(p.legend_beside ? std::max(2., p.height / legend_row) : 20);
  if (p.legend.size() > fit) {
    const std::size_t more = p.legend.size() - (fit - 1);
    p.legend.resize(fit - 1);
    p.legend.push_back({"\u2026 and " + std::to_string(more) + " more", "", mark::line, true});
  }
  p.legend_width = p.legend.empty() || !p.legend_beside ? 0 : space + widest;
  p.legend_height = 0;
  if (p.legend.empty() || p.legend_beside) return;
  double x = 0;
  p.legend_height = legend_row + 6;
  for (const legend_entry& each : p.legend) {
    const double needed = legend_sample + text_width(each.name, text_font) + space;
    if (x > 0 && x + needed > p.width) x = 0, p.legend_height += legend_row;
    x += needed;
  }
}

prepared prepare(const chart& c) {
  prepared p{c, frame_width, frame_height, {}, {}, {}, {}, {}, {}, true, 0, 0, 0, 0, 0};
  p.x = shown(c.x, values_of(c, true), goes_one_way(c) ? 0 : 0.04);
  p.y = shown(c.y, values_of(c, false), 0.05);
  if (c.equal_scales && !c.x.logarithmic && !c.y.logarithmic) make_scales_equal(p);
  p.x_ticks = ticks(scale(p.x, c.x.logarithmic, 0, p.width), true);
  p.y_ticks = ticks(scale(p.y, c.y.logarithmic, p.height, 0), false);
  prepare_legend(p);
  p.left = space;
  for (const tick& each : p.y_ticks.labelled) p.left = std::max(p.left, each.label.width() + 12);
  if (!c.y.label.empty() || p.y_ticks.offset != 0) p.left += 26;
  p.left += 4;
  p.above = c.title.empty() ? space : 38;
  p.below = 26 + (c.x.label.empty() && p.x_ticks.offset == 0 ? 0 : 20) + p.legend_height + space / 2;
  return p;
}

// "energy + 0.5" where the numbers at the ticks are those of it.
std::string axis_label(const axis& a, const tick_marks& marks) {
  if (marks.offset == 0) return a.label;
  return (a.label.empty() ? "value" : a.label) + (marks.offset < 0 ? " + " : " \u2212 ") +
         short_number(std::abs(marks.offset), 15);
}

std::string path(const std::string& style, const std::string& data) {
  return data.empty() ? "" : "<path class=\"" + style + "\" d=\"" + data + "\"/>\n";
}

void line(std::string& data, point from, point to) {
  append(data, 'M', from);
  append(data, 'L', to);
}

/// Draws one chart whose frame has its place.
class drawing {
 public:
  drawing(const prepared& p, const frame& f)
      : p_(p), f_(f), x_(p.x, p.of.x.logarithmic, f.left, f.right), y_(p.y, p.of.y.logarithmic, f.bottom, f.top) {}

  std::string text() {
    axes();
    curves(true);
    arrows(false);
    curves(false);
    arrows(true);
    notes();
    legend();
    if (!p_.of.title.empty()) {
      const double width = f_.right - f_.left + p_.legend_width;
      out_ +=
          text_element(f_.left, f_.top - 14, anchor::start, "title", shortened(p_.of.title, 0.95 * title_font, width));
    }
    return std::move(out_);
  }

 private:
  void axes() {
    std::string grid, marks, numbers;
    for (const tick& each : p_.x_ticks.labelled) {
      const double x = x_(each.at);
      if (x > f_.left + 1 && x < f_.right - 1) line(grid, {x, f_.top}, {x, f_.bottom});
      line(marks, {x, f_.bottom}, {x, f_.bottom + 5});
      numbers += number_element(x, f_.bottom + 20, anchor::middle, each.label);
    }
    for (const double at : p_.x_ticks.between) line(marks, {x_(at), f_.bottom}, {x_(at), f_.bottom + 3});
    for (const tick& each : p_.y_ticks.labelled) {
      const double y = y_(each.at);
      if (y > f_.top + 1 && y < f_.bottom - 1) line(grid, {f_.left, y}, {f_.right, y});
      line(marks, {f_.left, y}, {f_.left - 5, y});
      numbers += number_element(f_.left - 9, y + 4, anchor::end, each.label);
    }
    for (const double at : p_.y_ticks.between) line(marks, {f_.left, y_(at)}, {f_.left - 3, y_(at)});
    line(marks, {f_.left, f_.top}, {f_.right, f_.top});
    line(marks, {f_.right, f_.bottom}, {f_.left, f_.bottom});
    line(marks, {f_.left, f_.bottom}, {f_.left, f_.top});
    line(marks, {f_.right, f_.top}, {f_.right, f_.bottom});
    out_ += path("grid", grid) + path("frame", marks) + numbers;
    labels();
  }

  void labels() {
    const std::string x = axis_label(p_.of.x, p_.x_ticks), y = axis_label(p_.of.y, p_.y_ticks);
    if (!x.empty())
      out_ += text_element((f_.left + f_.right) / 2, f_.bottom + 42, anchor::middle, "label",
                           shortened(x, text_font, f_.right - f_.left));
    if (y.empty()) return;
    const double at_x = f_.left - p_.left + 16, at_y = (f_.top + f_.bottom) / 2;
    if (text_width(y, text_font) <= 18) {
      out_ += text_element(at_x, at_y + 4, anchor::middle, "label", y);
      return;
    }
    std::string place;
    append(place, at_x), place += ' ', append(place, at_y);
    out_ += "<g transform=\"translate(" + place + ") rotate(-90)\">" +
            text_element(0, 0, anchor::middle, "label", shortened(y, text_font, f_.bottom - f_.top)) + "</g>\n";
  }

  void curves(bool faint) {
    for (std::size_t i = 0; i < p_.of.lines.size(); ++i) {
      const curve& each = p_.of.lines[i];
      if (each.faint != faint) continue;
      const auto lines = polylines(each, x_, y_);
      std::string strokes, points;
      for (const auto& part : lines)
        if (part.size() == 1) points += line_path(part, f_);
        else if (each.as != mark::dots) strokes += line_path(straightened(thinned(part)), f_);
      if (each.as == mark::dots || each.as == mark::line_and_dots) points = dots_path(lines, f_);
      out_ += path((faint ? "faint " : each.as == mark::dashes ? "dashes " : "line ") + p_.colours[i], strokes);
      out_ += path("dots " + p_.colours[i], points);
    }
  }

  void arrows(bool coloured) {
    std::map<int, arrow_paths> by_colour;
    for (const arrow& each : p_.of.arrows)
      if ((each.colour >= 0) == coloured)
        add_arrow(by_colour[each.colour < 0 ? -1 : each.colour % palette_size], {x_(each.x), y_(each.y)},
                  {x_(each.x + each.dx), y_(each.y + each.dy)}, f_);
    for (const auto& [colour, paths] : by_colour) {
      const std::string style = colour < 0 ? "field" : "bold c" + std::to_string(colour);
      out_ += path("shaft " + style, paths.shafts) + path("head " + style, paths.heads);
    }
  }

  void notes() {
    for (const note& each : p_.of.notes) {
      const point at{x_(each.x), y_(each.y)};
      if (std::isnan(at.x) || std::isnan(at.y) || !f_.contains(at)) continue;
      const bool fits = at.x + 8 + text_width(each.text, text_font) < f_.right;
      const double y = at.y - 8 < f_.top + text_font ? at.y + 8 + text_font : at.y - 8;
      out_ += text_element(at.x + (fits ? 8 : -8), y, fits ? anchor::start : anchor::end, "note", each.text);
    }
  }

  void legend() {
    double x = f_.right + space, y = f_.top + 10;
    if (!p_.legend_beside) x = f_.left, y = f_.bottom + p_.below - p_.legend_height + 8;
    for (const legend_entry& each : p_.legend) {
      const double needed = legend_sample + text_width(each.name, text_font) + space;
      if (!p_.legend_beside && x > f_.left && x + needed > f_.left + p_.width) x = f_.left, y += legend_row;
      std::string sample, dot;
      line(sample, {x, y}, {x + legend_sample - 6, y});
      append(dot, 'M', {x + legend_sample / 2 - 3, y});
      dot += "h0";
      if (!each.colour.empty() && each.as != mark::dots)
        out_ += path((each.faint ? "faint " : each.as == mark::dashes ? "dashes " : "line ") + each.colour, sample);
      if (each.as == mark::dots || each.as == mark::line_and_dots) out_ += path("dots " + each.colour, dot);
      out_ += text_element(x + legend_sample, y + 4, anchor::start, "entry", each.name);
      if (p_.legend_beside) y += legend_row;
      else x += needed;
    }
  }

  const prepared& p_;
  frame f_;
  scale x_, y_;
  std::string out_;
};

}  // namespace

std::string svg(const std::vector<chart>& charts) {
  std::vector<prepared> all;
  double left = 0, right = 0, height = 0;
  for (const chart& each : charts) {
    all.push_back(prepare(each));
    left = std::max(left, all.back().left);
    right = std::max(right, all.back().width + all.back().legend_width);
    height += all.back().above + all.back().height + all.back().below;
  }
  std::string size, drawn;
  append(size, std::ceil(left + right + space)), size += '|', append(size, std::ceil(std::max(height, space)));
  const std::string wide = size.substr(0, size.find('|')), high = size.substr(size.find('|') + 1);
  double top = 0;
  for (prepared& each : all) {
    each.left = left;  // the frames of a page stand below each other
    top += each.above;
    drawn += drawing(each, {left, top, left + each.width, top + each.height}).text();
    top += each.height + each.below;
  }
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"ensue\" role=\"img\" width=\"" + wide +
                     "\" height=\"" + high + "\" viewBox=\"0 0 " + wide + " " + high + "\">\n";
  if (!charts.empty() && !charts[0].title.empty()) text += "<title>" + escaped(charts[0].title) + "</title>\n";
  text += stylesheet();
  text += "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n" + drawn + "</svg>\n";
  return text;
}

}  // namespace ensue::plot
