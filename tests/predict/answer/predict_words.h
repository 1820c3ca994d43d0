// Small words for tests of predictions: kernels, models and datasets whose times follow a law that the test knows.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "base/statistics/random.h"
#include "predict/fit/dataset.h"

namespace takt {

inline KernelFacts kernel(const std::string& op_type, KernelGroup group, double flops, double bytes) {
  KernelFacts facts;
  facts.id = op_type + "_" + std::to_string(static_cast<long>(flops)) + "_" + std::to_string(static_cast<long>(bytes));
  facts.op_type = op_type;
  facts.number_type = "float32";
  facts.input_shape = "1x8";
  facts.group = group;
  facts.features.assign(feature_count, std::numeric_limits<double>::quiet_NaN());
  facts[Feature::flops] = flops;
  facts[Feature::input_bytes] = bytes;
  facts[Feature::output_bytes] = facts[Feature::weight_bytes] = 0;
  facts[Feature::model_weight_bytes] = facts[Feature::reuse_bytes] = 0;
  facts[Feature::threads] = 1;
  return facts;
}

inline CollectedModel model(const std::string& name, const std::string& family) {
  CollectedModel made;
  made.model = name + ".onnx";
  made.architecture = name;
  made.family = family;
  made.runtime = "onnxruntime", made.runtime_version = "1", made.device = "CPU", made.machine = "a machine";
  made.constants = {1e9, 1e9};  // 1000 FLOP or bytes per microsecond
  made.rounds = 2;
  return made;
}

/// What a kernel takes, in microseconds.
using Law = std::function<double(const KernelFacts&)>;

/// Models of `kernels` convolutions and sums each, of random sizes, in four families; their times are those of `law`
/// with noise of this deviation, and 10 us + 0.5 us per kernel on top.
inline Dataset drawn_dataset(int models, int kernels, double noise, const Law& law, std::uint64_t seed = 1) {
  Random random(seed);
  Dataset dataset;
  for (int m = 0; m < models; ++m) {
    CollectedModel made = model("net" + std::to_string(m), "family" + std::to_string(m % 4));
    double sum = 0;
    for (int k = 0; k < kernels; ++k) {
      const double bytes = std::exp(uniform(random) * 5 + 7), work = std::exp(uniform(random) * 4);
      KernelFacts facts = k % 3 == 2
                              ? kernel("Add", KernelGroup::other, bytes / 8, bytes)
                              : kernel(k % 3 == 1 ? "Conv_Relu" : "Conv", KernelGroup::conv, bytes * work, bytes);
      const double us = law(facts) * std::exp(noise * standard_normal(random));
      sum += us;
      made.kernels.push_back({facts, "node" + std::to_string(k), us / 1000, noise});
    }
    made.latency_ms = (sum + 10 + 0.5 * kernels) / 1000;
    made.noise = noise;
    dataset.models.push_back(std::move(made));
  }
  return dataset;
}

}  // namespace takt
