#include "plot/plot_document.hpp"

#include "plot/plot_marks.hpp"

#include <algorithm>

namespace ensue::plot::detail {
namespace {

// Bytes of the UTF-8 character at the start; 0 if there is none.
std::size_t character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xC2 ? 0
                             : byte(0) < 0xE0 ? 2
                             : byte(0) < 0xF0 ? 3
                             : byte(0) < 0xF5 ? 4
                                              : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  // Encoded too long, surrogates, beyond Unicode, and the two that are no characters.
  if ((byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) > 0x9F) ||
      (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) > 0x8F) ||
      (byte(0) == 0xEF && byte(1) == 0xBF && byte(2) > 0xBD))
    return 0;
  return length;
}

std::string_view name_of(anchor where) {
  return where == anchor::start ? "start" : where == anchor::middle ? "middle" : "end";
}

std::string opened(double x, double y, anchor where, std::string_view style) {
  std::string text = "<text x=\"";
  append(text, x);
  text += "\" y=\"";
  append(text, y);
  text += "\" class=\"";
  text += style;
  text += "\" text-anchor=\"";
  text += name_of(where);
  return text + "\">";
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t length = character_at(text);
    const char c = text[0];
    if (length == 0 || (length == 1 && ((c >= 0 && c < ' ' && c != '\t' && c != '\n') || c == 0x7F))) out += "\uFFFD";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else if (c == '\'') out += "&#39;";
    else out += text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string shortened(const std::string& text, double font, double width) {
  if (text_width(text, font) <= width) return text;
  std::string kept;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t length = std::max<std::size_t>(character_at(rest), 1);
    if (text_width(kept, font) + 1.2 * font > width) break;
    kept += rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return kept + "\u2026";
}

std::string text_element(double x, double y, anchor where, std::string_view style, const std::string& text) {
  return opened(x, y, where, style) + escaped(text) + "</text>\n";
}

std::string number_element(double x, double y, anchor where, const number_label& label) {
  std::string text = opened(x, y, where, "number") + label.text;
  if (!label.exponent.empty()) text += "10<tspan class=\"raised\" dy=\"-4.5\">" + label.exponent + "</tspan>";
  return text + "</text>\n";
}

std::string_view stylesheet() {
  return R"(<style>
.ensue{font-family:"Helvetica Neue",Helvetica,Arial,"Liberation Sans","DejaVu Sans",sans-serif;font-size:13px}
.ensue .paper{fill:#fff}
.ensue text{fill:#222}
.ensue .title{font-size:16px;font-weight:600}
.ensue .number{font-size:12px;fill:#444}
.ensue .raised{font-size:9px}
.ensue .note{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}
.ensue path{fill:none;stroke-linejoin:round}
.ensue .grid{stroke:#e4e4e4;stroke-width:1}
.ensue .frame{stroke:#777;stroke-width:1}
.ensue .line{stroke:currentColor;stroke-width:1.8;stroke-linecap:round}
.ensue .dashes{stroke:currentColor;stroke-width:1.8;stroke-dasharray:7 4}
.ensue .dots{stroke:currentColor;stroke-width:5.5;stroke-linecap:round}
.ensue .line.again{stroke-dasharray:2.5 4.5}
.ensue .faint{stroke:currentColor;stroke-width:1;stroke-linecap:round}
.ensue .shaft{stroke:currentColor;stroke-width:1.1;stroke-linecap:round}
.ensue .head{fill:currentColor}
.ensue .bold{stroke-width:2}
.ensue .many{color:#999}
.ensue .field{color:#a3a3a3}
.ensue .c0{color:#0072b2}
.ensue .c1{color:#d55e00}
.ensue .c2{color:#009e73}
.ensue .c3{color:#6b22c8}
.ensue .c4{color:#5f460e}
.ensue .c5{color:#d0609f}
.ensue .c6{color:#222}
@media (prefers-color-scheme:dark){
.ensue .paper{fill:#15181c}
.ensue text{fill:#e6e6e6}
.ensue .number{fill:#bbb}
.ensue .note{stroke:#15181c}
.ensue .grid{stroke:#2c3138}
.ensue .frame{stroke:#8a8f96}
.ensue .many{color:#8a8f96}
.ensue .field{color:#757b83}
.ensue .c0{color:#4aa8e0}
.ensue .c1{color:#ff8a3d}
.ensue .c2{color:#2fd0a0}
.ensue .c3{color:#8a78ff}
.ensue .c4{color:#ffe066}
.ensue .c5{color:#f2a0d0}
.ensue .c6{color:#f4f4f4}
}
</style>
)";
}

}  // namespace ensue::plot::detail
