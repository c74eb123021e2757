// PLY: a header that says which elements there are, how many, and the types of their properties; then their values, as text or as bytes. Written here
// from the description by G. Turk ("The PLY polygon file format", 1994).
#include "meshes/mesh.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace ensue {
namespace {

enum class kind : unsigned char { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

constexpr std::size_t size_of(kind k) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<std::size_t>(k)];
}

std::optional<kind> kind_of(std::string_view name) {
  constexpr std::pair<std::string_view, kind> names[] = {
      {"char", kind::int8},     {"int8", kind::int8},       {"uchar", kind::uint8},    {"uint8", kind::uint8},
      {"short", kind::int16},   {"int16", kind::int16},     {"ushort", kind::uint16},  {"uint16", kind::uint16},
      {"int", kind::int32},     {"int32", kind::int32},     {"uint", kind::uint32},    {"uint32", kind::uint32},
      {"float", kind::float32}, {"float32", kind::float32}, {"double", kind::float64}, {"float64", kind::float64}};
  for (const auto& [text, k] : names)
    if (text == name) return k;
  return std::nullopt;
}

struct property {
  std::string name;
  kind value;
  std::optional<kind> count;  ///< of a list
};

struct element {
  std::string name;
  std::uint64_t count = 0;
  std::vector<property> properties = {};
};

class ply_reader {
 public:
  ply_reader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

  mesh read() {
    read_header();
    for (const element& each : elements_) read_element(each);
    if (made_.vertices.empty()) refuse("the file has no vertices, expected an element `vertex` with x, y and z");
    for (std::size_t i = 0; i < made_.triangles.size(); ++i)  // faces may come before the vertices
      for (const std::uint32_t corner : made_.triangles[i])
        if (corner >= made_.vertices.size())
          refuse("a face has corner " + std::to_string(corner) + ", expected less than the number of vertices, " +
                 std::to_string(made_.vertices.size()));
    return std::move(made_);
  }

 private:
  enum class form : unsigned char { ascii, little, big };

