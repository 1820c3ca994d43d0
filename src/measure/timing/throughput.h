// How many runs of a model fit in a second: several requests of one session in flight at once, its weights shared.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/table/table.h"
#include "measure/open/prepared_model.h"
#include "measure/open/run_settings.h"
#include "measure/timing/closed_loop.h"
#include "measure/timing/measure.h"

namespace takt {

/// A session that is opened for several requests at once, and these requests, with their inputs set.
struct OpenRequests {
  std::unique_ptr<Session> session;
  std::vector<std::unique_ptr<Request>> requests;  ///< none on a simulated clock
  std::vector<std::vector<SharedTensor>> turns;    ///< of inputs, where there are several
  Throughput shared;                               ///< without what is to be measured
  Nanoseconds load_time{};
};
OpenRequests open_requests(PreparedModel& model, const RunSettings& settings);

/// One stretch of the closed loop.
LoopRecord keep_in_flight(const OpenRequests& open, const RunSettings& settings, const LoopLimit& limit,
                          const LoopWatch& watch = {});

/// Opens, warms up, measures. Fills RunResult::throughput; the samples are the latencies of the requests.
RunPass measure_throughput(PreparedModel& model, const RunSettings& settings, const RunProgress& progress);

/// "throughput": one row.
Table throughput_table(const Throughput& throughput);
TableSchema throughput_schema();

}  // namespace takt
