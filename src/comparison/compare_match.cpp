#include "comparison/compare_match.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace takt {
namespace {

using OpKey = std::tuple<std::string, std::string, int>;  // name, type, how many equal ones came before it

class Matcher {
 public:
  Matcher(std::size_t before, std::size_t after) : before_(before), after_(after) {}

  void add(const RecordedProfile& profile, std::vector<const RecordedOp*> MatchedOp::*side, std::size_t run) {
    std::map<std::pair<std::string, std::string>, int> seen;
    for (const RecordedOp& op : profile.ops) {
      const int nth = seen[{op.name, op.type}]++;
      auto [place, is_new] = index_.try_emplace(OpKey(op.name, op.type, nth), matched_.size());
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
  static bool same_group(const MatchedOp& op) {
    auto same = [&](const RecordedOp* other) { return other->fused == op.before.front()->fused; };
    return std::all_of(op.before.begin(), op.before.end(), same) && std::all_of(op.after.begin(), op.after.end(), same);
  }

  std::size_t before_, after_;
  std::map<OpKey, std::size_t> index_;
  std::vector<MatchedOp> matched_;
};

}  // namespace

bool MatchedOp::in_all() const {
  auto there = [](const RecordedOp* op) { return op != nullptr; };
  return std::all_of(before.begin(), before.end(), there) && std::all_of(after.begin(), after.end(), there);
}

std::vector<MatchedOp> match_ops(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after) {
  Matcher matcher(before.size(), after.size());
  for (std::size_t run = 0; run < before.size(); ++run) matcher.add(before[run], &MatchedOp::before, run);
  for (std::size_t run = 0; run < after.size(); ++run) matcher.add(after[run], &MatchedOp::after, run);
  return matcher.take();
}

}  // namespace takt
