// What a user wants to know of a recorded pipeline: "what if this were different", as text and as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

enum class Knob : std::uint8_t {
  stage_time,        ///< stage.NAME.time=x0.5 (factor) or =5ms (mean stage time)
  stage_replicas,    ///< stage.NAME.replicas=2
  stage_queue,       ///< stage.NAME.queue=4
  stage_device,      ///< stage.NAME.device=GPU: one of the run
  stage_threads,     ///< stage.NAME.threads=2: cores that each execution keeps busy; its time is another change
  stage_ratio,       ///< stage.NAME.ratio=0.7,0.3: shares of a data-parallel stage
  device_requests,   ///< device.NAME.requests=2, or none: without a bound
  source_in_flight,  ///< source.in_flight=8, or none
  source_rate,       ///< source.rate=50: batches per second; poisson 50: at random; closed: the next is always ready
};

struct PipelineChange {
  Knob knob = Knob::stage_time;
  std::string target;            ///< stage or device; empty for the source
  std::optional<double> number;  ///< factor, nanoseconds, count or rate; nullopt: `none`, `closed`, or not a number
  bool factor = false;           ///< of stage_time: `number` multiplies; otherwise it is the mean in nanoseconds
  std::vector<double> ratio;     ///< of stage_ratio: sums to 1
  std::string device;            ///< of stage_device
  std::string text;              ///< as it was written
  bool random = false;           ///< of source_rate: independent arrivals
};

/// "stage.infer.time=x0.5" → PipelineChange. Names are not looked up: a run may not be known yet. Throws UsageError
/// that names the nearest knob, or what values it takes.
PipelineChange parse_change(std::string_view text);

/// The changes that hold: of several of one knob of one stage, device or source the last, in the order of the rest.
/// Factors, too, are of the record, not of what an earlier change made of it.
std::vector<PipelineChange> last_of_each_knob(std::span<const PipelineChange> changes);

/// What the knob is set to, as a reader writes it: "x0.5", "20 ms", "4", "none".
std::string value_text(const PipelineChange& change);

/// "stage.infer.time=x0.2:x1:x0.1": the first knob with every value from A to B in steps, both ends included.
/// Of factors the x before B and STEP may be left out.
/// Throws UsageError: no number, a step that leads nowhere, more than 1,000 values, a knob without numbers.
std::vector<PipelineChange> parse_sweep(std::string_view text);

}  // namespace takt
