#include "training/trainer/training.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <ATen/record_function.h>
#include <torch/cuda.h>
#include <torch/data/dataloader.h>
#include <torch/data/datasets/map.h>
#include <torch/data/samplers/sequential.h>
#include <torch/data/transforms/stack.h>
#include <torch/optim/adamw.h>
#include <torch/utils.h>
#include <torch/version.h>

#include <chrono>
#include <optional>

#include "base/basics/error.h"
#include "training/trainer/gradient_scale.h"
#include "training/trainer/networks.h"
#include "training/trainer/pictures.h"
#include "training/trainer/training_profile.h"

namespace takt {
namespace {

constexpr int skipped_steps = 2;  // of the profiler's schedule: one it waits, one it warms up
constexpr int read_ahead = 2;     // batches of each worker
constexpr double learning_rate = 1e-3;

using Clock = std::chrono::steady_clock;

/// Half precision where it is exact enough, while it lives.
class MixedPrecision {
 public:
  MixedPrecision(bool is_used, bool on_gpu) : is_used_(is_used), on_gpu_(on_gpu) { set(true); }
  ~MixedPrecision() {
    if (is_used_) at::autocast::clear_cache();
    set(false);
  }
  MixedPrecision(const MixedPrecision&) = delete;
  MixedPrecision& operator=(const MixedPrecision&) = delete;

 private:
  void set(bool on) const {
    if (!is_used_) return;
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
    at::autocast::set_autocast_enabled(on_gpu_ ? at::kCUDA : at::kCPU, on);
#else
    on_gpu_ ? at::autocast::set_enabled(on) : at::autocast::set_cpu_enabled(on);
#endif
  }
  bool is_used_, on_gpu_;
};

torch::Device device_of(const ScenarioSettings& settings) {
  if (settings.device == "cpu") {
    if (settings.pin_memory)
      throw Error(ErrorKind::unsupported,
                  "pinned memory only speeds up copies to a GPU, and the training runs on the CPU: omit --pin-memory");
    return torch::kCPU;
  }
  if (torch::cuda::is_available()) return torch::kCUDA;
  throw Error(ErrorKind::unsupported, "CUDA is not available to libtorch " TORCH_VERSION
                                      "; use --device cpu, or build with a libtorch that has CUDA");
}

std::string name_of_loader(const ScenarioSettings& settings) {
  return settings.num_workers == 0 ? "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
                                   : "enumerate(DataLoader)#_ThreadedDataLoaderIter.__next__";
}

/// The network, its optimizer, and one step of both.
class Learner {
 public:
  Learner(const ScenarioSettings& settings, torch::Device device)
      : device_(device), settings_(settings), scale_(settings.amp), network_(settings.width, pressure_of(settings)) {
    network_.to(device_);
    optimizer_.emplace(network_.parameters(), torch::optim::AdamWOptions(learning_rate));
  }

  void step(torch::data::Example<> batch) {
    if (settings_.pin_memory) batch = {batch.data.pin_memory(), batch.target.pin_memory()};
    const auto pictures = batch.data.to(device_, /*non_blocking=*/settings_.pin_memory);
    const auto labels = batch.target.to(device_, settings_.pin_memory);
    {
      RECORD_USER_SCOPE("Optimizer.zero_grad#AdamW.zero_grad");
      optimizer_->zero_grad();
    }
    torch::Tensor loss;
    {
      const MixedPrecision mixed(settings_.amp, device_.is_cuda());
      loss = torch::nn::functional::cross_entropy(network_.forward(pictures).to(torch::kFloat), labels);
    }
    scale_.scaled(loss).backward();
    {
      RECORD_USER_SCOPE("Optimizer.step#AdamW.step");
      scale_.step(*optimizer_);
    }
    loss_ = loss.detach();
  }

  double last_loss() const { return loss_.defined() ? loss_.item<double>() : 0; }

 private:
  torch::Device device_;
  ScenarioSettings settings_;
  GradientScale scale_;
  SimpleCnn network_;
  std::optional<torch::optim::AdamW> optimizer_;
  torch::Tensor loss_;
};

/// Batches, loaded by workers that read ahead.
class Batches {
 public:
  /// The loader gives `jobs` batches to its workers at the start, even where there are none.
  Batches(const ScenarioSettings& settings, int steps, int jobs)
      : name_(name_of_loader(settings)),
        loader_(torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
            Pictures(static_cast<std::size_t>(settings.batch_size) * static_cast<std::size_t>(steps + jobs),
                     settings.image_size, settings.seed, pressure_of(settings))
                .map(torch::data::transforms::Stack<>()),
            torch::data::DataLoaderOptions()
                .batch_size(static_cast<std::size_t>(settings.batch_size))
                .workers(static_cast<std::size_t>(settings.num_workers))
                .max_jobs(static_cast<std::size_t>(jobs))
                .drop_last(true))) {}

  torch::data::Example<> next() {
    // A function and no scope of the user's: TensorBoard's plugin looks for loaders among the operators.
    RECORD_FUNCTION(name_.c_str(), c10::ArrayRef<const c10::IValue>{});
    if (!at_)
      at_.emplace(loader_->begin());
    else
      ++*at_;
    return **at_;
  }

 private:
  using Loader =
      torch::data::StatelessDataLoader<torch::data::datasets::MapDataset<Pictures, torch::data::transforms::Stack<>>,
                                       torch::data::samplers::SequentialSampler>;
  std::string name_;
  std::unique_ptr<Loader> loader_;
  std::optional<torch::data::Iterator<torch::data::Example<>>> at_;
};

void wait_for(torch::Device device) {
  if (device.is_cuda()) torch::cuda::synchronize();
}

}  // namespace

TrainingRun train(const TrainerTask& task, const std::function<void(int done, int total)>& on_step) {
  const ScenarioSettings& settings = task.settings;
  const torch::Device device = device_of(settings);
  if (settings.threads > 0) at::set_num_threads(settings.threads);
  torch::manual_seed(static_cast<std::int64_t>(settings.seed));
  const int unrecorded = settings.warmup_steps + skipped_steps, total = unrecorded + settings.profile_steps;
  TrainingProfile profile({.has_gpu = device.is_cuda(), .with_stack = settings.with_stack});
  Learner learner(settings, device);
  Batches batches(settings, total, std::max(1, read_ahead * settings.num_workers));

  TrainingRun run;
  for (int step = 0; step < total; ++step) {
    if (step == unrecorded - 1) profile.warm_up();
    if (step == unrecorded) profile.start();
    const auto begin = Clock::now();
    auto got = begin;
    {
      const std::string mark = "ProfilerStep#" + std::to_string(std::max(0, step - settings.warmup_steps));
      RECORD_USER_SCOPE(mark.c_str());
      const auto batch = batches.next();
      got = Clock::now();
      learner.step(batch);
      wait_for(device);
    }
    if (step >= unrecorded) {
      run.step_times.push_back(Clock::now() - begin);
      run.data_waits.push_back(got - begin);
    }
    on_step(step + 1, total);
  }
  profile.write(task.trace_file);
  run.trace_file = task.trace_file;
  run.device = device.is_cuda() ? "cuda" : "cpu";
  run.torch_version = TORCH_VERSION;
  run.profiler = profile.name();
  run.last_loss = learner.last_loss();
  return run;
}

}  // namespace takt
