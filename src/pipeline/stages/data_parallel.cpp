#include "takt/data_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>

#include "base/basics/error.h"
#include "base/basics/units.h"
#include "base/system/watched_work.h"
#include "measure/open/run_settings.h"
#include "model/inputs/tensor_distance.h"
#include "model/runtime/tensor_checks.h"
#include "model/sim/simulated.h"
#include "pipeline/spec/public_door.h"
#include "pipeline/stages/merged_memory.h"
#include "pipeline/stages/opened_model.h"
#include "pipeline/stages/part_models.h"
#include "pipeline/stages/simulated_times.h"
#include "pipeline/stages/stage_executor.h"
#include "pipeline/stages/stage_model.h"
#include "pipeline/stages/tensor_split.h"

namespace takt {

namespace {

// Parts of a matrix product are added up in another order than the whole; another device or runtime may compute them
// in another precision, too (OpenVINO's GPU in half of it).
constexpr double tolerance = 1e-4, tolerance_between_devices = 2e-2;

constexpr int most_replicas = 1024;  // a number beyond is a slip, and would take all memory

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::bad_input, message); }

std::string runtime_of(const DataParallelSettings& settings, std::size_t part) {
  return settings.runtimes.empty() ? settings.stage.runtime : settings.runtimes[part];
}

/// The whole model where this part runs, to compare with.
StageExecutorSettings undivided_on(const DataParallelSettings& settings, std::size_t part) {
  auto whole = settings.stage;
  whole.device = settings.devices[part];
  whole.runtime = runtime_of(settings, part);
  whole.counters = false;
  return whole;
}

void check_ratio(const std::vector<double>& ratio) {
  const bool positive = std::all_of(ratio.begin(), ratio.end(), [](double share) { return share > 0; });
  const double sum = std::accumulate(ratio.begin(), ratio.end(), 0.0);
  if (!positive || !(std::abs(sum - 1) < 1e-3))
    refuse(fmt::format("the shares of a data-parallel stage ({}) must be above 0 and add up to 1",
                       fmt::join(ratio, " + ")));
}

void check(const DataParallelSettings& settings) {
  if (settings.devices.size() < 2) refuse("a data-parallel stage needs two devices or more; one may be named twice");
  if (!settings.runtimes.empty() && settings.runtimes.size() != settings.devices.size())
    refuse(fmt::format("a data-parallel stage has {} runtimes for {} devices; give one each, or none",
                       settings.runtimes.size(), settings.devices.size()));
  if (settings.replicas < 1 || settings.replicas > most_replicas)
    refuse(fmt::format(
        "a data-parallel stage with {} replicas is not possible; give 1 to {}, each takes one batch at a time",
        settings.replicas, most_replicas));
  for (std::size_t p = 0; p < settings.devices.size(); ++p) check_settings(undivided_on(settings, p));
  if (!settings.ratio) return;
  if (settings.ratio->size() != settings.devices.size())
    refuse(fmt::format("a data-parallel stage has {} shares for {} devices; give one each", settings.ratio->size(),
                       settings.devices.size()));
  check_ratio(*settings.ratio);
}

/// Executors of the caller's own.
void check(const std::vector<std::unique_ptr<StageExecutor>>& executors, const std::vector<double>& ratio) {
  if (ratio.empty()) refuse("a data-parallel stage without shares has no parts; give a share for each part");
  check_ratio(ratio);
  if (executors.empty() || executors.size() % ratio.size() != 0)
    refuse(fmt::format(
        "a data-parallel stage of {} parts has {} executors; give one per part, or several per part for replicas",
        ratio.size(), executors.size()));
  if (std::find(executors.begin(), executors.end(), nullptr) != executors.end())
    refuse("an executor of a data-parallel stage is null; give one for every part");
}

}  // namespace

struct DataParallelStage::State {
  State(const std::filesystem::path& model, const DataParallelSettings& settings);
  State(std::vector<std::unique_ptr<StageExecutor>> of_parts, std::vector<double> shares)
      : ratio(std::move(shares)), rows(ratio.size(), 1), executors(std::move(of_parts)) {
    check(executors, ratio);
  }

