// What `takt compare` takes from a profile: the operators by name, and every sample that `takt run --profile` kept of
// them (analysis/run_record.h reads those).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/padded_text.h"
#include "core/units.h"

namespace takt {

struct RecordedOp {
  std::string name, type, kernel;    ///< kernel is empty where the runtime did not tell it
  std::vector<std::string> fused;    ///< operators of the model that it stands for
  std::vector<Nanoseconds> samples;  ///< one per profiled run, in the order taken; 0 where it did not execute
};

struct RecordedProfile {
  std::string origin;  ///< the file's name, printable
  std::string model;   ///< file name of the model, as far as the recorded command tells; empty if not
  std::string runtime, runtime_version, device, host, cpu, date;  ///< empty where not recorded
  std::vector<Nanoseconds> samples, plain_samples;                ///< of whole runs; plain_samples may be empty
  /// Of the processor time that the process wanted while it was measured, the share that it had to wait for (other
  /// programs, other virtual machines); 0..1. nullopt: not recorded.
  std::optional<double> waiting_share;
  std::vector<RecordedOp> ops;  ///< in the order of the file
};

/// `text` is the whole file. Pure. Throws Error(bad_input), naming `origin` and the cause, when it is no profile that
/// takt wrote: no JSON, no key `takt`, samples that are not whole numbers of nanoseconds, negative or over 292 years.
RecordedProfile parse_recorded_profile(const PaddedText& text, const std::string& origin);

/// The same from a file. Throws Error(io) as well.
RecordedProfile read_recorded_profile(const std::filesystem::path& path);

}  // namespace takt
