#include "training/trainer/networks.h"

namespace takt {
namespace {

constexpr int classes = 10, places = 4;  // in which values are read: behind each convolution and the mean

}  // namespace

SimpleCnn::SimpleCnn(int width, const Pressure& pressure) : pressure_(pressure) {
  const auto convolution = [&](const char* name, int in, int out) {
    return register_module(name, torch::nn::Conv2d(torch::nn::Conv2dOptions(in, out, 3).padding(1)));
  };
  first_ = convolution("first", 3, width);
  second_ = convolution("second", width, 2 * width);
  third_ = convolution("third", 2 * width, 4 * width);
  tiny_ = register_module("tiny", std::make_shared<TinyOpsBlock>(pressure.tiny_ops));
  last_ = register_module("last", torch::nn::Linear(4 * width, classes));
}

torch::Tensor SimpleCnn::forward(torch::Tensor pictures) {
  torch::Tensor x = layer(first_, pictures, 0);
  x = layer(second_, x, 1);
  x = layer(third_, x, 2);
  x = x.mean({2, 3});
  read_values(x, 3);
  return last_(tiny_->forward(x));
}

torch::Tensor SimpleCnn::layer(torch::nn::Conv2d& convolution, const torch::Tensor& x, int number) {
  torch::Tensor y = torch::relu(convolution(x));
  if (number == 0) churn(y);
  read_values(y, number);
  return torch::max_pool2d(y, 2);
}

void SimpleCnn::read_values(const torch::Tensor& x, int number) {
  const torch::Tensor plain = x.detach();
  for (int i = number; i < pressure_.reads; i += places) {
    torch::Tensor value = plain;
    while (value.dim() > 0) value = value[i % value.size(0)];
    read_ += value.item<double>();
  }
}

void SimpleCnn::churn(const torch::Tensor& like) {
  const torch::NoGradGuard guard;
  for (int i = 0; i < pressure_.temporaries; ++i) torch::zeros_like(like);
}

torch::Tensor TinyOpsBlock::forward(torch::Tensor x) {
  for (int i = 0; i < operators_; ++i) {
    switch (i % 4) {
      case 0:
        x = x * 1.001;
        break;
      case 1:
        x = x + 0.001;
        break;
      case 2:
        x = x * 0.999;
        break;
      default:
        x = x - 0.001;
    }
  }
  return x;
}

}  // namespace takt
