// What an inference of ONNX Runtime reads and writes.
#pragma once

#include <onnxruntime_cxx_api.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/system/interrupt.h"
#include "model/onnxruntime/subnormals.h"
#include "model/onnxruntime/tensors.h"
#include "model/runtime/runtime.h"

namespace takt::ort {

/// Inputs and outputs of one inference at a time, with the memory behind them.
class Binding {
 public:
  Binding(const std::vector<Port>& inputs, const std::vector<Port>& outputs) : inputs_(inputs), outputs_(outputs) {
    for (const auto& port : outputs_) output_names_.push_back(port.name.c_str());
    memory_.resize(outputs_.size());
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
      values_[i] = foreign_value(*value);
      shared_[name] = std::move(value);
      return;
    }
  }

  /// The inputs look at its own tensors again.
  void restore() {
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      if (shared_.count(tensors_[i].name) > 0) values_[i] = foreign_value(tensors_[i]);
    shared_.clear();
  }

  /// Where the next run writes this output. Of another shape than the model declares it would refuse the memory, and an
  /// output that is an input it would hand through without writing.
  void set_output(std::size_t port, const Shape& shape, std::shared_ptr<std::byte> memory) {
    const auto is_this = [&](const Port& input) { return input.name == outputs_[port].name; };
    if (std::any_of(inputs_.begin(), inputs_.end(), is_this)) return;
    if (const auto declared = concrete(outputs_[port].shape); declared && *declared != shape) return;
    results_[port] = value_over(memory.get(), outputs_[port].type, shape);
    memory_[port] = std::move(memory);
  }

  /// The outputs of the last run; the next one writes to other memory. What a failure leaves is let go, too.
  TakenOutputs take(const std::string& where) {
    TakenOutputs taken;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      auto memory = std::exchange(memory_[i], nullptr);
      HostTensor output = taken_output(std::exchange(results_[i], Ort::Value(nullptr)), std::move(memory), i, where);
      if (!output.bytes.is_shared()) taken.copied_bytes += held_bytes(output);
      taken.values.push_back(std::make_shared<HostTensor>(std::move(output)));
    }
    return taken;
  }

  /// The runtime's call and nothing else; see SubnormalsAsZero.
  void run(Ort::Session& session, bool subnormals_as_zero) {
    const SubnormalsAsZero set(subnormals_as_zero);
    session.Run(options_, input_names_.data(), values_.data(), values_.size(), output_names_.data(), results_.data(),
                results_.size());
  }

  /// Before a run: outputs of fixed shape are written to the same memory as last time, or to what was given for them;
  /// others are allocated anew, also where the model declares another shape than they come with.
  void prepare_next() {
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const Port& port = outputs_[i];
      const bool is_fixed = concrete(port.shape) && !port.shape.empty() && port.type != ElementType::string;
      if (!memory_[i] && !(is_fixed && comes_as_declared(i))) results_[i] = Ort::Value(nullptr);
    }
  }

  /// False: the last run gave output number `port` in another shape than the model declares for it.
  bool comes_as_declared(std::size_t port) const {
    const Ort::Value& value = results_[port];
    if (!value || !value.HasValue() || !value.IsTensor()) return true;
    const std::vector<std::int64_t> shape = value.GetTensorTypeAndShapeInfo().GetShape();
    const PartialShape& declared = outputs_[port].shape;
    if (declared.empty()) return true;  // or of a rank that is not known
    return shape.size() == declared.size() &&
           std::equal(shape.begin(), shape.end(), declared.begin(),
                      [](auto size, auto& dim) { return dim.value.value_or(size) == size; });
  }

  const std::vector<HostTensor>& tensors() const { return tensors_; }
  const std::vector<Ort::Value>& results() const { return results_; }

 private:
  HostTensor taken_output(Ort::Value value, std::shared_ptr<const void> memory, std::size_t port,
                          const std::string& where) const {
    const auto& name = outputs_[port].name;
    if (!memory && value && value.HasValue() && value.IsTensor() && outputs_[port].type != ElementType::string) {
      // An output that is an input: the runtime hands the memory of the input through, which is not its own.
      const auto* const data = static_cast<const std::byte*>(value.GetTensorRawData());
      for (const HostTensor& own : tensors_)
        if (is_inside(data, own)) return host_tensor(value, name, where);
      for (const auto& [of_input, shared] : shared_)
        if (is_inside(data, *shared)) memory = shared;
    }
    return adopted_tensor(std::move(value), std::move(memory), name, where);
  }

  static bool is_inside(const std::byte* data, const HostTensor& tensor) {
    return std::less_equal<>()(tensor.bytes.begin(), data) && std::less<>()(data, tensor.bytes.end());
  }

  void forget_outputs() {
    std::fill(memory_.begin(), memory_.end(), nullptr);
    results_.clear();
    for (std::size_t i = 0; i < outputs_.size(); ++i) results_.emplace_back(nullptr);
  }

  const std::vector<Port>&inputs_, &outputs_;
  std::vector<HostTensor> tensors_;
  std::map<std::string, SharedTensor> shared_;  ///< keeps alive what values_ look at
  std::vector<const char*> input_names_, output_names_;
  std::vector<Ort::Value> values_, results_;
  std::vector<std::shared_ptr<std::byte>> memory_;  ///< by output: what results_ look at; null: the runtime's own
  Ort::RunOptions options_;
  CancelledByInterrupt cancelled_{[this] { options_.SetTerminate(); }};  // last: it uses the options
};

}  // namespace takt::ort
