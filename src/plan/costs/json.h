// How the files of costs are written: numbers, the key `takt`, a line for each row.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/basics/units.h"
#include "base/system/provenance.h"
#include "plan/costs/stage_measurement.h"

namespace takt {

/// To a picosecond, from a quarter of an hour on to a nanosecond: decimals that doubles hold in ms and in µs, so that a
/// file that is read and written again stays the same to the byte. At most 1e9 ms.
double milliseconds(Duration time);
Duration from_milliseconds(double ms);

/// null where it is missing or not finite, which JSON has no number for.
nlohmann::ordered_json number_or_null(const std::optional<double>& value);

/// What stands under the key `takt` of every file: provenance, network and features.
nlohmann::ordered_json header_json(const StageMeasurements& measurements, const Provenance& provenance);

/// The file with a line for each key, so that `grep` and `diff` find rows. Invalid UTF-8 becomes U+FFFD.
std::string rows_text(const nlohmann::ordered_json& file);

}  // namespace takt