  void measure_ratio(const std::filesystem::path& model, const DataParallelSettings& settings);
  void open_parts(const std::filesystem::path& model, const DataParallelSettings& settings);
  OpenedModel open_part(PartModels& models, const StageExecutorSettings& settings,
                        const std::vector<SharedTensor>& values) const;
  void check_merged(const DataParallelSettings& settings);
  void compare_with_whole(const std::vector<SharedTensor>& merged, bool values, double most);
  std::vector<StageResult> run_parts(std::int64_t batch, const std::vector<InputValues>& values);
  void wait_for_all();
  DataParallelResult run(std::int64_t batch, const InputValues& inputs);
  std::vector<InputValues> partition(const InputValues& inputs) const;
  std::vector<SharedTensor> merge(const std::vector<std::vector<SharedTensor>>& parts) const;

  std::size_t parts() const { return rows.size(); }
  StageExecutor& part(int replica, std::size_t p) {
    const auto replicas = executors.size() / parts();
    if (replica < 0 || static_cast<std::size_t>(replica) >= replicas || p >= parts())
      refuse(fmt::format("a data-parallel stage has no part {} of replica {}; it has {} parts and {} replicas, from 0",
                         p, replica, parts(), replicas));
    return *executors[static_cast<std::size_t>(replica) * parts() + p];
  }
  void check_port(std::size_t port, const SharedTensor& value) const;
  bool is_divided(std::size_t input) const { return input < divided.size() && divided[input]; }

  int axis = 0;
  std::string runtime_name;
  std::vector<std::string> runtimes;  ///< of each part
  std::optional<double> deviation;
  std::vector<double> ratio;
  std::vector<std::int64_t> rows;
  std::vector<Port> inputs;
  std::vector<bool> divided;  ///< by input: it has as many rows as the first one
  std::vector<SharedTensor> sample_inputs, sample_outputs;
  std::shared_ptr<MergedMemory> memory = std::make_shared<MergedMemory>();
  std::vector<std::unique_ptr<StageExecutor>> executors;  ///< replica · parts + part
};

Nanoseconds DataParallelResult::stage_total() const {
  const auto longest = std::max_element(device_time.begin(), device_time.end());
  return partition_time + (longest == device_time.end() ? Nanoseconds(0) : *longest) + sync_merge_time;
}

DataParallelStage::DataParallelStage(const std::filesystem::path& model, const DataParallelSettings& settings)
    : state_(at_the_door([&] { return std::make_unique<State>(model, settings); })) {}
DataParallelStage::DataParallelStage(std::vector<std::unique_ptr<StageExecutor>> executors, std::vector<double> ratio)
    : state_(at_the_door([&] { return std::make_unique<State>(std::move(executors), std::move(ratio)); })) {}
DataParallelStage::~DataParallelStage() = default;

const std::vector<Port>& DataParallelStage::inputs() const { return state_->inputs; }
const std::vector<SharedTensor>& DataParallelStage::sample_inputs() const { return state_->sample_inputs; }
const std::vector<SharedTensor>& DataParallelStage::sample_outputs() const { return state_->sample_outputs; }
const std::string& DataParallelStage::runtime_name() const { return state_->runtime_name; }
const std::vector<std::string>& DataParallelStage::runtimes() const { return state_->runtimes; }
std::optional<double> DataParallelStage::deviation() const { return state_->deviation; }
const std::vector<std::int64_t>& DataParallelStage::rows() const { return state_->rows; }
const std::vector<double>& DataParallelStage::ratio() const { return state_->ratio; }
std::size_t DataParallelStage::parts() const { return state_->parts(); }
StageExecutor& DataParallelStage::part(int replica, std::size_t part) { return state_->part(replica, part); }
std::vector<DataParallelStage::InputValues> DataParallelStage::partition(const InputValues& inputs) const {
  return at_the_door([&] { return state_->partition(inputs); });
}
std::vector<SharedTensor> DataParallelStage::merge(const std::vector<std::vector<SharedTensor>>& parts) const {
  return at_the_door([&] { return state_->merge(parts); });
}
DataParallelResult DataParallelStage::run(std::int64_t batch, const InputValues& inputs) {
  return at_the_door([&] { return state_->run(batch, inputs); });
}

DataParallelStage::State::State(const std::filesystem::path& model, const DataParallelSettings& settings)
    : axis(settings.axis) {
  check(settings);
  const OpenedModel whole(model, undivided_on(settings, 0), settings.first);
  inputs = whole.inputs();
  runtime_name = whole.runtime_name();
  sample_inputs = whole.sample_inputs();
  sample_outputs = whole.sample_outputs();
  ratio = settings.ratio.value_or(std::vector<double>{});
  if (!settings.ratio) measure_ratio(model, settings);
  const auto a = static_cast<std::size_t>(axis);
  if (sample_inputs.empty() || sample_inputs.front()->shape.size() <= a)
    refuse(
        fmt::format("{}: its first input has no axis {}; split along another axis", model.filename().string(), axis));
  const std::int64_t all = sample_inputs.front()->shape[a];
  rows = rows_of(ratio, all);
  for (const auto& value : sample_inputs) divided.push_back(value->shape.size() > a && value->shape[a] == all);
  open_parts(model, settings);
  check_merged(settings);
}

