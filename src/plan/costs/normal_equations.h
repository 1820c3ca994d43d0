// Weighted least squares with few terms: the sums that every subset of the terms is solved from.
#pragma once

#include <optional>

#include "plan/costs/relative_fit.h"

namespace takt {

/// Subsets of the terms, as bits.
using TermSet = unsigned;
inline bool has_term(TermSet set, std::size_t term) { return ((set >> term) & 1U) != 0; }

class NormalEquations {
 public:
  explicit NormalEquations(std::size_t terms) : terms_(terms) {}

  void add(const Terms& terms, double value, double weight);

  /// Least squares with these terms alone; nullopt: they depend on each other, or one is 0 in all rows.
  std::optional<Terms> solve(TermSet set) const;
  /// The best that has no negative coefficient; all 0 where nothing else is.
  Terms solve_non_negative() const;
  /// The inverse, 0 in the rows and columns of other terms; nullopt as in solve().
  std::optional<std::array<Terms, most_terms>> inverse(TermSet set) const;

 private:
  std::optional<Terms> solve_for(TermSet set, const Terms& right) const;

  std::size_t terms_;
  std::array<Terms, most_terms> squares_{};  ///< Σ weight · term · term
  Terms products_{};                         ///< Σ weight · term · value
};

}  // namespace takt
