// What rounds of one measurement say together: their mean or their middle, and how far a round is from the others.
#pragma once

#include <optional>
#include <span>

namespace takt {

/// `values` is not empty.
double mean_of_rounds(std::span<const double> values);
/// The median: of three rounds one that something disturbed unseen counts for nothing.
double middle_of_rounds(std::span<const double> values);

/// Mean of |value / mean of the others − 1|: the error that one round would have as a prediction of the others, below
/// which no predictor can be judged. Needs two.
std::optional<double> noise_of_rounds(std::span<const double> values);

}  // namespace takt
