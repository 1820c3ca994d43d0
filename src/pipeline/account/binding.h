// What keeps the cycle from being shorter: the critical path, lap by lap. See binding.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/account/account.h"
#include "pipeline/account/steady_state.h"

namespace takt {

/// The laps of a critical path that is walked from its end to its begin.
class Laps {
 public:
  /// What lies outside of `window` counts nothing.
  explicit Laps(RunWindow window) : window_(window) {}

  /// The present lap has the time between `from` and `to`.
  void spend(Nanoseconds from, Nanoseconds to);
  /// Time that is part of no lap: dispatch, source.
  void spend_apart(Binder binder, Nanoseconds from, Nanoseconds to);
  /// What was spent so far could not begin before this.
  void wait_for(Binder binder, int stage, int device);
  /// The path is at its begin; what is left waited for `binder`. The largest share comes first.
  std::vector<BinderShare> finish(Binder binder);

 private:
  BinderShare& share_of(Binder binder, int stage, int device);
  Nanoseconds inside(Nanoseconds from, Nanoseconds to) const;
  void close_lap();

  RunWindow window_;
  Nanoseconds lap_{};
  std::optional<BinderShare> waited_for_;
  std::vector<BinderShare> shares_;
};

/// `shares` are those of the path in `window`, `load` is the run's largest. Accounts has its cycle and loads.
Bindings settle_bindings(const Accounts& accounts, const std::optional<LargestLoad>& load, RunWindow window,
                         std::vector<BinderShare> shares);

/// "stage infer", "device sim:NPU", "queue of infer", "order in infer", "in flight", "source", "dispatch", "[start]".
std::string binder_name(const Accounts& accounts, const BinderShare& share);

}  // namespace takt