void DataParallelStage::State::measure_ratio(const std::filesystem::path& model, const DataParallelSettings& settings) {
  constexpr int runs = 5;
  std::vector<Nanoseconds> times;
  for (std::size_t p = 0; p < settings.devices.size(); ++p) {
    std::size_t same = 0;
    while (settings.devices[same] != settings.devices[p] || runtime_of(settings, same) != runtime_of(settings, p))
      ++same;
    times.push_back(same < p ? times[same]
                             : OpenedModel(model, undivided_on(settings, p), settings.first).median_time(runs));
  }
  ratio = balanced_ratio(times);
}

void DataParallelStage::State::open_parts(const std::filesystem::path& model, const DataParallelSettings& settings) {
  InputValues all;
  for (std::size_t i = 0; i < sample_inputs.size(); ++i) all.emplace_back(i, sample_inputs[i]);
  const auto values = partition(all);
  PartModels models(model, run_settings(undivided_on(settings, 0)), axis, divided);
  for (int replica = 0; replica < settings.replicas; ++replica)
    for (std::size_t p = 0; p < parts(); ++p) {
      auto part = settings.stage;
      part.device = settings.devices[p];
      part.runtime = runtime_of(settings, p);
      part.outputs = true;  // the merge needs them
      part.inputs.clear();
      std::vector<SharedTensor> of_part = sample_inputs;
      for (const auto& [port, value] : values[p]) of_part[port] = value;
      for (std::size_t i = 0; i < of_part.size(); ++i)
        part.inputs.push_back(input_text(inputs[i].name, of_part[i]->shape));
      OpenedModel opened = open_part(models, part, of_part);
      if (replica == 0) {
        runtimes.push_back(opened.runtime_name());
        auto& sizes = memory->part_sizes.emplace_back();
        for (const auto& output : opened.sample_outputs()) sizes.push_back(output->bytes.size());
      }
      executors.push_back(opened.make_executor([to = memory, replica, p](std::int64_t batch, std::size_t port) {
        return to->take(replica, p, batch, port);
      }));
    }
  if (axis == 0) memory->open(sample_outputs);
}

/// What a runtime says of a part is mostly the number of rows that the model's operators fix.
OpenedModel DataParallelStage::State::open_part(PartModels& models, const StageExecutorSettings& settings,
                                                const std::vector<SharedTensor>& values) const try {
  return {models.model_for(settings), settings, values, models.free_axis(settings)};
} catch (const Error& error) {
  if (!models.fixes_rows() || error.kind() == ErrorKind::unsupported) throw;
  throw Error(error.kind(), fmt::format("the model fixes its number of rows ({} of input '{}') and does not run in "
                                        "parts: {}; export it with that dimension dynamic, or do not split it",
                                        to_string(sample_inputs.front()->shape), inputs.front().name, error.what()));
}

void DataParallelStage::State::check_merged(const DataParallelSettings& settings) {
  InputValues all;
  for (std::size_t i = 0; i < sample_inputs.size(); ++i) all.emplace_back(i, sample_inputs[i]);
  begin_step("running its parts once");
  const auto merged = run(0, all).outputs;
  bool alike = true;
  for (std::size_t p = 0; p < parts(); ++p)
    alike = alike && settings.devices[p] == settings.devices.front() && runtimes[p] == runtimes.front();
  const bool drawn = runtime_name == simulated_runtime;  // nothing was computed
  compare_with_whole(merged, settings.verify && !drawn, alike ? tolerance : tolerance_between_devices);
}

void DataParallelStage::State::compare_with_whole(const std::vector<SharedTensor>& merged, bool values, double most) {
  const auto refuse_division = [&](const std::string& what, const char* more) {
    refuse(fmt::format("the stage cannot be split along axis {}: {}; split along another axis, or do not split it{}",
                       axis, what, more));
  };
  for (std::size_t o = 0; o < merged.size(); ++o) {
    const auto &whole = *sample_outputs[o], &parts = *merged[o];
    const bool is_alike = whole.type == parts.type && whole.shape == parts.shape;
    if (is_alike && !values) continue;
    // Parts on other devices may round otherwise, which in quantised models moves an integer by one.
    const auto off = distance_of(whole, parts, most == tolerance ? Integers::exact : Integers::rounded);
    if (!is_alike) refuse_division(off.what, "");
    if (!(off.share <= most)) refuse_division(off.what, "; if values differ between runs, turn 'verify' off");
    deviation = std::max(deviation.value_or(0), off.share);
  }
}

