// The load that a machine has now, in one schema whoever tells it: the system's own files, Prometheus, the GPU's
// driver, a probe. A feature has one name and one unit, so that a predictor trained on one source reads another.
//
// Every value says how old it is and which time it is the mean over. What could not be read is a reading, too: without
// a value, with the reason. Nothing is ever filled in.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// From the least to the most that a value can be, both included. What is beyond it was never measured: a broken sample
/// of a driver, a counter that stepped back.
struct LoadRange {
  double least = 0, most = 0;
};

/// A metric that a source can report. Its name ends in the unit; shares are 0 to 1.
struct LoadFeature {
  std::string_view name, unit;
  LoadRange range;
  std::string_view meaning;
};

/// All of them, processors first, then the probe, then GPUs.
std::span<const LoadFeature> load_features();
/// nullptr: none has this name.
const LoadFeature* find_load_feature(std::string_view name);

struct LoadReading {
  std::string name;                     ///< of a LoadFeature, or what a user called it
  std::string device;                   ///< "host", "gpu0"
  std::string source;                   ///< "host", "prometheus", "nvml", "probe"
  std::string unit;                     ///< of the feature
  std::optional<double> value{};        ///< nullopt: not told
  std::optional<Nanoseconds> age{};     ///< since what the value tells of ended
  std::optional<Nanoseconds> window{};  ///< what the value is the mean over; nullopt: a moment
  std::string trouble{};                ///< why there is no value, or why it is not the present; empty: it is

  bool is_live() const { return value && trouble.empty(); }
};

/// A source that tells nothing, or less than it should, and why.
struct SourceTrouble {
  std::string source, sentence;
};

struct LoadSnapshot {
  Nanoseconds time{};  ///< since the epoch
  std::vector<LoadReading> readings;
  std::vector<SourceTrouble> troubles;
};

/// The first live value of this name, in the order of the sources; nullopt: there is none. `device` empty: of any.
std::optional<double> live_value(const LoadSnapshot& snapshot, std::string_view name, std::string_view device = {});

/// Whether a value can be, by and large: a source's clock and rounding may put it 5 % beyond the most.
bool is_possible(double value, const LoadRange& range);
/// Why it cannot: "reported 4294967295, which is more than 1".
std::string impossible(double value, const LoadRange& range);

/// The reading as it is handed on: a value that its feature cannot have is missing, with the reason. One that is hardly
/// beyond its end is the end. Other names have no range.
LoadReading checked(LoadReading reading);

/// A reading of a known feature; another name is a mistake of the caller.
LoadReading reading_of(std::string_view feature, std::string_view device, std::string_view source);

}  // namespace takt