  [[noreturn]] void refuse(const std::string& what) const {
    throw file_error(std::string(name_) + ": byte " + std::to_string(at_) + ": " + what);
  }

  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) refuse("the header does not end, expected `end_header`");
    std::string_view found = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    if (found.ends_with('\r')) found.remove_suffix(1);
    return found;
  }

  static std::string_view word(std::string_view& line) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return line = {};
    const std::size_t end = line.find_first_of(" \t", begin);
    const std::string_view found = line.substr(begin, end == std::string_view::npos ? end : end - begin);
    line = end == std::string_view::npos ? std::string_view{} : line.substr(end);
    return found;
  }

  void read_header() {
    std::string_view first = line();
    if (word(first) != "ply" || !word(first).empty()) {
      at_ = 0;
      refuse("expected a file that begins with `ply`");
    }
    bool has_format = false;
    for (;;) {
      const std::size_t begin = at_;
      std::string_view rest = line();
      const std::string_view keyword = word(rest);
      if (keyword == "end_header") break;
      if (keyword == "comment" || keyword == "obj_info" || keyword.empty()) continue;
      const auto wrong = [&](const char* expected) {
        at_ = begin;
        refuse("found `" + std::string(keyword.substr(0, 40)) + "`, expected " + expected);
      };
      if (keyword == "format") {
        const std::string_view which = word(rest);
        if (which == "ascii") form_ = form::ascii;
        else if (which == "binary_little_endian") form_ = form::little;
        else if (which == "binary_big_endian") form_ = form::big;
        else wrong("`format ascii`, `format binary_little_endian` or `format binary_big_endian`");
        has_format = true;
      } else if (keyword == "element") {
        element made{std::string(word(rest))};
        const std::string_view count = word(rest);
        const auto [end, failed] = std::from_chars(count.data(), count.data() + count.size(), made.count);
        if (failed != std::errc{} || end != count.data() + count.size()) wrong("`element NAME COUNT`");
        elements_.push_back(std::move(made));
      } else if (keyword == "property" && !elements_.empty()) {
        std::string_view type = word(rest);
        property made{};
        if (type == "list") {
          made.count = kind_of(word(rest));
          if (!made.count || *made.count == kind::float32 || *made.count == kind::float64) wrong("a list counted by whole numbers");
          type = word(rest);
        }
        const std::optional<kind> value = kind_of(type);
        made.name = word(rest);
        if (!value || made.name.empty()) wrong("`property TYPE NAME` or `property list TYPE TYPE NAME`");
        made.value = *value;
        elements_.back().properties.push_back(std::move(made));
      } else {
        wrong("format, element, property, comment or end_header");
      }
    }
    if (!has_format) refuse("the header has no `format`");
  }

  /// The least that one of them takes.
  std::size_t least_bytes(const element& of) const {
    std::size_t sum = 0;
    for (const property& p : of.properties) sum += form_ == form::ascii ? 2 : size_of(p.count ? *p.count : p.value);
    return sum;
  }

  void read_element(const element& each) {
    const std::size_t left = bytes_.size() - at_, least = least_bytes(each);
    if (each.count > 0 && (least == 0 || each.count > (left + 1) / least))
      refuse(std::to_string(each.count) + " of `" + each.name + "` are announced, and " + std::to_string(left) +
             " bytes are left for them");
    const bool vertices = each.name == "vertex", faces = each.name == "face";
    if (vertices) {
      if (each.count > std::numeric_limits<std::uint32_t>::max()) refuse("too many vertices");
      for (const char* needed : {"x", "y", "z"}) {
        bool there = false;
        for (const property& p : each.properties) there = there || (p.name == needed && !p.count);
        if (!there) refuse(std::string("the vertices have no property `") + needed + "`");
      }
      made_.vertices.reserve(made_.vertices.size() + each.count);
    }
    for (std::uint64_t i = 0; i < each.count; ++i) {
      if (vertices) made_.vertices.push_back({});
      for (const property& p : each.properties) read_property(p, vertices, faces);
    }
  }

  void read_property(const property& p, bool vertex, bool face) {
    if (!p.count) {
      const std::size_t begin = at_;
      const double value = number(p.value);
      if (!vertex || p.name.size() != 1 || p.name[0] < 'x' || p.name[0] > 'z') return;
      if (!std::isfinite(static_cast<float>(value))) {
        at_ = begin;
        refuse("a vertex has a coordinate that is not finite");
      }
      made_.vertices.back()[static_cast<std::size_t>(p.name[0] - 'x')] = static_cast<float>(value);
      return;
    }
    const double length = number(*p.count);  // as text, any number may stand there
    if (!(length >= 0 && length <= static_cast<double>(bytes_.size() - at_) && length == std::floor(length)))
      refuse("a list has a length that is no whole number from 0 to the number of bytes left");
    const bool corners = face && (p.name == "vertex_indices" || p.name == "vertex_index");
    if (corners && length < 3)
      refuse("a face has " + std::to_string(static_cast<std::int64_t>(length)) + " corners, expected at least three");
    std::uint32_t first = 0, before = 0;
    for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(length); ++k) {
      const double value = number(p.value);
      if (!corners) continue;
      if (!(value >= 0 && value <= std::numeric_limits<std::uint32_t>::max() && value == std::floor(value)))
        refuse("a face has a corner that is no number of a vertex");
      const auto now = static_cast<std::uint32_t>(value);
      if (k == 0) first = now;
      if (k >= 2) made_.triangles.push_back({first, before, now});
      before = now;
    }
  }

  double number(kind k) { return form_ == form::ascii ? number_in_words() : number_in_bytes(k); }

  double number_in_words() {
    const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (at_ < bytes_.size() && is_space(bytes_[at_])) ++at_;
    double value = 0;
    const auto [end, failed] = std::from_chars(bytes_.data() + at_, bytes_.data() + bytes_.size(), value);
    const std::size_t behind = static_cast<std::size_t>(end - bytes_.data());
    if (failed != std::errc{} || (behind < bytes_.size() && !is_space(bytes_[behind])))
      refuse(at_ == bytes_.size() ? "the file ends, expected a number" : "expected a number");
    at_ = behind;
    return value;
  }

  template <class T> T taken() {
    unsigned char raw[sizeof(T)];
    std::memcpy(raw, bytes_.data() + at_, sizeof(T));
    if ((form_ == form::big) == (std::endian::native == std::endian::little))
      for (std::size_t i = 0; i < sizeof(T) / 2; ++i) std::swap(raw[i], raw[sizeof(T) - 1 - i]);
    at_ += sizeof(T);
    return std::bit_cast<T>(raw);
  }

  double number_in_bytes(kind k) {
    if (bytes_.size() - at_ < size_of(k)) refuse("the file ends inside a number");
    switch (k) {
      case kind::int8: return taken<std::int8_t>();
      case kind::uint8: return taken<std::uint8_t>();
      case kind::int16: return taken<std::int16_t>();
      case kind::uint16: return taken<std::uint16_t>();
      case kind::int32: return taken<std::int32_t>();
      case kind::uint32: return taken<std::uint32_t>();
      case kind::float32: return static_cast<double>(taken<float>());
      case kind::float64: return taken<double>();
    }
    return 0;
  }

  std::string_view bytes_, name_;
  std::size_t at_ = 0;
  form form_ = form::ascii;
  std::vector<element> elements_ = {};
  mesh made_ = {};
};

}  // namespace

mesh read_ply(std::string_view bytes, std::string_view name) { return ply_reader(bytes, name).read(); }

}  // namespace ensue
