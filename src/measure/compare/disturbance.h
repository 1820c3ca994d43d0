// What the machine did to the runs of a comparison as far as it is known beside their times: it waited for processors,
// or somebody else was on the same core.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/compare/profile_reader.h"

namespace takt {

/// By how much more `after` was slowed down than `before`, as a logarithm, as far as that is known from outside:
/// positive where that could make `after` slower, 0 where nothing is recorded. The sum of two:
/// * waiting for processors lengthens runs that did not compute on several at once by 1 / (1 − share);
/// * with somebody else on the core, its caches answer up to three times as late (base/machine/cache_probe.h) and
/// networks
///   take up to 1.4 times as long: half of the ratio's logarithm has room for that (0.12 to 0.31 of it for the three
///   networks of bench/compare.py, on a virtual machine). What walks differ by without anybody, by where their memory
///   lies, is left out.
double log_of_disturbance(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after);

/// A sentence for each of them that is noticeable.
std::vector<std::string> what_the_machine_did(std::span<const RecordedProfile> before,
                                              std::span<const RecordedProfile> after);

}  // namespace takt
