// How much a simulated stage suffers from the pressure of what runs beside it on something that both use: the laws that
// a description of a simulated pipeline can name. Pure.
//
// They stand for what shared hardware does; who predicts slow-downs from measurements is not told which of them holds.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace takt {

/// With s the sensitivity of the stage, 0 to 1, and p the pressure of the others, each 0 to 1 and all of them added up,
/// the stage takes so many times as long as alone:
enum class PressureLaw {
  linear,  ///< 1 + s·p
  share,   ///< max(1, s + p): a bandwidth in proportion to what is asked for; s is what the stage asks for itself
  queue,  ///< 1 + s·p/(5 − 4·p): waiting in an M/M/1 queue, p/(1 − 0.8·p), as a share of that at p = 1; beyond, where
          ///< the queue is never empty, 1 + s·p
  cliff,  ///< 1 + s·rise(p), a step around p = 1 − s/2: a working set that no longer fits into what p leaves of it
  saturating,  ///< 1 + s·(1 − exp(−3·p))/(1 − exp(−3))
};

/// "linear", "share", "queue", "cliff", "saturating"; nullopt for another word.
std::optional<PressureLaw> pressure_law_named(std::string_view name);
std::vector<std::string_view> pressure_law_names();
std::string_view name_of(PressureLaw law);

/// 1 or more; `sensitivity` 0 to 1, `pressure` 0 or more. No pressure slows nothing, and what is not sensitive is never
/// slowed.
double slow_down_under(PressureLaw law, double sensitivity, double pressure);

/// What several slow-downs of one stage, each by another resource, make together.
enum class Combination {
  multiply,  ///< their product
  add,       ///< 1 + the sum of what each has above 1
  largest,   ///< only the largest counts
};
std::optional<Combination> combination_named(std::string_view name);
std::vector<std::string_view> combination_names();
std::string_view name_of(Combination combination);

/// Slow-downs by several resources, one after the other. 1 of none.
class Combined {
 public:
  explicit Combined(Combination how) : how_(how) {}
  void add(double factor);
  double factor() const { return factor_; }

 private:
  Combination how_;
  double factor_ = 1;
};

}  // namespace takt
