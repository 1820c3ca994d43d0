// Slow-downs of pairs of stages that never ran together, from each stage's own pressure and sensitivity.
//
// With n stages there are n² pairs to measure. Instead every stage runs beside a load that presses on one resource of
// the machine at a time (computing, memory, a cache), at a few known levels: n measurements. They tell two things,
// as in Bubble-Up (Mars et al., MICRO 2011) and, for several resources, SMiTe (Zhang et al., MICRO 2014):
//
//   sensitivity  s_ir(p): how many times as long stage i takes beside the load of resource r at level p, a curve;
//   pressure     p_jr: the level at which the load of resource r would do to others what stage j does. It is read off
//   the
//                load itself: what the load at full level loses beside stage j is compared with what it loses beside
//                other loads of known levels. Loads of different resources disturb each other, too (who reads memory
//                empties caches), so a stage is described as the mixture of loads beside which every load would lose
//                what it lost beside the stage: the p_j ≥ 0 that minimise Σ_q (ln S_q(p_j) − ln lost_q)², where S_q is
//                what load q takes beside that mixture, by the formula for stages.
//
// Then i beside j takes S_i(p_j) times as long, with
//
//   ln S_i(p) = max_r ln s_ir(p_r) + w_i · (Σ_r ln s_ir(p_r) − max_r ln s_ir(p_r)).
//
// Whether slow-downs by several resources multiply (w = 1) or hide behind the largest (w = 0) differs between machines
// and stages, and is measured: w_i follows from the stage beside a load that presses on all resources at once. SMiTe
// has a linear regression over measured pairs instead; here no pair needs to be measured.
//
// Beside several, their pressures add up: S_i(Σ p_j). What no load shows is not in it: two stages that wait for the
// same lock, for one.
#pragma once

#include <span>
#include <vector>

#include "flow/stage_pressure.h"

namespace takt {

/// How one stage, or one load, answered to the loads. Slow-downs: 1 is as fast as alone.
struct AnswersToLoads {
  std::vector<std::vector<double>> slow_downs;  ///< by resource of the load, then by its level
  double mixed = 1;                             ///< beside the mixture, where there is one
  std::vector<double> load_lost;                ///< of a stage: what each load at full level suffered beside it
};

/// All that was measured once.
struct LoadRound {
  std::vector<AnswersToLoads> stages, loads;
};

struct LoadPlan {
  std::vector<double> levels;   ///< ascending, above 0; the last is 1
  std::vector<double> mixture;  ///< levels by resource of a load that presses on several at once; empty: none
};

/// One for each stage of the round.
std::vector<StageContention> stage_contentions(const LoadRound& round, const LoadPlan& plan);

/// Returns the predicted slowdown of `stage` while `beside` runs; 1 or more.
double predicted_slow_down(const StageContention& stage, const StageContention& beside);

/// Element by element, of rounds that measured the same; there is at least one.
LoadRound median_of(std::span<const LoadRound> rounds);

}  // namespace takt
