// Writes a Schedule down while a pipeline moves. For simulate.cpp, and for any other driver of pipeline_flow.h that
// wants the same records.
#pragma once

#include <cstddef>
#include <vector>

#include "flow/simulate.h"

namespace takt {

class ScheduleBook {
 public:
  /// `schedule` and `shape` must outlive the book.
  ScheduleBook(Schedule& schedule, const FlowShape& shape);

  /// An action of settle(), in the order given. `arrived` is read for admissions only.
  void act(const FlowAction& action, Nanoseconds arrived, Nanoseconds now);
  /// An execution that was started is complete; `record` is the value of last_record() after its start.
  void done(const Execution& what, std::size_t record, Nanoseconds now);
  std::size_t last_record() const { return schedule_.executions.size() - 1; }

 private:
  void admit(std::int64_t batch, Nanoseconds arrived, Nanoseconds now);
  void start(const Execution& what, Nanoseconds now);
  VisitRecord& visit(std::int64_t batch, int stage);
  Schedule& schedule_;
  const FlowShape& shape_;
  FlowWays ways_;
};

}  // namespace takt
