// Names in problem files: which may be given, what an expression may use, in which order definitions can be computed.
#include "problems/problem_reader.hpp"
#include "problems/problem_words.hpp"

#include <algorithm>

namespace ensue {

bool problem_reader::may_be_called(const entry& what) {
  const std::string& name = what.name;
  const auto refuse = [&](const std::string& why) {
    refused_.insert(name);
    error(what.source->key_at, "found `" + name + "`" + why);
    return false;
  };
  if (name.find('[') != std::string::npos) return refuse(", expected a name without indices");
  if (name.size() > 1 && name.back() == '\'')
    return refuse(", expected a name without `'`: x' is the velocity of x, which stands in [velocity] as x");
  if (!expression::is_name(name)) return refuse(", expected a name: a letter or _, then letters, digits or _");
  if (name == "title" || name == "from" || name == "to")
    return refuse(" in a section, expected it above the first one");
  if (const auto meaning = expression::reserved_meaning(name); !meaning.empty())
    return refuse(", which is " + std::string(meaning) + ", expected another name");
  return true;
}

void problem_reader::declare(const items& all, meaning what) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (what != meaning::velocity && !may_be_called(all[i])) continue;
    const place& where = all[i].source->key_at;
    const std::size_t indices = all[i].indices.size();
    const auto [known, is_new] = names_.try_emplace(all[i].name, symbol{what, i, indices, where});
    const symbol& first = known->second;
    if (is_new || (indices > 0 && first.what == what && first.indices == indices)) continue;  // more of a family
    refused_.insert(all[i].name);
    error(where, "found `" + all[i].source->key + "` again, expected another name: line " +
                     std::to_string(first.where.line) + " has it already");
  }
}

// ---- inside expressions ----

void problem_reader::check_names(const items& all, const permission& may) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    checked now{all[i], i, true, {}};
    for (const expression::index_range& index : all[i].indices) {
      check_tree(index.first, now, parameters_only);
      check_tree(index.last, now, parameters_only);
    }
    for (const expression::index_range& index : all[i].indices) {
      if (index.name.empty()) continue;
      check_index(index.name, 0, now);
      now.indices.push_back(index.name);
    }
    now.in_key = false;
    check_tree(all[i].value, now, may);
  }
}

place problem_reader::where(const checked& now, std::size_t offset) const {
  return now.in_key ? document_.at_key(*now.of.source, offset) : document_.at(*now.of.source, offset);
}

// As deep as the parser lets trees stand inside each other.
void problem_reader::check_tree(const expression::tree& tree, checked& now, const permission& may) {
  using form = expression::tree::name::form;
  const permission of_numbers{may.later_parameters, false, false, "a parameter or an index"};
  for (const expression::tree::name& name : tree.names) {
    if (name.what == form::plain && std::find(now.indices.begin(), now.indices.end(), name.text) != now.indices.end())
      continue;
    if (name.what == form::sum) {
      check_tree(name.parts[0], now, of_numbers);
      check_tree(name.parts[1], now, of_numbers);
      check_index(name.text, name.offset, now);
      now.indices.push_back(name.text);
      check_tree(name.parts[2], now, may);
      now.indices.pop_back();
      continue;
    }
    std::string why = why_not(name.text, may, now.position);
    if (why.empty()) why = wrong_indices(name);
    if (!why.empty()) error(where(now, name.offset), std::move(why));
    for (const expression::tree& index : name.parts) check_tree(index, now, of_numbers);
  }
}

void problem_reader::check_index(const std::string& name, std::size_t offset, const checked& now) {
  const bool again = std::find(now.indices.begin(), now.indices.end(), name) != now.indices.end();
  if (again || names_.contains(name))
    error(where(now, offset), "found the index `" + name + "`, which is " +
                                  (again ? "an index already" : "a name of the problem") +
                                  ", expected another name for it");
}

// Why a name may not stand in an expression, the `position`-th of its section; empty if it may.
std::string problem_reader::why_not(const std::string& name, const permission& may, std::size_t position) const {
  const auto refused = [&](std::string_view what) {
    return "found `" + name + "`, " + std::string(what) + ", expected " + std::string(may.expected);
  };
  if (name == "t") return may.time ? "" : refused("which is time");
  const auto found = names_.find(name);
  if (found == names_.end()) return unknown(name, may);
  const symbol& known = found->second;
  switch (known.what) {
    case meaning::parameter:
      if (may.later_parameters || known.position < position) return "";
      return refused(known.position == position ? "which is being given here" : "which stands further below");
    case meaning::component: return may.state ? "" : refused("a component of the state");
    case meaning::velocity: return may.state ? "" : refused("a velocity");
    case meaning::definition:
      if (!may.time) return refused("a definition");
      return may.state || !changing_.contains(name) ? "" : refused("which changes with the state");
  }
  return "";
}

