#include "measure/open/output_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "model/inputs/tensor_values.h"

namespace takt {
namespace {

void check_range(const HostTensor& tensor, double range) {
  if (!is_float(tensor.type)) return;
  for (std::size_t i = 0; i < count_of(tensor); ++i) {
    const double value = *value_at(tensor, i);
    if (std::abs(value) < range) continue;  // false for NaN
    throw Error(
        ErrorKind::runtime,
        fmt::format("output '{}' of shape {} is {} at {}, but --range requires less than {}", printable(tensor.name),
                    to_string(tensor.shape), value, index_text(tensor.shape, i), range));
  }
}

[[noreturn]] void report(const HostTensor& before, const HostTensor& now, std::size_t run) {
  const std::string what = fmt::format("output '{}' of run {} differs from the first run", printable(now.name), run);
  std::size_t size = before.bytes.size() / std::max<std::size_t>(1, count_of(before)), i = 0;
  while (i < before.bytes.size() && i < now.bytes.size() && before.bytes[i] == now.bytes[i]) ++i;
  const bool same_shape = before.shape == now.shape && size && i < before.bytes.size();
  const auto old_value = same_shape ? value_at(before, i / size) : std::nullopt;
  const auto new_value = same_shape ? value_at(now, i / size) : std::nullopt;
  if (!old_value || !new_value) throw Error(ErrorKind::runtime, what);
  throw Error(ErrorKind::runtime,
              fmt::format("{}: {} instead of {} at {}", what, *new_value, *old_value, index_text(now.shape, i / size)));
}

}  // namespace

void OutputChecks::after_run(Session& session, std::size_t run) {
  const bool repeat = repeat_ && run % repeat_->every == 0;
  if (!range_ && !repeat) return;
  auto outputs = session.outputs_of_last_run();
  if (range_)
    for (const auto& tensor : outputs) check_range(tensor, *range_);
  if (!repeat) return;
  if (repeat_->first_output >= outputs.size())
    throw Error(ErrorKind::bad_input, fmt::format("--check-var-value: output {} does not exist; the model has {}",
                                                  repeat_->first_output, outputs.size()));
  if (first_.empty()) {
    first_ = std::move(outputs);
    return;
  }
  for (std::size_t i = repeat_->first_output; i < outputs.size(); ++i)
    if (outputs[i].shape != first_[i].shape || outputs[i].bytes != first_[i].bytes ||
        outputs[i].strings != first_[i].strings)
      report(first_[i], outputs[i], run);
}

}  // namespace takt
