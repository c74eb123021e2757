#include <ensue/methods/explicit/rooted_trees.hpp>

#include <ensue/methods/explicit/order_conditions.hpp>
#include <ensue/methods/explicit/runtime_tableau.hpp>

#include "support/methods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace {

using namespace ensue;

/// OEIS A000081.
TEST(rooted_trees, are_as_many_as_there_should_be) {
  const int count[] = {0, 1, 1, 2, 4, 9, 20, 48, 115, 286, 719};
  std::map<int, int> found;
  for (const rooted_tree& tree : rooted_trees(10)) ++found[tree.order];
  for (int order = 1; order <= 10; ++order) EXPECT_EQ(found[order], count[order]) << "order " << order;
  EXPECT_EQ(rooted_trees(9).size(), 486u);
  EXPECT_EQ(rooted_trees(1).size(), 1u);
  EXPECT_TRUE(rooted_trees(0).empty());
}

TEST(rooted_trees, of_order_four_are_written_as_in_the_books) {
  const auto trees = rooted_trees(4);
  std::map<std::string, std::int64_t> density;
  for (std::size_t i = 0; i < trees.size(); ++i)
    density[bracket_notation(trees, static_cast<int>(i))] = trees[i].density;
  const std::map<std::string, std::int64_t> book = {{"τ", 1},     {"[τ]", 2},    {"[ττ]", 3},    {"[[τ]]", 6},
                                                    {"[τττ]", 4}, {"[[τ]τ]", 8}, {"[[ττ]]", 12}, {"[[[τ]]]", 24}};
  EXPECT_EQ(density, book);
}

/// The definitions of order, γ and Φ read off the brackets, with none of the generator's bookkeeping.
struct by_definition {
  int order = 1;
  std::int64_t density = 1;
  std::vector<long double> phi;
};

by_definition read(std::string_view& text, const runtime_tableau& table) {
  constexpr std::string_view leaf = "τ";
  by_definition tree;
  tree.phi.assign(table.c.size(), 1);
  if (text.substr(0, leaf.size()) == leaf) {
    text.remove_prefix(leaf.size());
    return tree;
  }
  text.remove_prefix(1);
  while (text.front() != ']') {
    const by_definition child = read(text, table);
    tree.order += child.order;
    tree.density *= child.density;
    for (std::size_t i = 0; i < table.c.size(); ++i) {
      long double sum = 0;
      for (std::size_t j = 0; j < table.a[i].size(); ++j) sum += table.a[i][j] * child.phi[j];
      tree.phi[i] *= sum;
    }
  }
  text.remove_prefix(1);
  tree.density *= tree.order;
  return tree;
}

TEST(rooted_trees, have_the_weights_of_the_definition) {
  const runtime_tableau table = runtime_tableau::from(dp54::table);
  const auto trees = rooted_trees(8);
  elementary_weights weights(table.c, table.a, trees);
  std::set<std::string> names;
  for (int tree = 0; tree < static_cast<int>(trees.size()); ++tree) {
    const std::string name = bracket_notation(trees, tree);
    EXPECT_TRUE(names.insert(name).second) << name << " occurs twice";
    std::string_view text = name;
    const by_definition wanted = read(text, table);
    EXPECT_TRUE(text.empty()) << name;
    EXPECT_EQ(trees[tree].order, wanted.order) << name;
    EXPECT_EQ(trees[tree].density, wanted.density) << name;
    for (int i = 0; i < table.stages(); ++i) {
      const auto& weight = weights[tree];
      EXPECT_NEAR(weight.value[i], wanted.phi[i], 1e-17L * weight.size[i]) << name << ", stage " << i;
      EXPECT_GE(weight.size[i], std::fabs(weight.value[i]) * (1 - 1e-15L)) << name << ", stage " << i;
    }
  }
}

/// The 17 conditions written out for compile time are the generated ones, whichever order they come in.
TEST(rooted_trees, agree_with_the_conditions_written_out) {
  detail::elementary_weights<dp54::table.stages> written;
  detail::compute_weights(dp54::table, 5, written);
  const runtime_tableau table = runtime_tableau::from(dp54::table);
  const auto trees = rooted_trees(5);
  elementary_weights weights(table.c, table.a, trees);
  ASSERT_EQ(trees.size(), 17u);
  std::set<int> matched;
  for (int tree = 0; tree < 17; ++tree)
    for (int k = 0; k < 17; ++k) {
      bool same = trees[tree].density == static_cast<std::int64_t>(detail::tree_density[k]);
      for (int i = 0; i < table.stages(); ++i)
        same = same && std::fabs(weights[tree].value[i] - written.of[k][i]) <= 1e-17L * weights[tree].size[i];
      if (same && !matched.insert(k).second) ADD_FAILURE() << bracket_notation(trees, tree) << " was there before";
    }
  EXPECT_EQ(matched.size(), 17u);
}

}  // namespace
