// Are the outputs what they should be, while it is measured? Looked at between two runs, never inside of one.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt {

/// Every `every` runs the outputs from number `first_output` on are compared with those of the first run, bit by bit.
struct RepeatCheck {
  std::size_t every = 1, first_output = 0;
};

class OutputChecks {
 public:
  /// `range`: every value v of a floating-point output must satisfy |v| < range; NaN does not.
  OutputChecks(std::optional<double> range, std::optional<RepeatCheck> repeat) : range_(range), repeat_(repeat) {}

  /// Is there anything to look at after run number `run` (from 0)?
  bool is_due(std::size_t run) const { return range_ || (repeat_ && run % repeat_->every == 0); }
  /// Throws Error(runtime) that names output, index and value.
  void after_run(Session& session, std::size_t run);

 private:
  std::optional<double> range_;
  std::optional<RepeatCheck> repeat_;
  std::vector<HostTensor> first_;
};

}  // namespace takt
