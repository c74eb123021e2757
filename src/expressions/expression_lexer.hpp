/// Text of an expression, or of a name with indices, to tokens. What belongs to neither is thrown as a `fault`.
#pragma once

#include "expressions/expression.hpp"

#include <charconv>

namespace ensue::expression {

enum class token_kind : std::uint8_t { number, name, symbol, end };

struct token {
  token_kind what = token_kind::end;
  std::size_t offset = 0;
  std::string_view text = {};
  double value = 0;
};

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

inline std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  return "`" + std::string(text.substr(0, most)) + (text.size() > most ? "…`" : "`");
}

inline std::string shown(const token& t) {
  return t.what == token_kind::end ? "the end of the expression" : quoted(t.text);
}

class lexer {
 public:
  explicit lexer(std::string_view text) : text_(text) {}

  token next() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
    if (at_ == text_.size()) return {token_kind::end, at_, {}};
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (is_letter(c)) return name();
    return symbol();
  }

 private:
  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  token taken(token_kind what, std::size_t length) {
    const token t{what, at_, text_.substr(at_, length)};
    at_ += length;
    return t;
  }

  token number() {
    std::size_t n = 0;
    while (is_digit(peek(n))) ++n;
    if (peek(n) == '.' && peek(n + 1) != '.') {
      ++n;
      while (is_digit(peek(n))) ++n;
    }
    if (peek(n) == 'e' || peek(n) == 'E') {
      const std::size_t digits = n + (peek(n + 1) == '+' || peek(n + 1) == '-' ? 2 : 1);
      if (is_digit(peek(digits))) {
        n = digits;
        while (is_digit(peek(n))) ++n;
      }
    }
    token t = taken(token_kind::number, n);
    if (std::from_chars(t.text.data(), t.text.data() + n, t.value).ec == std::errc::result_out_of_range)
      throw fault{t.offset, quoted(t.text) + " is out of the range of numbers, expected one between 1e-307 and 1e308"};
    return t;
  }

  token name() {
    std::size_t n = 1;
    while (is_letter(peek(n)) || is_digit(peek(n))) ++n;
    if (peek(n) == '\'') ++n;
    if (peek(n) == '\'')
      throw fault{at_ + n, "found a second `'` after " + quoted(text_.substr(at_, n)) +
                               ", expected one: x' is the velocity of x"};
    return taken(token_kind::name, n);
  }

  token symbol() {
    const std::string_view two = text_.substr(at_, 2);
    for (const std::string_view known : {"<=", ">=", "==", "!=", ".."})
      if (two == known) return taken(token_kind::symbol, 2);
    if (two == "**") throw fault{at_, "found `**`, expected an operator: a power is written `^`"};
    if (two == "&&" || two == "||")
      throw fault{at_, "found " + quoted(two) + ", expected one comparison: put one if(…) inside another"};
    const char c = text_[at_];
    if (std::string_view("+-*/^(),<>=[]'").find(c) != std::string_view::npos) return taken(token_kind::symbol, 1);
    throw fault{at_, "found " + character() + ", expected a number, a name or an operator"};
  }

  // A character that no expression holds, whole if it takes several bytes.
  std::string character() const {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte < 0x20 || byte == 0x7f) return "a control character";
    const std::size_t length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return quoted(text_.substr(at_, length));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace ensue::expression
