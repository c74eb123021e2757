// Names in problem files: which may be given, what an expression may use, in which order definitions can be computed.
#include "problem_reader.hpp"

#include <algorithm>

namespace ensue {

bool problem_reader::may_be_called(const toml_value& value) {
  const std::string& name = value.key;
  const auto refuse = [&](const std::string& what) {
    refused_.insert(name);
    error(value.key_at, "found `" + name + "`" + what);
    return false;
  };
  if (name.find('[') != std::string::npos)
    return refuse(": indexed families are not yet supported by this version, expected a single name");
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
    if (what != meaning::velocity && !may_be_called(*all[i].source)) continue;
    const place& where = all[i].source->key_at;
    const auto [known, is_new] = names_.try_emplace(all[i].what.name, symbol{what, i, where});
    if (is_new) continue;
    refused_.insert(all[i].what.name);
    error(where, "found `" + all[i].what.name + "` again, expected another name: line " +
                     std::to_string(known->second.where.line) + " has it already");
  }
}

void problem_reader::check_names(const items& all, const permission& may) {
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const expression::tree::name& name : all[i].what.value.names)
      if (std::string why = why_not(name.text, may, i); !why.empty())
        error(document_.at(*all[i].source, name.offset), std::move(why));
}

// Why a name may not stand in an expression, the index-th of its section; empty if it may.
std::string problem_reader::why_not(const std::string& name, const permission& may, std::size_t index) const {
  const auto refused = [&](std::string_view what) {
    return "found `" + name + "`, " + std::string(what) + ", expected " + std::string(may.expected);
  };
  if (name == "t") return may.time ? "" : refused("which is time");
  const auto found = names_.find(name);
  if (found == names_.end()) return unknown(name, may);
  const symbol& known = found->second;
  switch (known.what) {
    case meaning::parameter:
      if (may.later_parameters || known.index < index) return "";
      return refused(known.index == index ? "which is being given here" : "which stands further below");
    case meaning::component: return may.state ? "" : refused("a component of the state");
    case meaning::velocity: return may.state ? "" : refused("a velocity");
    case meaning::definition:
      if (!may.time) return refused("a definition");
      return may.state || !changes_with_state_[known.index] ? "" : refused("which changes with the state");
  }
  return "";
}

std::string problem_reader::unknown(const std::string& name, const permission& may) const {
  if (name.back() == '\'') {
    const auto base = names_.find(name.substr(0, name.size() - 1));
    if (!second_order_ && base != names_.end() && base->second.what == meaning::component)
      return "found `" + name +
             "`, expected a name without `'`: only problems of second order ([position], [velocity], [acceleration]) "
             "have velocities";
  }
  std::vector<std::string> candidates;
  if (!enough() && names_.size() <= expression::most_candidates)
    for (const auto& [known, what] : names_)
      if (why_not(known, may, static_cast<std::size_t>(-1)).empty()) candidates.push_back(known);
  std::sort(candidates.begin(), candidates.end());
  const std::string hint = expression::did_you_mean(name, candidates);
  return "unknown name `" + name + "`" + (hint.empty() ? ", expected " + std::string(may.expected) : hint);
}

// Each definition after those that it uses, by a walk in depth that keeps its own stack. Learns on the way which of them
// change with the state.
problem_reader::items problem_reader::in_order(const items& definitions) {
  enum class visit : std::uint8_t { not_yet, under_way, done };
  std::vector<visit> visited(definitions.size(), visit::not_yet);
  changes_with_state_.assign(definitions.size(), false);
  items ordered;
  std::vector<std::size_t> path, next_name;  // of each definition on the path: the name to look at next
  for (std::size_t first = 0; first < definitions.size(); ++first) {
    if (visited[first] != visit::not_yet) continue;
    path = {first};
    next_name = {0};
    visited[first] = visit::under_way;
    while (!path.empty()) {
      const std::size_t now = path.back();
      const auto& used = definitions[now].what.value.names;
      if (next_name.back() == used.size()) {
        ordered.push_back(definitions[now]);
        visited[now] = visit::done;
        path.pop_back();
        next_name.pop_back();
        if (!path.empty() && changes_with_state_[now]) changes_with_state_[path.back()] = true;
        continue;
      }
      const auto found = names_.find(used[next_name.back()++].text);
      if (found == names_.end() || found->second.what == meaning::parameter) continue;
      if (found->second.what != meaning::definition) {
        changes_with_state_[now] = true;
        continue;
      }
      const std::size_t other = found->second.index;
      if (visited[other] == visit::under_way) report_cycle(definitions, path, other);
      if (visited[other] == visit::done && changes_with_state_[other]) changes_with_state_[now] = true;
      if (visited[other] != visit::not_yet) continue;
      visited[other] = visit::under_way;
      path.push_back(other);
      next_name.push_back(0);
    }
  }
  return ordered;
}

void problem_reader::report_cycle(const items& definitions, const std::vector<std::size_t>& path, std::size_t back_to) {
  if (enough()) return error({}, "");
  constexpr std::ptrdiff_t most_shown = 8;
  auto at = std::find(path.begin(), path.end(), back_to);
  const auto end = path.end() - at > most_shown ? at + most_shown : path.end();
  std::string way;
  for (auto i = at; i != end; ++i) way += "`" + definitions[*i].what.name + "` uses ";
  if (end != path.end()) way += "… uses ";
  const std::string& name = definitions[back_to].what.name;
  error(definitions[back_to].source->value_at,
        "found a circle of definitions, expected one that ends: " + way + "`" + name + "`");
}

}  // namespace ensue
