// Text to tree: a recursive descent over five levels of precedence,
//
//   comparison   sum [(< <= > >= == !=) sum]
//   sum          product {(+ -) product}
//   product      signed {(* /) signed}
//   signed       {+ -} power
//   power        primary [^ signed]              right to left, and before the sign: -x^2 is -(x^2), 2^-1 is 1/2
//   primary      number | name | name[sum, sum] | name(comparison, …) | sum(name=sum..sum, sum) | (comparison)
//
// What stands in brackets, and what a sum runs over, are trees of their own: they are computed for each value of an index.
#include "expressions/expression_lexer.hpp"

#include <numbers>
#include <utility>

namespace ensue::expression {
namespace {

class parser {
 public:
  explicit parser(std::string_view text) : text_(text), lexer_(text) { advance(); }

  tree whole() {
    const value root = comparison();
    if (now_.what != token_kind::end) throw fault{now_.offset, unexpected("an operator or the end of the expression")};
    number_of(root);
    return std::move(tree_);
  }

  // name[index, index], where an index is a range i=1..N or a number.
  subject whole_subject() {
    const token here = now_;
    if (here.what != token_kind::name) throw fault{here.offset, unexpected("a name")};
    advance();
    subject result{std::string(here.text), {}, {}};
    expect("[", "`[`");
    do {
      if (result.indices.size() == 2) throw fault{now_.offset, "found a third index, expected one or two"};
      result.indices.push_back(range());
    } while (take(","));
    expect("]", "`,`, `]` or an operator");
    take_prime(result.name);
    if (now_.what != token_kind::end) throw fault{now_.offset, unexpected("the end of the name")};
    return result;
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
    if (is("=")) return "found `=`, expected an operator: equality is written `==`";
    std::string what = "found " + shown(now_) + ", expected " + std::string(expected);
    const bool after_value = before_.what == token_kind::number || before_.what == token_kind::name ||
                             before_.text == ")" || before_.text == "]";
    const bool begins_value = now_.what == token_kind::number || now_.what == token_kind::name || now_.text == "(";
    if (after_value && begins_value)
      what += "; to multiply, write `" + std::string(before_.text) + "*" + std::string(now_.text) + "`";
    return what;
  }

  value made(operation what, std::size_t offset, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0,
             double number = 0) {
    if (++size_ > most_nodes)
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
      if (is("[")) return element(here);
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
    return variable({std::string(here.text), here.offset});
  }

  // What is written alike is one name.
  value variable(tree::name name) {
    const std::size_t offset = name.offset;
    const std::string_view written = text_.substr(offset, before_.offset + before_.text.size() - offset);
    const auto [at, is_new] = names_.try_emplace(written, static_cast<std::uint32_t>(tree_.names.size()));
    if (is_new) tree_.names.push_back(std::move(name));
    return made(operation::variable, offset, at->second);
  }

  // A tree of its own inside the one that is being parsed.
  tree inner() {
    tree outer = std::exchange(tree_, {});
    auto outer_names = std::exchange(names_, {});
    number_of(comparison());
    names_ = std::move(outer_names);
    return std::exchange(tree_, std::move(outer));
  }

  value element(const token& here) {
    tree::name name{std::string(here.text), here.offset, tree::name::form::element, {}};
    advance();
    do {
      if (name.parts.size() == 2) throw fault{now_.offset, "found a third index, expected one or two"};
      name.parts.push_back(inner());
    } while (take(","));
    expect("]", "`,`, `]` or an operator");
    take_prime(name.text);
    return variable(std::move(name));
  }

  // The velocity of u[i] may be written u[i]' and u'[i].
  void take_prime(std::string& name) {
    if (!is("'")) return;
    if (name.back() == '\'')
      throw fault{now_.offset, "found a second `'`, expected one: u[1]' is the velocity of u[1]"};
    name += '\'';
    advance();
  }

  index_range range() {
    lexer ahead = lexer_;
    if (now_.what != token_kind::name || ahead.next().text != "=") return {{}, inner(), {}};
    index_range result{std::string(now_.text), {}, {}};
    if (!reserved_meaning(result.name).empty() || result.name.back() == '\'')
      throw fault{now_.offset, "found " + quoted(result.name) + ", expected an index such as i"};
    advance();
    advance();
    result.first = inner();
    expect("..", "`..` or an operator: a range is written i=1..N");
    result.last = inner();
    return result;
  }

  value summation(const token& here) {
    advance();
    index_range over = range();
    if (over.name.empty()) throw fault{here.offset, "found `sum` without a range, expected sum(i=1..N, …)"};
    expect(",", "`,` or an operator");
    tree terms = inner();
    expect(")", "`)` or an operator");
    std::vector<tree> parts;
    for (tree* part : {&over.first, &over.last, &terms}) parts.push_back(std::move(*part));
    return variable({std::move(over.name), here.offset, tree::name::form::sum, std::move(parts)});
  }

  value call(const token& here) {
    if (here.text == "sum") return summation(here);
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

  std::string_view text_;
  lexer lexer_;
  token now_, before_;
  tree tree_;
  std::size_t size_ = 0;  // of all trees together
  std::unordered_map<std::string_view, std::uint32_t> names_;
  int depth_ = 0;
};

}  // namespace

parsed parse(std::string_view text) {
  try {
    return {parser(text).whole(), {}};
  } catch (const fault& f) {
    return {{}, f};
  }
}

subject parse_subject(std::string_view text) {
  try {
    return parser(text).whole_subject();
  } catch (const fault& f) {
    return {{}, {}, f};
  }
}

tree number(double value) { return {{{operation::constant, 0, 0, 0, value}}, {}}; }

}  // namespace ensue::expression
