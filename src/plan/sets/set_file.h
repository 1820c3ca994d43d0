// A plan set as a file (docs/formats.md): what `takt plan compile` writes and whoever runs a set reads.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/system/provenance.h"
#include "plan/sets/set.h"

namespace takt {

/// Times are whole nanoseconds, so that a set that is written and read again is the same.
std::string to_json(const PlanSet& set, const Provenance& provenance);

/// Throws Error(bad_input), "WHERE: …", naming the key and what is wrong with it: text that is no JSON (NaN, a key that
/// is twice in one object), keys that are missing or not known, a later version, units that plans name and the set has
/// not, plans that leave a stage out or are there twice, sizes whose rows do not grow (stretches that overlap), costs
/// that are no whole nanoseconds or as many as there are plans, thresholds that are not between the sizes where the
/// best plan changes.
PlanSet parse_plan_set(std::string_view json, std::string_view where);

/// Throws Error(io) where it cannot be read, and as parse_plan_set() does.
PlanSet read_plan_set(const std::filesystem::path& path);

}  // namespace takt
