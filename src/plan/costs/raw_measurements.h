// raw_measurements.json: what was measured of stages, as a file. takt writes it and reads it back without loss; files
// of the same kind that other programs wrote are read, too.
//
//   "1000,2000,CPU,3": {"mean": 3.08, "std": 0.4, "min": 2.7, "max": 5.1}      times in ms
//   "1000,2000,NPU,3": {"failed": true, "mean": -1, "error": "why"}
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/system/provenance.h"
#include "plan/costs/stage_measurement.h"

namespace takt {

/// The file's text. Besides the four times each row has what takt knows (docs/formats.md), and the key `takt` holds
/// `provenance` with the network and its features. The same rows give the same bytes.
std::string raw_measurements_json(const StageMeasurements& measurements, const Provenance& provenance);

/// What a file without the key `takt` does not say of itself.
struct ForeignRows {
  Network network = Network::sage;
  std::int64_t features = 500;
};

/// Rows in the order of their keys. Where a row has samples its times are theirs, to the nanosecond; others are kept to
/// a picosecond. Throws Error(bad_input) that begins with `where` and names the row: no row at all, a key that is none
/// or is there twice, a stage that the network lacks, an unknown unit, a time that is missing, no number, negative or
/// in another order than min ≤ mean ≤ max, samples that disagree with the mean, a status that is none, a file of a
/// later version.
StageMeasurements parse_raw_measurements(std::string_view json, std::string_view where,
                                         const ForeignRows& foreign = {});

/// The same of a file. Throws Error(io) where it cannot be read.
StageMeasurements read_raw_measurements(const std::filesystem::path& path, const ForeignRows& foreign = {});

}  // namespace takt
