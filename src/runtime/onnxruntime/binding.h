// What an inference of ONNX Runtime reads and writes.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/onnxruntime/onnxruntime_tensors.h"
#include "runtime/runtime.h"

namespace takt::ort {

/// Inputs and outputs of one inference at a time, with the memory behind them.
class Binding {
 public:
  Binding(const std::vector<Port>& inputs, const std::vector<Port>& outputs) : inputs_(inputs), outputs_(outputs) {
    for (const auto& port : outputs_) output_names_.push_back(port.name.c_str());
    forget_outputs();
  }
  Binding(const Binding&) = delete;
  Binding& operator=(const Binding&) = delete;

  void set(std::vector<HostTensor> tensors) {
    tensors_ = std::move(tensors);
    input_names_.clear();
    values_.clear();
    for (auto& tensor : tensors_) {
      input_names_.push_back(tensor.name.c_str());
      values_.push_back(foreign_value(tensor));
    }
    forget_outputs();
  }

  /// One value in its owner's memory, which the runtime only reads.
  void set(std::size_t port, SharedTensor value) {
    const auto& name = inputs_[port].name;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (tensors_[i].name != name) continue;
      values_[i] = foreign_value(const_cast<HostTensor&>(*value));
      shared_[name] = std::move(value);
      return;
    }
  }

  /// The runtime's call and nothing else.
  void run(Ort::Session& session) {
    session.Run(options_, input_names_.data(), values_.data(), values_.size(), output_names_.data(), results_.data(),
                results_.size());
  }

  /// After a run: outputs of fixed shape are written to the same memory next time, others are allocated anew.
  void prepare_next() {
    for (std::size_t i = 0; i < results_.size(); ++i)
      if (!concrete(outputs_[i].shape) || outputs_[i].shape.empty() || outputs_[i].type == ElementType::string)
        results_[i] = Ort::Value(nullptr);
  }

  const std::vector<HostTensor>& tensors() const { return tensors_; }
  const std::vector<Ort::Value>& results() const { return results_; }

 private:
  void forget_outputs() {
    results_.clear();
    for (std::size_t i = 0; i < outputs_.size(); ++i) results_.emplace_back(nullptr);
  }

  const std::vector<Port>&inputs_, &outputs_;
  std::vector<HostTensor> tensors_;
  std::map<std::string, SharedTensor> shared_;  ///< keeps alive what values_ look at
  std::vector<const char*> input_names_, output_names_;
  std::vector<Ort::Value> values_, results_;
  Ort::RunOptions options_;
};

}  // namespace takt::ort
