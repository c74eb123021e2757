#include "problems/swept_problem.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ensue {
namespace {

using names = std::set<std::string>;

bool mentions(const expression::tree& tree, const names& any) {
  return std::any_of(tree.names.begin(), tree.names.end(), [&](const expression::tree::name& name) {
    return any.contains(name.text) ||
           std::any_of(name.parts.begin(), name.parts.end(), [&](const expression::tree& part) { return mentions(part, any); });
  });
}

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

/// Refuses entries whose numbers have to be known before a run.
void require_constant(const std::vector<entry>& entries, const names& varying, const char* what) {
  for (const entry& each : entries) {
    bool varies = mentions(each.value, varying);
    for (const auto& index : each.indices) varies = varies || mentions(index.first, varying) || mentions(index.last, varying);
    if (varies) refuse(std::string(what) + " `" + each.name + "` is computed from what varies, expected a number that does not");
  }
}

/// The parameters that vary as components, those computed from them as definitions.
problem_file with_inputs(problem_file file, const std::vector<std::string>& parameters) {
  names varying(parameters.begin(), parameters.end());
  const expression::tree zero = expression::parse("0").tree;
  std::vector<entry> kept, computed;
  for (const entry& each : file.parameters) {
    if (varying.contains(each.name)) {
      file.start.push_back(each);
      file.derivatives.push_back({each.name, each.where, zero, {}, each.source});
      if (file.second_order) file.velocities.push_back({each.name + "'", each.where, zero, {}, each.source});
    } else if (mentions(each.value, varying)) {
      varying.insert(each.name);
      computed.push_back(each);
    } else {
      kept.push_back(each);
    }
  }
  file.parameters = std::move(kept);
  file.definitions.insert(file.definitions.begin(), computed.begin(), computed.end());
  const std::size_t own = file.start.size() - parameters.size();
  require_constant({file.start.begin(), file.start.begin() + static_cast<std::ptrdiff_t>(own)}, varying, "the initial value");
  require_constant(file.velocities, varying, "the initial value");
  require_constant(file.settings, varying, "the setting");
  require_constant(file.atol, varying, "the tolerance");
  for (const auto* time : {&file.from, &file.to})
    if (*time) require_constant({**time}, varying, "the time");
  for (const auto* entries : {&file.definitions, &file.derivatives})
    for (const entry& each : *entries)
      for (const auto& index : each.indices)
        if (mentions(index.first, varying) || mentions(index.last, varying))
          refuse("the indices of `" + each.name + "` are computed from what varies, expected numbers that do not");
  return file;
}

}  // namespace

swept_problem::swept_problem(const problem_file& file, const std::vector<std::string>& varied, const std::map<std::string, double>& set) {
  if (file.scene) refuse("found a built-in model, expected equations: a sweep follows these alone");
  std::vector<std::string> parameters;
  for (const std::string& name : varied)
    if (std::any_of(file.parameters.begin(), file.parameters.end(), [&](const entry& each) { return each.name == name; }))
      parameters.push_back(name);
  problem_file::made made = with_inputs(file, parameters).make(set);
  if (!made.errors.empty()) refuse(made.errors.front().what);
  if (!made.unknown.empty()) refuse(made.unknown.front());
  problem_ = std::move(made.problem);
  if (!problem_->events.empty()) refuse("found events, expected a problem without: a sweep follows the equations alone");

  // The components in the order of the equations' inputs: positions, parameters, velocities, the parameters' velocities, of which there are none.
  parameters_ = parameters.size();
  const std::size_t halves = problem_->second_order ? 2 : 1, all = problem_->names.size() / halves, own = all - parameters_;
  for (std::size_t half = 0; half < halves; ++half)
    for (std::size_t i = 0; i < all; ++i) {
      if (i >= own) {
        inputs_.push_back(half == 0 ? swept_input{swept_input::origin::parameter, i - own} : swept_input{});
        continue;
      }
      inputs_.push_back({swept_input::origin::state, names_.size()});
      names_.push_back(problem_->names[half * all + i]);
      start_.push_back(problem_->start[half * all + i]);
    }
  for (const std::string& name : varied) {
    const auto at = std::find(problem_->names.begin(), problem_->names.end(), name);
    if (at == problem_->names.end()) refuse("unknown name `" + name + "`, expected a parameter or a component of the state");
    targets_.push_back(inputs_[static_cast<std::size_t>(at - problem_->names.begin())]);
  }
}

void swept_problem::start_of(std::span<const double> point, std::span<double> state, std::span<double> parameters) const {
  std::copy(start_.begin(), start_.end(), state.begin());
  for (std::size_t k = 0; k < point.size(); ++k)
    (targets_[k].from == swept_input::origin::parameter ? parameters : state)[targets_[k].index] = point[k];
}

}  // namespace ensue
