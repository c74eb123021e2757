/// Whether a text is well-formed XML, as far as our own documents use it: elements, attributes in double quotes, text and the
/// five entities. No comments, no declarations.
#pragma once

#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace ensue::tests {

/// Empty: nothing is wrong.
inline std::string fault_of_xml(std::string_view text) {
  static const std::regex inside(R"re(([A-Za-z][A-Za-z0-9]*)((\s+[A-Za-z:-]+="[^"<]*")*)\s*(/?))re");
  std::vector<std::string> open;
  bool root_closed = false;
  const auto near = [&](std::size_t at) { return " near \"" + std::string(text.substr(at, 60)) + "\""; };
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '<') {
      if (text[at] == '&') {
        const std::size_t end = text.find(';', at);
        const std::string_view entity = text.substr(at, end == std::string_view::npos ? 0 : end - at + 1);
        if (entity != "&lt;" && entity != "&gt;" && entity != "&amp;" && entity != "&quot;" && entity != "&#39;")
          return "an & that is no entity" + near(at);
      }
      if (text.substr(at, 3) == "]]>") return "]]> in a text";
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x20 && byte != '\n' && byte != '\t') return "a control character" + near(at);
      if (open.empty() && byte != '\n') return "text outside of the root" + near(at);
      ++at;
      continue;
    }
    const std::size_t end = text.find('>', at);
    if (end == std::string_view::npos) return "an element that does not end" + near(at);
    const std::string element(text.substr(at + 1, end - at - 1));
    if (element.starts_with('/')) {
      if (open.empty() || open.back() != element.substr(1)) return "a wrong end" + near(at);
      open.pop_back();
      root_closed = open.empty();
    } else {
      std::smatch parts;
      // Long path data would exhaust std::regex; what they hold is looked at on its own.
      const std::string short_element = [&] {
        std::string kept;
        bool quoted = false;
        for (const char c : element) {
          if (quoted && c == '<') return std::string("<");
          if (c == '"') quoted = !quoted;
          if (!quoted || c == '"') kept += c;
        }
        return kept;
      }();
      if (root_closed) return "a second root" + near(at);
      if (!std::regex_match(short_element, parts, inside)) return "a wrong element" + near(at);
      if (parts[4].length() == 0) open.push_back(parts[1]);
    }
    at = end + 1;
  }
  if (!open.empty()) return "no end of " + open.back();
  return root_closed ? "" : "no element at all";
}

}  // namespace ensue::tests
