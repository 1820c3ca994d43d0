#include "measure/compare/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace takt {
namespace {

using OpKey = std::tuple<std::string, std::string, int>;  // name, type, how many equal ones came before it
using Rows = std::vector<const RecordedOp*>;

bool all_there(const Rows& rows) {
  return std::all_of(rows.begin(), rows.end(), [](const RecordedOp* op) { return op != nullptr; });
}

bool none_there(const Rows& rows) {
  return std::none_of(rows.begin(), rows.end(), [](const RecordedOp* op) { return op != nullptr; });
}

bool same_group(const MatchedOp& op) {
  auto same = [&](const RecordedOp* other) { return other->fused == op.before.front()->fused; };
  return std::all_of(op.before.begin(), op.before.end(), same) && std::all_of(op.after.begin(), op.after.end(), same);
}

/// Names of nodes that the runtime made for itself say nothing: ONNX Runtime gives those of its reorderings out anew in
/// each session.
std::string identity(const RecordedOp& op) {
  if (!op.fused.empty() || op.tensors.empty()) return op.name;
  return fmt::format("\n{}", fmt::join(op.tensors, "\n"));
}

class Matcher {
 public:
  Matcher(std::size_t before, std::size_t after) : before_(before), after_(after) {}

  void add(const RecordedProfile& profile, Rows MatchedOp::*side, std::size_t run) {
    std::map<std::pair<std::string, std::string>, int> seen;
    for (const RecordedOp& op : profile.ops) {
      const std::string name = identity(op);
      const int nth = seen[{name, op.type}]++;
      auto [place, is_new] = index_.try_emplace(OpKey(name, op.type, nth), matched_.size());
      if (is_new) {
        MatchedOp& added = matched_.emplace_back();
        added.name = op.name, added.type = op.type;
        added.before.resize(before_), added.after.resize(after_);
      }
      (matched_[place->second].*side)[run] = &op;
    }
  }

  std::vector<MatchedOp> take() {
    for (MatchedOp& op : matched_) op.regrouped = op.in_all() && !same_group(op);
    return std::move(matched_);
  }

 private:
  std::size_t before_, after_;
  std::map<OpKey, std::size_t> index_;
  std::vector<MatchedOp> matched_;
};

/// Operators of the model that a row of one side stands for; empty: the row is not there, or not alike in all runs.
std::set<std::string> stands_for(const Rows& rows) {
  if (!all_there(rows)) return {};
  const RecordedOp& first = *rows.front();
  for (const RecordedOp* row : rows)
    if (row->fused != first.fused) return {};
  if (first.fused.empty()) return {first.name};
  return {first.fused.begin(), first.fused.end()};
}

/// Rows that share operators of the model, and all that they stand for on each side.
struct Group {
  std::vector<std::size_t> rows;  ///< in MatchedOps::ops, ascending
  std::set<std::string> before, after;
};

class Regrouping {
 public:
  explicit Regrouping(MatchedOps& matched) : matched_(matched) {}

  void join() {
    for (std::size_t row = 0; row < matched_.ops.size(); ++row) {
      const MatchedOp& op = matched_.ops[row];
      const bool one_sided =
          all_there(op.before) != all_there(op.after) && (none_there(op.before) || none_there(op.after));
      if (op.regrouped || one_sided) add(row);
    }
    std::set<std::size_t> gone;
    for (const Group& group : groups_)
      if (group.rows.size() > 1 && group.before == group.after) join(group, gone);
    std::size_t row = 0;
    std::erase_if(matched_.ops, [&](const MatchedOp&) { return gone.contains(row++); });
  }

 private:
  void add(std::size_t row) {
    Group group{{row}, stands_for(matched_.ops[row].before), stands_for(matched_.ops[row].after)};
    std::set<std::size_t> shared;
    for (const auto* side : {&group.before, &group.after})
      for (const auto& name : *side)
        if (const auto owner = owners_.find(name); owner != owners_.end()) shared.insert(owner->second);
    for (const std::size_t other : shared) {
      group.rows.insert(group.rows.end(), groups_[other].rows.begin(), groups_[other].rows.end());
      group.before.merge(groups_[other].before), group.after.merge(groups_[other].after);
      groups_[other] = {};
    }
    std::sort(group.rows.begin(), group.rows.end());
    for (const auto* side : {&group.before, &group.after})
      for (const auto& name : *side) owners_[name] = groups_.size();
    groups_.push_back(std::move(group));
  }

  /// The group takes the place of its first row.
  void join(const Group& group, std::set<std::size_t>& gone) {
    MatchedOp& first = matched_.ops[group.rows.front()];
    MatchedOp joined;
    joined.name = fmt::format("{} + {} more", first.name, group.rows.size() - 1), joined.type = first.type;
    for (auto side : {&MatchedOp::before, &MatchedOp::after})
      for (std::size_t run = 0; run < (first.*side).size(); ++run) (joined.*side).push_back(sum_of(group, side, run));
    first = std::move(joined);
    gone.insert(group.rows.begin() + 1, group.rows.end());
  }

  const RecordedOp* sum_of(const Group& group, Rows MatchedOp::*side, std::size_t run) {
    RecordedOp& sum = matched_.sums.emplace_back();
    for (const std::size_t row : group.rows) {
      const RecordedOp* part = (matched_.ops[row].*side)[run];
      if (!part) continue;
      sum.samples.resize(std::max(sum.samples.size(), part->samples.size()));
      for (std::size_t i = 0; i < part->samples.size(); ++i) sum.samples[i] += part->samples[i];
    }
    return &sum;
  }

  MatchedOps& matched_;
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> owners_;  ///< by operator of the model, into groups_
};

}  // namespace

bool MatchedOp::in_all() const { return all_there(before) && all_there(after); }

MatchedOps match_ops(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after) {
  Matcher matcher(before.size(), after.size());
  for (std::size_t run = 0; run < before.size(); ++run) matcher.add(before[run], &MatchedOp::before, run);
  for (std::size_t run = 0; run < after.size(); ++run) matcher.add(after[run], &MatchedOp::after, run);
  MatchedOps matched;
  matched.ops = matcher.take();
  Regrouping(matched).join();
  return matched;
}

}  // namespace takt
