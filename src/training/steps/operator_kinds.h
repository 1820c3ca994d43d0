// Kinds of a training's operators: those so short that calling them is what takes the time, and those that take memory.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "training/steps/activity.h"

namespace takt {

/// An operator of a thread that trains, inside no other.
bool is_call_of_program(const Activity& activity, const HostSpan& span);
std::int64_t length_of(const HostSpan& span);
/// The value that this share of the others is below; reorders them. There is at least one.
std::int64_t at_fraction(std::vector<std::int64_t>& values, double fraction);

/// By name, the nanoseconds up to which calls are tiny: 20 µs, more where a kind is usually below that and all its
/// calls are alike. An operator whose calls usually are tiny does no more work in those that take a few times as long
/// on a slow or busy machine; where nearly all calls are like that, the longest were interrupted and count, too.
std::map<StringId, std::int64_t> tiny_lengths(const Activity& activity);

/// What recording an operator takes at most, in ns: what operators around exactly one other take beside it is the call
/// of that one and its record, in the tenth of them that take least. nullopt: too few to tell.
std::optional<std::int64_t> most_per_record(const Activity& activity);

Intervals tiny_operators(const Activity& activity);
/// Those inside of others, too.
Intervals memory_operators(const Activity& activity);
/// When large blocks of the host's memory go back to the system, outside of operators: from the moment of it to what
/// its thread does next, at most as long as a slow machine needs for so many pages.
Intervals giving_back(const Activity& activity);

}  // namespace takt
