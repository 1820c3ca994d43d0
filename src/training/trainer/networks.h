// What is trained: a small convolutional network with the scenario's fault inside.
#pragma once

#include <torch/nn.h>

#include "training/scenario/scenario.h"

namespace takt {

/// A chain of operators on few numbers, each of which takes longer to call than to compute.
class TinyOpsBlock : public torch::nn::Module {
 public:
  explicit TinyOpsBlock(int operators) : operators_(operators) {}
  torch::Tensor forward(torch::Tensor x);  ///< of any shape, which stays

 private:
  int operators_;
};

/// Three convolutions that halve the picture, the mean over what is left, TinyOpsBlock where the scenario asks for it,
/// and a linear layer to 10 classes.
class SimpleCnn : public torch::nn::Module {
 public:
  SimpleCnn(int width, const Pressure& pressure);
  torch::Tensor forward(torch::Tensor pictures);  ///< {n, 3, side, side} to {n, 10}

 private:
  torch::Tensor layer(torch::nn::Conv2d& convolution, const torch::Tensor& x, int number);
  void read_values(const torch::Tensor& x, int number);
  void churn(const torch::Tensor& like);

  Pressure pressure_;
  torch::nn::Conv2d first_{nullptr}, second_{nullptr}, third_{nullptr};
  std::shared_ptr<TinyOpsBlock> tiny_;
  torch::nn::Linear last_{nullptr};
  double read_ = 0;
};

}  // namespace takt
