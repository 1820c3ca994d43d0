// The measuring itself, in the process that a sweep starts for one stage on one device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/runtime/runtime.h"
#include "plan/sweep/stage_task.h"

namespace takt {

/// Measures a stage on its device, size after size. A model of open size is opened once; one that is made for a size,
/// for each. Not thread-safe.
class StageBench {
 public:
  explicit StageBench(StageTask task) : task_(std::move(task)) {}

  /// Warm-up runs, then `iterations` timed ones: the inference and nothing else is inside the clock, on a processor as
  /// pipelines run it (stage_request.h), on other devices without the copies from and to the host, which are timed by
  /// themselves. Whatever goes wrong is in the row: what the device refuses to open is unsupported, all else failed.
  /// Never throws.
  StageMeasurement measure(const GraphSize& size);
  /// The device is gone or its memory is, and with it this process: what it measured later could not be trusted.
  bool is_lost() const { return is_lost_; }

 private:
  struct Opened {
    std::unique_ptr<Runtime> runtime;
    std::unique_ptr<Session> session;
    GraphSize size;  ///< that the session is for; any, of an open size
  };

  void measure_on(const std::string& runtime, StageMeasurement& row);
  /// nullptr: the device refuses the model, as its row says; it is the device's own compiler that decides so.
  Session* session_on(const std::string& runtime, const GraphSize& size, StageMeasurement& row);
  std::uint64_t noise_seed(const GraphSize& size) const;
  std::unique_ptr<Session> open(Runtime& runtime, const GraphSize& size) const;
  void take_times(Session& session, StageMeasurement& row);
  template <typename Inference>
  std::optional<StageTimes> timed(Inference run_once) const;
  void fail(StageMeasurement& row, StageStatus status, std::string reason);
  bool has_open_size() const { return task_.unit != "NPU"; }
  /// Is a stage's memory the host's, so that the next one reads it where it lies?
  bool is_host_memory() const;

  StageTask task_;
  std::map<std::string, Opened> opened_;  ///< by runtime
  bool is_lost_ = false;
};

/// What the child does: measures each size of the task in `json` and gives its record to `tell` as soon as it is there.
/// Returns its exit code: 0 all measured, 1 some not, 2 the device was lost and the sizes after that were not tried.
int run_stage_task(std::string_view json, const std::function<void(const std::string& line)>& tell);

}  // namespace takt
