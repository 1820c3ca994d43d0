// The times of each run that a profile keeps beside the one run it describes, by operator id, whoever wrote it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/basics/units.h"
#include "measure/profiles/run_record.h"

namespace takt {

struct OperatorSamples {
  std::vector<Duration> device, host;  ///< empty: not known
  std::string kernel;                  ///< the runtime's implementation; empty if it does not tell
  std::optional<double> constants{};   ///< bytes of weights that the operator reads in one run
};

class ProfileSamples {
 public:
  ProfileSamples() = default;

  /// Samples of takt's profile; its text must outlive this object.
  explicit ProfileSamples(RunRecord record) : record_(std::move(record)) {}

  /// Samples of another program's profile, by operator id.
  explicit ProfileSamples(std::unordered_map<std::string, OperatorSamples> operators)
      : operators_(std::move(operators)) {}

  /// Returns the samples of an operator; all empty if none are known. Throws like RunRecord::times_of().
  OperatorSamples of(std::string_view id) const;

  /// What takt kept of the run; empty for other programs' profiles.
  const RunRecord& record() const { return record_; }
  const std::string& device() const { return record_.origin().device; }  ///< that ran the model; empty: not known
  const std::string& cpu() const { return record_.origin().cpu; }        ///< as in the provenance; empty: not known
  bool one_thread() const { return record_.origin().one_thread; }        ///< operators were held to one thread

 private:
  RunRecord record_;
  std::unordered_map<std::string, OperatorSamples> operators_;
};

}  // namespace takt
