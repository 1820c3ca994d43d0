// What is trained: a small convolutional network, or chains of tiny operators, with the scenario's faults inside.
#pragma once

#include <torch/nn.h>

#include "scenario/scenario.h"

namespace takt {

/// Three convolutions that halve the picture, the mean over what is left, and a linear layer to 10 classes.
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
  torch::nn::Linear last_{nullptr};
  double read_ = 0;
};

/// A linear layer on the mean colours, a chain of operators on its {n, 4 * width} numbers, and a linear layer.
class TinyOpsBlock : public torch::nn::Module {
 public:
  TinyOpsBlock(int width, const Pressure& pressure);
  torch::Tensor forward(torch::Tensor pictures);  ///< {n, 3, side, side} to {n, 10}

 private:
  Pressure pressure_;
  torch::nn::Linear first_{nullptr}, last_{nullptr};
};

}  // namespace takt
