// The laws of contention that a record leaves possible.
//
// What a stage suffers from another is seldom all known. Where the two ran beside each other now more and now less, the
// times show it; where they always did, a time of 5 ms may be 5 ms alone or 3 ms slowed down, and where they never did,
// nobody has seen what it does. So instead of one law there are many: factors are drawn that the record does not
// contradict, by Bayes' rule, and whoever predicts does it with each of them.
//
// Likelihood. With factors f, an execution did the work W = Σ time · 1/(known slow-down · Π f_j^(executions of j
// beside)). If f is right, the works of a stage scatter around one mean and what ran beside does not matter; the
// duration that this work makes more is W − mean times the slow-down at the end. That, over the duration's own spread
// (the noise of the work, slowed down, and 0.5 % of it), has Student's t distribution with 5 degrees of freedom, so
// that a few executions that something else delayed do not decide. All of the record is the product over its
// executions: each ends after what ran beside it began, so nothing is counted twice, and an execution that is long by
// chance and therefore overlaps more is no evidence.
//
// Beside several at once, factors f that were measured (or are to be found) one at a time do something between what the
// largest of them does and their product: ln = max ln f + w·(Σ ln f − max ln f), w anywhere between 0 and 1 or at one
// of these, drawn with the factors where the record shows several at once, and as if nothing were known of it where it
// does not.
//
// Before the record is looked at, a factor is taken to lie anywhere between 1 and `usual`, and with falling
// probability above. The factors of one stage and its noise are drawn together, by differential evolution (ter Braak,
// Statistics and Computing 16, 2006): as many chains as there are laws, whose last states are the answer.
#pragma once

#include <cstdint>
#include <vector>

#include "base/statistics/statistics.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

/// [i][j]: whether it is known what j does to i.
using KnownPairs = std::vector<std::vector<bool>>;

/// What j may do to i.
struct PossibleFactor {
  double low = 1, median = 1, high = 1;  ///< 5 %, half and 95 % of what is possible
  /// The record shows a slow-down: none of the laws has less than 1.02, and they differ by less than half of what was
  /// expected before.
  bool shown = false;
};

struct ContentionPosterior {
  std::vector<ContentionLaw> laws;                   ///< equally likely; what is known is the same in all
  std::vector<std::vector<PossibleFactor>> factors;  ///< [i][j]; known: 1
};

/// `count` laws; the same run and seed give the same. `certain`: what is known, of the other pairs nothing; its
/// `several` says of which stages it is open what several do to them. O(count · 250 executions of each stage).
ContentionPosterior contention_posterior(const PipelineRun& run, const ContentionLaw& certain, const KnownPairs& known,
                                         std::size_t count, std::uint64_t seed = 1);

}  // namespace takt