/// Of executors of the caller's, the first says which ports there are; a function does not.
void DataParallelStage::State::check_port(std::size_t port, const SharedTensor& value) const {
  if (!value)
    refuse(fmt::format("the value of input {} is null; leave it out to keep the input's current value", port));
  const std::size_t ports = inputs.empty() ? executors.front()->inputs().size() : inputs.size();
  if (ports > 0 && port >= ports) refuse(fmt::format("input number {} does not exist; the model has {}", port, ports));
  if (const auto fault = fault_of(*value)) refuse(fmt::format("the value of input {} {}", port, *fault));
}

std::vector<DataParallelStage::InputValues> DataParallelStage::State::partition(const InputValues& values) const {
  std::vector<InputValues> result(parts());
  for (const auto& [port, value] : values) {
    check_port(port, value);
    if (!is_divided(port)) {
      for (auto& part : result) part.emplace_back(port, value);
      continue;
    }
    auto pieces = split_tensor(value, axis, rows);
    for (std::size_t p = 0; p < pieces.size(); ++p) result[p].emplace_back(port, std::move(pieces[p]));
  }
  return result;
}

std::vector<SharedTensor> DataParallelStage::State::merge(const std::vector<std::vector<SharedTensor>>& parts) const {
  if (parts.size() != this->parts())
    refuse(fmt::format("outputs of {} parts were given, but the stage has {}; give those of every part", parts.size(),
                       this->parts()));
  std::size_t most = 0;
  for (const auto& of_part : parts) most = std::max(most, of_part.size());
  std::vector<SharedTensor> outputs;
  for (std::size_t o = 0; o < most; ++o) {
    std::vector<SharedTensor> pieces;
    for (const auto& of_part : parts) {
      if (o >= of_part.size() || !of_part[o])
        refuse(fmt::format("a part has no output {} to merge; give all outputs of every part", o));
      pieces.push_back(of_part[o]);
    }
    outputs.push_back(std::make_shared<HostTensor>(merge_tensors(pieces, axis)));
  }
  return outputs;
}

// All of them, also when one fails: the callbacks of the others write into what the caller holds.
void DataParallelStage::State::wait_for_all() {
  std::exception_ptr failure;
  for (std::size_t p = 0; p < parts(); ++p) try {
      part(0, p).wait();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  if (failure) std::rethrow_exception(failure);
}

std::vector<StageResult> DataParallelStage::State::run_parts(std::int64_t batch,
                                                             const std::vector<InputValues>& values) {
  std::vector<StageResult> done(parts());
  std::exception_ptr failure;
  for (std::size_t p = 0; p < parts() && !failure; ++p) try {
      part(0, p).set_callback([&done, p](StageResult of_part) { done[p] = std::move(of_part); });
      part(0, p).start_async(batch, values[p]);
    } catch (...) {
      failure = std::current_exception();
    }
  try {
    wait_for_all();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  for (std::size_t p = 0; p < parts(); ++p) part(0, p).set_callback({});
  if (failure) std::rethrow_exception(failure);
  return done;
}

DataParallelResult DataParallelStage::State::run(std::int64_t batch, const InputValues& values) {
  DataParallelResult result;
  result.batch = batch;
  result.begin = steady_now();
  const auto of_parts = partition(values);
  const auto dispatch = steady_now();
  result.partition_time = dispatch - result.begin;
  auto done = run_parts(batch, of_parts);
  std::vector<std::vector<SharedTensor>> outputs;
  Nanoseconds first = done.front().completed, last = first;
  for (std::size_t p = 0; p < parts(); ++p) {
    result.device_time.push_back(done[p].completed - dispatch);
    first = std::min(first, done[p].completed);
    last = std::max(last, done[p].completed);
    outputs.push_back(std::move(done[p].outputs));
    result.parts.push_back({part(0, p).device(), done[p].submitted, done[p].completed, done[p].counters});
  }
  result.wake_up = steady_now() - last;
  result.outputs = merge(outputs);
  result.sync_merge_time = steady_now() - last;
  result.skew = last - first;
  return result;
}

}  // namespace takt
