// Synthetic pictures with labels, and what loading one costs.
#pragma once

#include <torch/data/datasets/base.h>
#include <torch/data/example.h>

#include "training/scenario/scenario.h"

namespace takt {

/// The same pictures for the same seed. get() may be called by several threads.
class Pictures : public torch::data::datasets::Dataset<Pictures> {
 public:
  /// `count` items of {3, side, side}, labels 0 to 9.
  Pictures(std::size_t count, int side, std::uint64_t seed, const Pressure& pressure);

  torch::data::Example<> get(std::size_t index) override;
  torch::optional<std::size_t> size() const override { return count_; }

 private:
  std::size_t count_;
  Pressure pressure_;
  torch::Tensor kept_, labels_;  // few of them, used in turn
};

}  // namespace takt
