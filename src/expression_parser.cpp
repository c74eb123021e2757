// Text to tree: a lexer and a recursive descent over five levels of precedence,
//
//   comparison   sum [(< <= > >= == !=) sum]
//   sum          product {(+ -) product}
//   product      signed {(* /) signed}
//   signed       {+ -} power
//   power        primary [^ signed]              right to left, and before the sign: -x^2 is -(x^2), 2^-1 is 1/2
//   primary      number | name | name(comparison, …) | (comparison)
#include "expression.hpp"

#include <charconv>
#include <limits>
#include <numbers>

namespace ensue::expression {
namespace {

enum class token_kind : std::uint8_t { number, name, symbol, end };

struct token {
  token_kind what = token_kind::end;
  std::size_t offset = 0;
  std::string_view text = {};
  double value = 0;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 40;
  return "`" + std::string(text.substr(0, most)) + (text.size() > most ? "…`" : "`");
}

std::string shown(const token& t) { return t.what == token_kind::end ? "the end of the expression" : quoted(t.text); }

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
    for (const std::string_view known : {"<=", ">=", "==", "!="})
      if (two == known) return taken(token_kind::symbol, 2);
    if (two == "**") throw fault{at_, "found `**`, expected an operator: a power is written `^`"};
    if (two == "&&" || two == "||")
      throw fault{at_, "found " + quoted(two) + ", expected one comparison: put one if(…) inside another"};
    const char c = text_[at_];
    if (c == '=') throw fault{at_, "found `=`, expected an operator: equality is written `==`"};
    if (c == '[')
      throw fault{
          at_,
          "found `[`: indexed families are not yet supported by this version, expected an expression without them"};
    if (std::string_view("+-*/^(),<>").find(c) != std::string_view::npos) return taken(token_kind::symbol, 1);
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

class parser {
 public:
  explicit parser(std::string_view text) : lexer_(text) { advance(); }

  tree whole() {
    const value root = comparison();
    if (now_.what != token_kind::end) throw fault{now_.offset, unexpected("an operator or the end of the expression")};
    number_of(root);
    return std::move(tree_);
  }

 private:
  struct value {
    std::uint32_t node;
    kind type;
    std::size_t offset;  // where it starts
  };

  void advance() {
    before_ = now_;
    now_ = lexer_.next();
  }
  bool is(std::string_view symbol) const { return now_.what == token_kind::symbol && now_.text == symbol; }
  bool take(std::string_view symbol) {
    if (!is(symbol)) return false;
    advance();
    return true;
  }
  void expect(std::string_view symbol, std::string_view expected) {
    if (!take(symbol)) throw fault{now_.offset, unexpected(expected)};
  }

  // "found `x`, expected an operator"; with a remedy where two values stand side by side.
  std::string unexpected(std::string_view expected) const {
    std::string what = "found " + shown(now_) + ", expected " + std::string(expected);
    const bool after_value =
        before_.what == token_kind::number || before_.what == token_kind::name || before_.text == ")";
    const bool begins_value = now_.what == token_kind::number || now_.what == token_kind::name || now_.text == "(";
    if (after_value && begins_value)
      what += "; to multiply, write `" + std::string(before_.text) + "*" + std::string(now_.text) + "`";
    return what;
  }

  value made(operation what, std::size_t offset, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0,
             double number = 0) {
    if (tree_.nodes.size() >= most_nodes)
      throw fault{offset, "the expression has more than " + std::to_string(most_nodes) +
                              " parts, expected fewer: split it with [definitions]"};
    tree_.nodes.push_back({what, a, b, c, number});
    return {static_cast<std::uint32_t>(tree_.nodes.size() - 1), is_comparison(what) ? kind::condition : kind::number,
            offset};
  }

  static std::uint32_t number_of(const value& v) {
    if (v.type != kind::number)
      throw fault{v.offset, "found a comparison, expected a number: if(…, 1, 0) makes one of it"};
    return v.node;
  }
  static std::uint32_t condition_of(const value& v) {
    if (v.type != kind::condition)
      throw fault{v.offset, "found a number, expected a comparison such as x > 0 as the first argument of `if`"};
    return v.node;
  }

