/// The pieces of an SVG document that know nothing of charts: texts, colours, the stylesheet.
#pragma once

#include "plot_scale.hpp"

#include <string>
#include <string_view>

namespace ensue::plot::detail {

/// Text as content of an element: <, >, & and quotes escaped; what XML cannot hold (control characters, bytes that are not
/// UTF-8) becomes U+FFFD.
std::string escaped(std::string_view text);

/// At most so wide, with … where something had to go.
std::string shortened(const std::string& text, double font, double width);

enum class anchor { start, middle, end };

/// A text element. `style` is a class of the stylesheet.
std::string text_element(double x, double y, anchor where, std::string_view style, const std::string& text);

/// A number below or beside a tick, its exponent raised.
std::string number_element(double x, double y, anchor where, const number_label& label);

/// The colours are Okabe & Ito's (2008, "Color Universal Design"), told apart in every common colour blindness, less their
/// yellow and black and with orange and sky blue darkened: each has a contrast of 3 : 1 on white at least. On a dark
/// background lighter ones of the same hues.
std::string_view stylesheet();

}  // namespace ensue::plot::detail
