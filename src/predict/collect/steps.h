// The order of a collection's measurements, and which of them need no further attempt.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "predict/collect/collect.h"
#include "predict/collect/record.h"

namespace takt {

struct CollectStep {
  std::filesystem::path model;
  int round = 1;
  AskedLoad load;  ///< beside which it is measured
};

/// All of this shard, rounds one after the other, models in a new order in each; the loads of a plan stand in the first
/// round, between the models in quiet.
std::vector<CollectStep> steps_of(const CollectSettings& settings);

/// From records that are there and those that come.
class DoneSteps {
 public:
  DoneSteps(const std::vector<CollectRecord>& records, int retries);
  void note(const CollectRecord& record);
  bool has(const CollectStep& step) const;
  /// What the canary takes in quiet: the median, of what was disturbed, too. One second in which all neighbours of a
  /// shared machine rest makes it twice as fast, and is no measure for the hours after. nullopt: nothing was measured
  /// yet.
  std::optional<double> usual_canary() const;

 private:
  struct State {
    bool is_done = false;
    int disturbed = 0;
  };
  std::map<std::tuple<std::string, int, AskedLoad>, State> states_;
  std::vector<double> canaries_;  ///< us
  int retries_;
};

}  // namespace takt