  std::optional<operation> comparison_sign() const {
    if (now_.what != token_kind::symbol) return {};
    if (now_.text == "<") return operation::less;
    if (now_.text == "<=") return operation::less_equal;
    if (now_.text == ">") return operation::greater;
    if (now_.text == ">=") return operation::greater_equal;
    if (now_.text == "==") return operation::equal;
    if (now_.text == "!=") return operation::not_equal;
    return {};
  }

  value comparison() {
    const value left = sum();
    const auto what = comparison_sign();
    if (!what) return left;
    advance();
    const value right = sum();
    if (comparison_sign())
      throw fault{now_.offset,
                  "found a second comparison, " + shown(now_) + ", expected one: put one if(…) inside another"};
    return made(*what, left.offset, number_of(left), number_of(right));
  }

  value sum() {
    value left = product();
    while (is("+") || is("-")) {
      const operation what = is("+") ? operation::add : operation::subtract;
      advance();
      const value right = product();
      left = made(what, left.offset, number_of(left), number_of(right));
    }
    return left;
  }

  value product() {
    value left = with_sign();
    while (is("*") || is("/")) {
      const operation what = is("*") ? operation::multiply : operation::divide;
      advance();
      const value right = with_sign();
      left = made(what, left.offset, number_of(left), number_of(right));
    }
    return left;
  }

  // Every way deeper passes here, so here depth is counted.
  value with_sign() {
    if (++depth_ > most_nesting)
      throw fault{now_.offset, "the expression is nested deeper than " + std::to_string(most_nesting) +
                                   " levels, expected fewer: split it with [definitions]"};
    const std::size_t offset = now_.offset;
    bool negative = false, sign = false;
    for (; is("+") || is("-"); advance()) {
      negative ^= is("-");
      sign = true;
    }
    value v = power();
    if (sign) number_of(v);
    if (negative) v = made(operation::negate, offset, v.node);
    --depth_;
    return v;
  }

  value power() {
    const value base = primary();
    if (!take("^")) return base;
    const value exponent = with_sign();
    return made(operation::pow, base.offset, number_of(base), number_of(exponent));
  }

  value primary() {
    const token here = now_;
    if (here.what == token_kind::number) {
      advance();
      return made(operation::constant, here.offset, 0, 0, 0, here.value);
    }
    if (here.what == token_kind::name) {
      advance();
      return is("(") ? call(here) : named(here);
    }
    if (take("(")) {
      value inside = comparison();
      expect(")", "`)` or an operator");
      inside.offset = here.offset;
      return inside;
    }
    throw fault{here.offset, unexpected("a number, a name or `(`")};
  }

  value named(const token& here) {
    if (here.text == "pi") return made(operation::constant, here.offset, 0, 0, 0, std::numbers::pi);
    if (here.text == "e") return made(operation::constant, here.offset, 0, 0, 0, std::numbers::e);
    for (const function& f : functions())
      if (f.name == here.text)
        throw fault{here.offset, "found " + quoted(here.text) + " without arguments, expected " + quoted(here.text) +
                                     " followed by `(`"};
    const auto [at, is_new] = names_.try_emplace(here.text, static_cast<std::uint32_t>(tree_.names.size()));
    if (is_new) tree_.names.push_back({std::string(here.text), here.offset});
    return made(operation::variable, here.offset, at->second);
  }

