/// All rooted trees of a given order, and the elementary weights of a table on them: the order conditions of
/// order_conditions.hpp without the limit to order 5. For tests and for tables typed at run time; no solver includes
/// it.
///
/// A tree of more than one vertex is kept as trunk ∘ graft (Butcher's product): the tree `trunk`, with the root of
/// `graft` hung under its root as the last child. If children are hung in the order in which trees were generated,
/// every tree arises exactly once (1, 1, 2, 4, 9, 20, 48, 115, 286, 719 for orders 1 … 10), and
///
///     Φ(trunk ∘ graft) = Φ(trunk) · (A Φ(graft))              stage by stage
///     γ(trunk ∘ graft) = γ(trunk) γ(graft) |trunk ∘ graft| / |trunk|
///
/// so a new tree costs one product of vectors and at most one product with A.
/// (Hairer, Nørsett & Wanner, Solving ODEs I, II.2; Butcher, Numerical Methods for ODEs, section 300.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ensue {

struct rooted_tree {
  int order = 1;             ///< number of vertices
  int trunk = -1;            ///< number of the tree without its last child; −1 for the single vertex
  int graft = -1;            ///< number of that child
  std::int64_t density = 1;  ///< γ
};

/// Every tree with at most `highest_order` vertices, by order; tree 0 is the single vertex. 1205 trees at order 10.
std::vector<rooted_tree> rooted_trees(int highest_order);

/// "τ", "[τ]", "[[τ]τ]": a root is a pair of brackets around its subtrees.
std::string bracket_notation(const std::vector<rooted_tree>& trees, int tree);

/// Φ of each tree for one table, computed when first asked for. A may be any square matrix; a row shorter than the
/// number of stages ends in zeros. Row sums are taken to be right: a leaf is c. Keeps references to all three
/// arguments.
class elementary_weights {
 public:
  /// One number a stage, and how large it would be had nothing cancelled (with |A| and |c|): the scale of its rounding.
  struct weight {
    std::vector<long double> value, size;
  };

  elementary_weights(const std::vector<long double>& c, const std::vector<std::vector<long double>>& a,
                     const std::vector<rooted_tree>& trees);

  const weight& operator[](int tree);

 private:
  const weight& with_new_root(int tree);  // A Φ(tree)

  const std::vector<long double>& c_;
  const std::vector<std::vector<long double>>& a_;
  const std::vector<rooted_tree>& trees_;
  std::vector<weight> of_, with_new_root_;
};

}  // namespace ensue