std::string problem_reader::wrong_indices(const expression::tree::name& name) const {
  const auto found = names_.find(name.text);
  const std::size_t expected = found == names_.end() ? 0 : found->second.indices;
  if (name.parts.size() == expected || refused_.contains(name.text)) return "";
  return "found `" + name.text + "` with " + counted_indices(name.parts.size()) + ", expected " +
         counted_indices(expected) +
         (found == names_.end() ? "" : ", as in line " + std::to_string(found->second.where.line));
}

std::string problem_reader::unknown(const std::string& name, const permission& may) const {
  if (name.back() == '\'') {
    const auto base = names_.find(name.substr(0, name.size() - 1));
    if (!second_order_ && base != names_.end() && base->second.what == meaning::component)
      return "found `" + name +
             "`, expected a name without `'`: only problems of second order ([position], [velocity], [acceleration]) "
             "have velocities";
  }
  if (refused_.contains(name)) return "";
  names candidates;
  if (!enough() && names_.size() <= expression::most_candidates)
    for (const auto& [known, what] : names_)
      if (why_not(known, may, static_cast<std::size_t>(-1)).empty()) candidates.push_back(known);
  std::sort(candidates.begin(), candidates.end());
  return "unknown name `" + name + "`" + remedy(name, candidates, std::string(may.expected));
}

// ---- the order of definitions ----

namespace {

// The names in a tree and in the trees inside it.
void collect_names(const expression::tree& tree, std::vector<std::string_view>& all) {
  for (const expression::tree::name& name : tree.names) {
    if (name.what != expression::tree::name::form::sum) all.push_back(name.text);
    for (const expression::tree& part : name.parts) collect_names(part, all);
  }
}

// All lines of one name. Their elements are computed in the order of the file, so that one may use those before it.
struct family {
  std::vector<const entry*> lines;
  std::vector<std::string_view> used;
  enum : std::uint8_t { not_yet, under_way, done } visited = not_yet;
  std::size_t next = 0;  // of `used`, to look at
};

}  // namespace

// Each definition, and each family's values on the boundary, after those that it uses, by a walk in depth that keeps its own
// stack. Learns on the way which definitions change with the state.
problem_reader::items problem_reader::in_order(const items& definitions) {
  std::unordered_map<std::string_view, std::size_t> family_of;
  std::vector<family> families;
  for (const entry& one : definitions) {
    const auto [at, is_new] = family_of.try_emplace(one.name, families.size());
    if (is_new) families.emplace_back();
    families[at->second].lines.push_back(&one);
    collect_names(one.value, families[at->second].used);
  }
  items ordered;
  std::vector<family*> path;
  const auto enter = [&](family& one) {
    one.visited = family::under_way;
    path.push_back(&one);
  };
  const auto name_of = [](const family& one) -> const std::string& { return one.lines[0]->name; };
  for (family& first : families) {
    if (first.visited == family::not_yet) enter(first);
    while (!path.empty()) {
      family& now = *path.back();
      if (now.next == now.used.size()) {
        for (const entry* line : now.lines) ordered.push_back(*line);
        now.visited = family::done;
        path.pop_back();
        if (!path.empty() && changing_.contains(name_of(now))) changing_.insert(name_of(*path.back()));
        continue;
      }
      const std::string name(now.used[now.next++]);
      const auto known = names_.find(name);
      if (known == names_.end() || known->second.what == meaning::parameter) continue;
      if (known->second.what != meaning::definition || changing_.contains(name)) changing_.insert(name_of(now));
      const auto found = family_of.find(name);
      if (found == family_of.end()) continue;
      family& other = families[found->second];
      if (&other == &now && known->second.indices > 0) continue;
      if (other.visited == family::not_yet) enter(other);
      else if (other.visited == family::under_way && enough()) error({}, "");
      else if (other.visited == family::under_way) {
        names way;
        for (auto at = std::find(path.begin(), path.end(), &other); at != path.end(); ++at)
          way.push_back(name_of(**at));
        report_cycle(other.lines[0]->where, way);
      }
    }
  }
  return ordered;
}

void problem_reader::report_cycle(const place& where, const names& path) {
  constexpr std::size_t most_shown = 8;
  std::string way;
  for (std::size_t i = 0; i < path.size() && i < most_shown; ++i) way += "`" + path[i] + "` uses ";
  if (path.size() > most_shown) way += "… uses ";
  error(where, "found a circle of definitions, expected one that ends: " + way + "`" + path[0] + "`");
}

}  // namespace ensue
