// Scaling of the loss for mixed precision, which libtorch's C++ interface lacks: small gradients would be zero in half
// precision. Grows while steps succeed, shrinks and skips the step where a gradient is not finite (as PyTorch's
// GradScaler, with its constants).
#pragma once

#include <torch/optim/optimizer.h>
#include <torch/types.h>

namespace takt {

class GradientScale {
 public:
  explicit GradientScale(bool is_used) : is_used_(is_used) {}
  torch::Tensor scaled(const torch::Tensor& loss) const { return is_used_ ? loss * scale_ : loss; }
  /// The optimizer's step with the gradients as they are without the scale, or none. Reads one value back.
  void step(torch::optim::Optimizer& optimizer);
  double scale() const { return scale_; }

 private:
  bool is_used_;
  double scale_ = 65536;
  int good_steps_ = 0;
};

}  // namespace takt
