#include "pipeline/stages/part_models.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "measure/open/prepared_model.h"
#include "model/onnx/onnx.h"
#include "model/onnx/open.h"
#include "pipeline/stages/stage_executor.h"

namespace takt {

PartModels::PartModels(std::filesystem::path model, const RunSettings& settings, int axis,
                       const std::vector<bool>& divided)
    : model_(std::move(model)), axis_(axis) {
  const auto inputs = declared_inputs(model_, settings);
  const auto a = static_cast<std::size_t>(axis);
  for (std::size_t i = 0; i < inputs.size() && i < divided.size(); ++i)
    if (divided[i] && inputs[i].shape.size() > a && inputs[i].shape[a].value) fixed_.push_back(inputs[i].name);
}

std::optional<std::size_t> PartModels::free_axis(const StageExecutorSettings& part) const {
  if (!fixes_rows() || !traits_of(choose_runtime(model_, run_settings(part)).name).reshapes) return {};
  return static_cast<std::size_t>(axis_);
}

std::filesystem::path PartModels::model_for(const StageExecutorSettings& part) {
  if (!fixes_rows() || free_axis(part)) return model_;
  if (!is_onnx_file(model_))
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: fixes dimension {} of its inputs, and takt can make dimensions dynamic in ONNX files "
                            "only; export it with that dimension dynamic",
                            printable(model_.string()), axis_));
  if (copy_.empty()) {
    folder_.emplace("takt-split");
    copy_ = folder_->path() / model_.filename();
    write_with_open_dimension(model_, fixed_, axis_, copy_);
  }
  return copy_;
}

}  // namespace takt
