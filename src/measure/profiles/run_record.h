// What `takt run --profile` keeps under the key `takt` of a profile: where it ran, and every sample of every operator.
// The only reader of that key.
//
// Samples are most of a file, so they stay text until somebody asks for those of one operator: simdjson then parses
// that operator alone, in place. What is missing is empty; what is there and not as takt writes it is refused.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// What the model was fed.
struct RecordedInput {
  std::string name, type;
  std::string shape;   ///< "{1,3,224,224}"
  std::string origin;  ///< "generated values", "values of cat.npy"
};

/// Empty texts: not recorded.
struct RunOrigin {
  std::string runtime, runtime_version, device, host, cpu, date;
  std::string model;      ///< file name; of older files, as far as the recorded command tells
  std::string content;    ///< fingerprint of the model's files
  std::string precision;  ///< type that the device computes in, where the runtime tells
  std::optional<std::vector<RecordedInput>> inputs;  ///< nullopt: not recorded
  std::map<std::string, std::string> settings;       ///< what was asked for: {"threads", "1"}
  bool one_thread = false;                           ///< operators were held to one thread
};

/// What was kept of one operator.
struct RecordedSamples {
  std::string kernel;                ///< the runtime's implementation; empty if it does not tell
  std::vector<std::string> fused;    ///< operators of the model that it stands for
  std::optional<double> constants;   ///< bytes of weights that it reads in one run
  std::vector<std::string> tensors;  ///< that it reads and writes, where it stands for none; empty: not recorded
  std::vector<Nanoseconds> samples;  ///< one per profiled run, in the order taken; 0 where it did not execute
};

/// Bytes: most that were resident, of the pass without operator times where there is one, and what the graph says.
/// Unset: not recorded.
struct RecordedMemory {
  std::optional<double> load_peak, run_peak, weights, activation_peak;
};

/// A value; const use is thread-safe.
class RunRecord {
 public:
  RunRecord() = default;

  /// `padded_value` is what stands under the key, with PaddedText's padding behind it; it must outlive the record.
  /// `file` begins the message of Error(bad_input), thrown here and below when something is not as takt writes it.
  RunRecord(std::string_view padded_value, std::string file);

  const RunOrigin& origin() const { return origin_; }
  /// Returns the share of the CPU time that the process needed during the measurement for which it had to wait (other
  /// programs, other virtual machines); 0..1. nullopt: not recorded.
  std::optional<double> waiting_share() const { return waiting_share_; }
  /// How long a walk through half of the second-level cache took, the median (base/machine/cache_probe.h); longer:
  /// another program used the core. nullopt: not recorded.
  std::optional<double> cache_walk_ns() const { return cache_walk_ns_; }

  const RecordedMemory& memory() const { return memory_; }

  /// False: nothing is known of what the process used, as on a simulated clock.
  bool has_usage() const { return has_usage_; }

  bool has_profile() const { return has_profile_; }
  /// Times of whole runs.
  std::vector<Nanoseconds> samples() const;
  std::vector<Nanoseconds> plain_samples() const;

  struct Operator {
    std::string id;
    std::string_view text;  ///< its JSON object
  };
  const std::vector<Operator>& operators() const { return operators_; }  ///< in the order of the file
  /// nullptr: nothing was kept of it.
  const Operator* find(const std::string& id) const;
  RecordedSamples times_of(const Operator& op) const;

 private:
  class Reader;

  std::string file_;
  RunOrigin origin_;
  std::optional<double> waiting_share_, cache_walk_ns_;
  RecordedMemory memory_;
  bool has_profile_ = false, has_usage_ = false;
  std::string_view samples_, plain_samples_;  ///< JSON lists
  std::vector<Operator> operators_;
  std::unordered_map<std::string, std::size_t> places_;  ///< by id, into operators_
};

}  // namespace takt