  value call(const token& here) {
    if (here.text == "sum")
      throw fault{here.offset,
                  "found `sum`: sums over an index are not yet supported by this version, expected them written out"};
    const function& f = known_function(here);
    expect("(", "`(`");
    std::vector<value> arguments;
    do {
      if (arguments.size() == static_cast<std::size_t>(f.most))
        throw fault{now_.offset, "found one more argument of `" + std::string(f.name) + "`, expected " + counted(f)};
      arguments.push_back(comparison());
    } while (take(","));
    if (is(")") && arguments.size() < static_cast<std::size_t>(f.fewest))
      throw fault{now_.offset, "found the end of the arguments of `" + std::string(f.name) + "` after " +
                                   std::to_string(arguments.size()) + ", expected " + counted(f)};
    expect(")", arguments.size() < static_cast<std::size_t>(f.most) ? "`,`, `)` or an operator" : "`)` or an operator");
    if (f.what == operation::choose)
      return made(f.what, here.offset, condition_of(arguments[0]), number_of(arguments[1]), number_of(arguments[2]));
    const std::uint32_t first = number_of(arguments[0]);
    if (f.fewest == 1) return made(f.what, here.offset, first);
    value folded = made(f.what, here.offset, first, number_of(arguments[1]));  // min(a, b, c) is min(min(a, b), c)
    for (std::size_t i = 2; i < arguments.size(); ++i)
      folded = made(f.what, here.offset, folded.node, number_of(arguments[i]));
    return folded;
  }

  static const function& known_function(const token& here) {
    std::vector<std::string> names;
    for (const function& f : functions()) {
      if (f.name == here.text) return f;
      names.emplace_back(f.name);
    }
    const std::string hint = did_you_mean(here.text, names);
    throw fault{here.offset, "unknown function " + quoted(here.text) +
                                 (hint.empty() ? ", expected a known one, or `*` before the `(` to multiply" : hint)};
  }

  static std::string counted(const function& f) {
    return std::to_string(f.fewest) + (f.most > f.fewest ? " or more" : "") +
           (f.most == 1 ? " argument" : " arguments");
  }

  lexer lexer_;
  token now_, before_;
  tree tree_;
  std::unordered_map<std::string_view, std::uint32_t> names_;
  int depth_ = 0;
};

constexpr int any_number = std::numeric_limits<int>::max();
constexpr function known_functions[] = {
    {"if", operation::choose, 3, 3},        {"min", operation::min, 2, any_number},
    {"max", operation::max, 2, any_number}, {"abs", operation::abs, 1, 1},
    {"sign", operation::sign, 1, 1},        {"floor", operation::floor, 1, 1},
    {"ceil", operation::ceil, 1, 1},        {"sqrt", operation::sqrt, 1, 1},
    {"cbrt", operation::cbrt, 1, 1},        {"exp", operation::exp, 1, 1},
    {"log", operation::log, 1, 1},          {"log10", operation::log10, 1, 1},
    {"pow", operation::pow, 2, 2},          {"hypot", operation::hypot, 2, any_number},
    {"sin", operation::sin, 1, 1},          {"cos", operation::cos, 1, 1},
    {"tan", operation::tan, 1, 1},          {"asin", operation::asin, 1, 1},
    {"acos", operation::acos, 1, 1},        {"atan", operation::atan, 1, 1},
    {"atan2", operation::atan2, 2, 2},      {"sinh", operation::sinh, 1, 1},
    {"cosh", operation::cosh, 1, 1},        {"tanh", operation::tanh, 1, 1},
};

}  // namespace

std::span<const function> functions() { return known_functions; }

parsed parse(std::string_view text) {
  try {
    return {parser(text).whole(), {}};
  } catch (const fault& f) {
    return {{}, f};
  }
}

tree number(double value) { return {{{operation::constant, 0, 0, 0, value}}, {}}; }

bool is_name(std::string_view text) {
  if (text.empty() || !is_letter(text[0])) return false;
  for (const char c : text)
    if (!is_letter(c) && !is_digit(c)) return false;
  return true;
}

std::string_view reserved_meaning(std::string_view name) {
  if (name == "t") return "time";
  if (name == "pi") return "the constant 3.14159…";
  if (name == "e") return "the constant 2.71828…";
  if (name == "sum") return "a function";
  for (const function& f : known_functions)
    if (f.name == name) return "a function";
  return {};
}

}  // namespace ensue::expression
