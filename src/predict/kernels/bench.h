// Kernels timed: alone, behind their producers, or inside their model.
//
// A kernel that runs alone in a loop finds its weights in the cache, so the sum over a model is about a tenth too
// small; small and late kernels are off by factors. Behind its producers it finds its inputs as they left them, but
// still its own weights. Inside the model it is what users see: that is the time to learn from, the others say why it
// is so. Times alone are those of the runtime's call; the others are the runtime's own records of its nodes, in whole
// microseconds and with the cost of the record, 1 to 5 us (the mean over many runs is finer than that).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "base/table/table.h"
#include "predict/kernels/model.h"

namespace takt {

enum class BenchPlace { alone, chain, model };
std::string_view bench_place_name(BenchPlace place);  ///< "alone", "chain", "model"
std::optional<BenchPlace> bench_place_named(std::string_view name);

struct KernelTimes {
  std::string id, name, kernel;  ///< of the record; empty id: a file that somebody named
  BenchPlace place = BenchPlace::alone;
  std::vector<Nanoseconds> samples;    ///< one per measured run, in the order taken
  Nanoseconds started{}, ended{};      ///< wall clock (epoch) around the measured runs
  std::optional<std::string> problem;  ///< why there are no samples
};

struct BenchSettings {
  BenchPlace place = BenchPlace::alone;
  int iterations = 100;
  int warmup = 10;  ///< runs before, not kept
  std::optional<int> threads;
  std::string record;  ///< only records whose ids begin so; empty: all
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;  ///< looked at between two kernels
};

/// Of a model: alone and in a chain each record once, by its first kernel; in the model every kernel. Needs a saved
/// graph for the latter two (Error(unsupported) without: OpenVINO). What fails is a row with its problem.
std::vector<KernelTimes> bench_kernels(const OptimisedKernels& kernels, const BenchSettings& settings);

/// Records alone, with drawn weights.
std::vector<KernelTimes> bench_records(const KernelFile& file, const std::string& device,
                                       const BenchSettings& settings);

/// One model file of a kernel, as it is written. Throws Error where it does not run.
KernelTimes bench_model_file(const std::filesystem::path& model, const std::string& device,
                             const BenchSettings& settings);

/// The kernel with those that feed it, all under the names of the model.
OnnxModel chain_model(const OptimisedKernels& kernels, std::size_t kernel);

/// "kernel_times": a row per kernel and place.
std::vector<Table> bench_tables(const std::vector<KernelTimes>& times);
std::vector<TableSchema> bench_schemas();

}  // namespace takt
