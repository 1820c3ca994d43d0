#include "training/trainer/gradient_scale.h"

#include <torch/utils.h>

#include <vector>

namespace takt {
namespace {

constexpr int growth_interval = 2000;
constexpr double growth = 2, backoff = 0.5;

}  // namespace

void GradientScale::step(torch::optim::Optimizer& optimizer) {
  if (!is_used_) {
    optimizer.step();
    return;
  }
  const torch::NoGradGuard guard;
  std::vector<torch::Tensor> sums;
  for (const auto& group : optimizer.param_groups()) {
    for (const torch::Tensor& parameter : group.params()) {
      if (!parameter.grad().defined()) continue;
      parameter.mutable_grad().mul_(1 / scale_);
      sums.push_back(parameter.grad().sum());  // not finite where one of its numbers is not
    }
  }
  if (!sums.empty() && !torch::isfinite(torch::stack(sums)).all().item<bool>()) {
    scale_ *= backoff;
    good_steps_ = 0;
    return;
  }
  optimizer.step();
  if (++good_steps_ % growth_interval == 0) scale_ *= growth;
}

}  // namespace takt
