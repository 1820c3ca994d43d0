#include "pipeline/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "core/error.h"
#include "pipeline/opened_model.h"
#include "pipeline/simulated_times.h"
#include "pipeline/stage_model.h"
#include "pipeline/tensor_split.h"

namespace takt {

// Parts of a matrix product are added up in another order than the whole.
constexpr double tolerance = 1e-4;

Nanoseconds DataParallelResult::stage_total() const {
  const auto longest = std::max_element(device_time.begin(), device_time.end());
  return partition_time + (longest == device_time.end() ? Nanoseconds(0) : *longest) + sync_merge_time;
}

DataParallelStage::DataParallelStage(const std::filesystem::path& model, const DataParallelSettings& settings)
    : axis_(settings.axis) {
  if (settings.devices.size() < 2)
    throw Error(ErrorKind::bad_input, "a data-parallel stage needs two devices or more; one may be named twice");
  auto whole_settings = settings.stage;
  whole_settings.device = settings.devices.front();
  whole_settings.counters = false;
  const OpenedModel whole(model, whole_settings, {});
  inputs_ = whole.inputs();
  runtime_name_ = whole.runtime_name();
  sample_inputs_ = whole.sample_inputs();
  sample_outputs_ = whole.sample_outputs();
  ratio_ = settings.ratio.value_or(std::vector<double>{});
  if (!settings.ratio) measure_ratio(model, settings);
  const auto a = static_cast<std::size_t>(axis_);
  if (sample_inputs_.empty() || sample_inputs_.front()->shape.size() <= a)
    throw Error(ErrorKind::bad_input, fmt::format("{}: its first input has no axis {}; divide along another one",
                                                  model.filename().string(), axis_));
  const std::int64_t rows = sample_inputs_.front()->shape[a];
  rows_ = rows_of(ratio_, rows);
  for (const auto& value : sample_inputs_) divided_.push_back(value->shape.size() > a && value->shape[a] == rows);
  open_parts(model, settings);
  check_merged(settings.verify);
}

DataParallelStage::DataParallelStage(std::vector<std::unique_ptr<StageExecutor>> executors, std::vector<double> ratio)
    : ratio_(std::move(ratio)), rows_(ratio_.size(), 1), executors_(std::move(executors)) {}

void DataParallelStage::measure_ratio(const std::filesystem::path& model, const DataParallelSettings& settings) {
  constexpr int runs = 5;
  std::vector<Nanoseconds> times;
  for (std::size_t p = 0; p < settings.devices.size(); ++p) {
    const auto& device = settings.devices[p];
    const auto same = std::find(settings.devices.begin(), settings.devices.end(), device) - settings.devices.begin();
    if (same < static_cast<std::ptrdiff_t>(p)) {
      times.push_back(times[static_cast<std::size_t>(same)]);
      continue;
    }
    auto alone = settings.stage;
    alone.device = device;
    alone.counters = false;
    times.push_back(OpenedModel(model, alone, {}).median_time(runs));
  }
  ratio_ = balanced_ratio(times);
}

void DataParallelStage::open_parts(const std::filesystem::path& model, const DataParallelSettings& settings) {
  InputValues all;
  for (std::size_t i = 0; i < sample_inputs_.size(); ++i) all.emplace_back(i, sample_inputs_[i]);
  const auto values = partition(all);
  for (int replica = 0; replica < settings.replicas; ++replica)
    for (std::size_t p = 0; p < parts(); ++p) {
      auto part = settings.stage;
      part.device = settings.devices[p];
      part.inputs.clear();
      std::vector<SharedTensor> inputs = sample_inputs_;
      for (const auto& [port, value] : values[p]) inputs[port] = value;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        part.inputs.push_back(generated(inputs_[i].name, inputs[i]->shape));
      executors_.push_back(OpenedModel(model, part, inputs).make_executor());
    }
}

void DataParallelStage::check_merged(bool verify) {
  InputValues all;
  for (std::size_t i = 0; i < sample_inputs_.size(); ++i) all.emplace_back(i, sample_inputs_[i]);
  const auto merged = run(0, all).outputs;
  for (std::size_t o = 0; o < merged.size(); ++o) {
    const auto &whole = *sample_outputs_[o], &parts = *merged[o];
    const std::string what = verify                       ? difference(whole, parts, tolerance)
                             : whole.shape != parts.shape ? difference(whole, parts, tolerance)
                                                          : std::string();
    if (!what.empty())
      throw Error(ErrorKind::bad_input,
                  fmt::format("the stage cannot be divided along axis {}: {}; divide along another axis, or do not "
                              "split it",
                              axis_, what));
  }
}

StageExecutor& DataParallelStage::part(int replica, std::size_t part) {
  return *executors_[static_cast<std::size_t>(replica) * parts() + part];
}

std::vector<DataParallelStage::InputValues> DataParallelStage::partition(const InputValues& inputs) const {
  std::vector<InputValues> result(parts());
  for (const auto& [port, value] : inputs) {
    if (!is_divided(port)) {
      for (auto& part : result) part.emplace_back(port, value);
      continue;
    }
    auto pieces = split_tensor(*value, axis_, rows_);
    for (std::size_t p = 0; p < pieces.size(); ++p)
      result[p].emplace_back(port, std::make_shared<HostTensor>(std::move(pieces[p])));
  }
  return result;
}

std::vector<SharedTensor> DataParallelStage::merge(const std::vector<std::vector<SharedTensor>>& parts) const {
  std::vector<SharedTensor> outputs;
  for (std::size_t o = 0; o < parts.front().size(); ++o) {
    std::vector<const HostTensor*> pieces;
    for (const auto& part : parts) pieces.push_back(part[o].get());
    outputs.push_back(std::make_shared<HostTensor>(merge_tensors(pieces, axis_)));
  }
  return outputs;
}

// All of them, also when one fails: the callbacks of the others write into what the caller holds.
void DataParallelStage::wait_for_all() {
  std::exception_ptr failure;
  for (std::size_t p = 0; p < parts(); ++p) try {
      part(0, p).wait();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  if (failure) std::rethrow_exception(failure);
}

DataParallelResult DataParallelStage::run(std::int64_t batch, const InputValues& inputs) {
  DataParallelResult result;
  result.batch = batch;
  const auto begin = steady_now();
  const auto values = partition(inputs);
  const auto dispatch = steady_now();
  result.partition_time = dispatch - begin;
  std::vector<StageResult> done(parts());
  for (std::size_t p = 0; p < parts(); ++p) {
    part(0, p).set_callback([&done, p](StageResult of_part) { done[p] = std::move(of_part); });
    part(0, p).start_async(batch, values[p]);
  }
  wait_for_all();
  std::vector<std::vector<SharedTensor>> outputs;
  Nanoseconds first = done.front().completed, last = first;
  for (auto& of_part : done) {
    result.device_time.push_back(of_part.completed - dispatch);
    first = std::min(first, of_part.completed);
    last = std::max(last, of_part.completed);
    outputs.push_back(std::move(of_part.outputs));
  }
  result.outputs = merge(outputs);
  result.sync_merge_time = steady_now() - last;
  result.skew = last - first;
  return result;
}

}  // namespace takt
