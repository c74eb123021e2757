// OBJ: lines `v x y z` and `f a b c …`, where a corner is `vertex`, `vertex/texture` or `vertex/texture/normal`, counted from 1, or backwards from −1.
// A line that ends with a backslash goes on in the next.
#include "meshes/mesh.hpp"

#include <charconv>
#include <cmath>

namespace ensue {
namespace {

class obj_reader {
 public:
  obj_reader(std::string_view text, std::string_view name) : text_(text), name_(name) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // what some editors put before UTF-8
  }

  mesh read() {
    while (next_line()) {
      const std::string_view keyword = word();
      if (keyword == "v") read_vertex();
      else if (keyword == "f") read_face();
    }
    if (made_.vertices.empty())
      throw file_error(std::string(name_) + ":" + std::to_string(line_ > 0 ? line_ : 1) +
                       ": the file has no vertices, expected lines `v x y z`");
    return std::move(made_);
  }

 private:
  bool next_line() {
    if (text_.empty()) return false;
    rest_ = line_of_text();
    if (rest_.ends_with('\\')) join_lines();
    return true;
  }

  /// Without what ends it, and without a comment.
  std::string_view line_of_text() {
    const std::size_t end = text_.find('\n');
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_;
    return line.substr(0, line.find('#'));
  }

  /// A backslash at the end: the line goes on in the next one.
  void join_lines() {
    joined_.clear();
    for (; rest_.ends_with('\\'); rest_ = line_of_text()) joined_.append(rest_.substr(0, rest_.size() - 1)) += ' ';
    rest_ = joined_.append(rest_);
  }

  /// Empty: there is none left in the line.
  std::string_view word() {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    std::size_t length = 0;
    while (length < rest_.size() && !is_space(rest_[length])) ++length;
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }

  [[noreturn]] void refuse(std::string_view found, const char* expected) const {
    throw file_error(std::string(name_) + ":" + std::to_string(line_) + ": found `" + std::string(found.substr(0, 40)) + "`, expected " +
                     expected);
  }

  /// The float next to it, also where it lies beyond those that from_chars gives: 0 or infinity. False: the text is no number.
  static bool read_number(std::string_view text, float& x) {
    const char* const end = text.data() + text.size();
    auto read = std::from_chars(text.data(), end, x);
    if (read.ec == std::errc::result_out_of_range) {
      double wider = 0;
      read = std::from_chars(text.data(), end, wider);
      x = static_cast<float>(wider);
    }
    return read.ec == std::errc{} && read.ptr == end;
  }

  void read_vertex() {
    vec<float, 3> v;
    for (float& x : v) {
      const std::string_view text = word();
      if (!read_number(text, x) || !std::isfinite(x)) refuse(text, "three finite numbers behind `v`");
    }
    made_.vertices.push_back(v);
  }

  std::uint32_t corner(std::string_view text) const {
    std::int64_t index = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (failed != std::errc{} || (end != text.data() + text.size() && *end != '/')) refuse(text, "the number of a vertex");
    const auto vertices = static_cast<std::int64_t>(made_.vertices.size());
    if (index < 0) index += vertices + 1;
    if (index < 1 || index > vertices) refuse(text, ("a vertex among the " + std::to_string(vertices) + " above this line").c_str());
    return static_cast<std::uint32_t>(index - 1);
  }

  void read_face() {
    const std::string_view a = word(), b = word();
    std::string_view text = word();
    if (text.empty()) refuse(b, "at least three corners of a face");
    const std::uint32_t first = corner(a);
    for (std::uint32_t before = corner(b); !text.empty(); text = word()) {
      const std::uint32_t now = corner(text);
      made_.triangles.push_back({first, before, now});
      before = now;
    }
  }

  std::string_view text_, name_, rest_ = {};
  std::string joined_ = {};
  std::size_t line_ = 0;
  mesh made_ = {};
};

}  // namespace

mesh read_obj(std::string_view text, std::string_view name) { return obj_reader(text, name).read(); }

}  // namespace ensue
