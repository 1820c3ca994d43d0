// What `takt compare` takes from a profile: the operators by name, every sample that was kept of them, and under what
// conditions they were taken. Of profiles of `takt run --profile` measure/profiles/run_record.h reads that; other
// programs' profiles that hold samples (ONNX Runtime's, benchmark_app's detailed reports) come by way of
// measure/profiles/foreign_profile.h.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "base/files/padded_text.h"
#include "measure/profiles/run_record.h"

namespace takt {

struct RecordedOp {
  std::string name, type, kernel;    ///< kernel is empty where the runtime did not tell it
  std::vector<std::string> fused;    ///< operators of the model that it stands for
  std::vector<Nanoseconds> samples;  ///< one per profiled run, in the order taken; 0 where it did not execute
  std::vector<std::string> tensors;  ///< that the runtime's own node reads and writes; empty: not recorded
};

struct RecordedProfile {
  std::string origin;                               ///< the file's name, printable
  std::string kind = "profile of takt";             ///< who wrote it
  RunOrigin from;                                   ///< model, inputs, settings, machine
  bool virtual_clock = false;                       ///< times follow a description and no machine
  std::vector<Nanoseconds> samples, plain_samples;  ///< of whole runs; plain_samples may be empty
  /// Share of the CPU time that the process needed during the measurement for which it had to wait (other programs,
  /// other virtual machines); 0..1. nullopt: not recorded.
  std::optional<double> waiting_share;
  std::optional<double> cache_walk_ns;  ///< RunRecord's; nullopt: not recorded
  RecordedMemory memory;
  std::vector<RecordedOp> ops;  ///< in the order of the file
};

/// `text` is the whole file. Pure. Throws Error(bad_input), naming `origin` and the cause, when it is no profile that
/// holds samples: another file, no key `takt`, a report of means, samples that are not whole numbers of nanoseconds,
/// negative or over 292 years.
RecordedProfile parse_recorded_profile(const PaddedText& text, const std::string& origin);

/// The same from a file. Throws Error(io) as well.
RecordedProfile read_recorded_profile(const std::filesystem::path& path);

}  // namespace takt
