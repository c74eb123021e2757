#include "problems/problem_scope.hpp"

#include "problems/problem_words.hpp"

#include <algorithm>
#include <cmath>

namespace ensue {

using expression::fault;
using expression::operation;
using expression::tree;
using form = bound_expression::meaning::form;

bound_expression problem_scope::bind(const tree& tree, index_names& indices) const {
  bound_expression result{&tree};
  for (const auto& name : tree.names) {
    bound_expression::meaning means;
    means.name = &name;
    const auto index = std::find(indices.begin(), indices.end(), name.text);
    if (name.what == tree::name::form::sum) {
      means.what = form::sum;
      means.parts = {bind(name.parts[0], indices), bind(name.parts[1], indices)};
      indices.push_back(name.text);
      means.parts.push_back(bind(name.parts[2], indices));
      indices.pop_back();
    } else if (name.what == tree::name::form::element) {
      means.what = form::element;
      means.elements = &families.at(name.text);
      for (const auto& part : name.parts) means.parts.push_back(bind(part, indices));
    } else if (index != indices.end()) {
      means.what = form::index;
      means.index = static_cast<std::size_t>(index - indices.begin());
    } else {
      means.node = single.at(name.text);
    }
    result.names.push_back(std::move(means));
  }
  return result;
}

void problem_scope::count_work(std::size_t& counted, std::size_t times, std::size_t nodes, bool inserted,
                               std::size_t offset) {
  const std::size_t each = nodes * (inserted ? cheaper : 1);
  if (times > (cheaper * most_operations - counted) / each)
    throw fault{offset, "the problem has more than " + std::to_string(most_operations) +
                            " operations when its families and sums are written out, expected fewer"};
  counted += times * each;
}

namespace {

// With the trees inside it.
std::size_t size_of(const tree& tree) {
  std::size_t size = tree.nodes.size();
  for (const auto& name : tree.names)
    for (const auto& part : name.parts) size += size_of(part);
  return size;
}

}  // namespace

void problem_scope::reserve_work(std::size_t times, const tree& tree, bool inserted) {
  count_work(reserved_, times, size_of(tree), inserted, at_value);
}

std::int64_t problem_scope::whole_number(const bound_expression& what, index_values& indices, std::size_t offset,
                                         std::string_view called) {
  const double value = number(what, indices);
  if (value != std::floor(value) || !(std::abs(value) <= largest_index))
    throw fault{offset, "an index of `" + std::string(called) + "` is " + shown(value) +
                            ", expected a whole number between -1e9 and 1e9"};
  return static_cast<std::int64_t>(value);
}

// A sum runs from its first index to its last, in this order; one that ends before it begins has no terms.
template <class Term>
void problem_scope::each_term(const bound_expression::meaning& sum, index_values& indices, bool inserted, Term term) {
  const std::int64_t first = whole_number(sum.parts[0], indices, sum.name->offset, "sum");
  const std::int64_t last = whole_number(sum.parts[1], indices, sum.name->offset, "sum");
  if (last < first) return;
  std::size_t afterwards = work_;
  count_work(afterwards, static_cast<std::size_t>(last - first + 1), sum.parts[2].tree->nodes.size(), inserted,
             sum.name->offset);
  for (std::int64_t i = first; i <= last; ++i) {
    indices.push_back(static_cast<double>(i));
    term(sum.parts[2]);
    indices.pop_back();
  }
}

double problem_scope::number(const bound_expression& what, index_values& indices) {
  count_work(work_, 1, what.tree->nodes.size(), false, at_value);
  const std::size_t base = values_.size();
  for (const tree::node& n : what.tree->nodes) {
    double value = n.value;
    if (n.what == operation::variable) {
      const auto& means = what.names[n.a];
      value = 0;
      if (means.what == form::node) value = graph[means.node].value;
      else if (means.what == form::index) value = indices[means.index];
      else if (means.what == form::sum)
        each_term(means, indices, false, [&](const bound_expression& term) { value += number(term, indices); });
    } else if (n.what != operation::constant) {
      value = expression::compute(n.what, values_[base + n.a], values_[base + n.b], values_[base + n.c]);
    }
    values_.push_back(value);
  }
  const double result = values_.back();
  values_.resize(base);
  return result;
}

problem_scope::id problem_scope::insert(const bound_expression& what, index_values& indices) {
  count_work(work_, 1, what.tree->nodes.size(), true, at_value);
  std::vector<id> meanings;
  meanings.reserve(what.names.size());
  for (const auto& means : what.names) switch (means.what) {
      case form::node: meanings.push_back(means.node); break;
      case form::index: meanings.push_back(graph.constant(indices[means.index])); break;
      case form::element: meanings.push_back(element(means, indices)); break;
      case form::sum: {
        id sum = graph.constant(0);
        each_term(means, indices, true, [&](const bound_expression& term) {
          sum = graph.apply(operation::add, sum, insert(term, indices));  // 0 + x is x
        });
        meanings.push_back(sum);
      }
    }
  return graph.insert(*what.tree, meanings);
}

problem_scope::id problem_scope::element(const bound_expression::meaning& what, index_values& indices) {
  const std::size_t count = what.parts.size(), offset = what.name->offset;
  element_index at = {0, 0};
  for (std::size_t k = 0; k < count; ++k) at[k] = whole_number(what.parts[k], indices, offset, what.name->text);
  const id found = what.elements->find(at);
  if (element_table::is_node(found)) return found;
  const std::string& family = what.name->text;
  const std::string found_what = "found `" + element_name(family, count, at) + "`, ";
  if (found == element_table::not_yet)
    throw fault{offset, found_what + "which is not computed yet, expected an element of an earlier line or index"};
  const index_box& box = what.elements->box();
  throw fault{offset, found_what + "which is not there, expected an element between `" +
                          element_name(family, count, box.first) + "` and `" + element_name(family, count, box.last) +
                          "`, or a line for it in [boundary]"};
}

}  // namespace ensue
