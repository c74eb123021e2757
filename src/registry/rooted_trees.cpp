#include <ensue/methods/explicit/rooted_trees.hpp>

#include <algorithm>
#include <cmath>

namespace ensue {

std::vector<rooted_tree> rooted_trees(int highest_order) {
  std::vector<rooted_tree> trees;
  if (highest_order < 1) return trees;
  trees.push_back({});
  std::vector<std::size_t> first = {0, 0, 1};  // first[n]: number of the first tree of order n
  for (int order = 2; order <= highest_order; ++order) {
    for (int grafted = 1; grafted < order; ++grafted)
      for (std::size_t graft = first[grafted]; graft < first[grafted + 1]; ++graft)
        for (std::size_t trunk = first[order - grafted]; trunk < first[order - grafted + 1]; ++trunk) {
          // children in the order of their numbers, so that no tree arises twice
          if (trees[trunk].graft > static_cast<int>(graft)) continue;
          const std::int64_t density = trees[trunk].density * trees[graft].density * order / (order - grafted);
          trees.push_back({order, static_cast<int>(trunk), static_cast<int>(graft), density});
        }
    first.push_back(trees.size());
  }
  return trees;
}

std::string bracket_notation(const std::vector<rooted_tree>& trees, int tree) {
  if (tree == 0) return "τ";
  std::string text = "[";
  for (; tree != 0; tree = trees[tree].trunk) text += bracket_notation(trees, trees[tree].graft);
  return text + "]";
}

elementary_weights::elementary_weights(const std::vector<long double>& c,
                                       const std::vector<std::vector<long double>>& a,
                                       const std::vector<rooted_tree>& trees)
    : c_(c), a_(a), trees_(trees), of_(trees.size()), with_new_root_(trees.size()) {}

const elementary_weights::weight& elementary_weights::operator[](int tree) {
  weight& result = of_[tree];
  if (!result.value.empty()) return result;
  const std::size_t stages = c_.size();
  if (tree == 0) {
    result = {std::vector<long double>(stages, 1), std::vector<long double>(stages, 1)};
    return result;
  }
  const weight& trunk = (*this)[trees_[tree].trunk];
  const weight& graft = with_new_root(trees_[tree].graft);
  result = trunk;
  for (std::size_t i = 0; i < stages; ++i) {
    result.value[i] *= graft.value[i];
    result.size[i] *= graft.size[i];
  }
  return result;
}

const elementary_weights::weight& elementary_weights::with_new_root(int tree) {
  weight& result = with_new_root_[tree];
  if (!result.value.empty()) return result;
  const std::size_t stages = c_.size();
  result = {std::vector<long double>(stages, 0), std::vector<long double>(stages, 0)};
  if (tree == 0) {
    result.value = c_;
    for (std::size_t i = 0; i < stages; ++i) result.size[i] = std::fabs(c_[i]);
    return result;
  }
  const weight& below = (*this)[tree];
  for (std::size_t i = 0; i < stages; ++i)
    for (std::size_t j = 0; j < std::min(stages, a_[i].size()); ++j) {
      result.value[i] += a_[i][j] * below.value[j];
      result.size[i] += std::fabs(a_[i][j]) * below.size[j];
    }
  return result;
}

}  // namespace ensue
