/// The pieces of an SVG document that know nothing of charts: texts, colours, the stylesheet.
#pragma once

#include "plot/plot_scale.hpp"

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

/// Blue, vermilion and green are Okabe & Ito's (2008, "Color Universal Design"); four more were chosen beside them, on a light and
/// on a dark background, so that any two differ by 15 in CIELAB at least for normal sight and for each of the three colour
/// blindnesses (as simulated by Machado, Oliveira & Fernandes 2009), and each has a contrast of 3 : 1 with its background.
std::string_view stylesheet();

}  // namespace ensue::plot::detail
