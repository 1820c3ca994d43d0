// Intervals that hold without believing in any distribution: as wide as errors on what was not trained on have been.
//
// Split conformal prediction (Vovk, Gammerman, Shafer: Algorithmic Learning in a Random World, 2005): of n errors of a
// regression on examples that it had not seen, the ⌈(n+1)·c⌉-th smallest bounds the next one with probability c at
// least, whatever the regression, as long as the next example is drawn like those.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace takt {

/// |log(measured / predicted)| that the next one stays below with this probability; nullopt without errors. With so few
/// that no bound can be told (n < c / (1−c)) it is the largest of them. The order of `errors` does not matter.
std::optional<double> conformal_width(std::span<const double> errors, double confidence = 0.9);

/// Fewer errors than this say nothing certain of that confidence.
std::size_t errors_needed(double confidence = 0.9);

}  // namespace takt
