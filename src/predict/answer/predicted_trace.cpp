#include "predict/answer/predicted_trace.h"

#include <cmath>

namespace takt {
namespace {

Nanoseconds nanoseconds(double us) { return Nanoseconds(std::llround(us * 1000)); }

}  // namespace

Trace predicted_trace(const std::vector<PredictedModel>& models) {
  Trace trace;
  for (const PredictedModel& model : models) {
    const RowId row = trace.add_row(trace.add_process("predicted: " + model.facts.model), "kernels");
    double at = 0;
    for (std::size_t i = 0; i < model.prediction.kernels.size(); ++i) {
      const KernelPrediction& kernel = model.prediction.kernels[i];
      // Ends are rounded, not durations, so that rounding does not add up.
      const Nanoseconds start = nanoseconds(at), end = nanoseconds(at + kernel.us);
      const EventId event = trace.add_event(row, model.facts.kernels[i].op_type, "predicted", start, end - start);
      trace.set_args(event, {{"kernel", model.facts.names[i]},
                             {"record", model.facts.kernels[i].id},
                             {"source", std::string(name_of(kernel.tier))},
                             {"low_us", kernel.low_us},
                             {"high_us", kernel.high_us}});
      at += kernel.us;
    }
    if (model.prediction.us > at)
      trace.add_event(row, "[overhead]", "predicted", nanoseconds(at),
                      nanoseconds(model.prediction.us) - nanoseconds(at));
  }
  return trace;
}

}  // namespace takt
