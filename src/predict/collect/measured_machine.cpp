#include "predict/collect/measured_machine.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/temporary_folder.h"
#include "base/machine/class.h"
#include "base/machine/peaks_file.h"
#include "base/statistics/statistics.h"
#include "measure/operators/op_profile.h"
#include "measure/run/run.h"
#include "model/onnx/builder.h"
#include "predict/gpu/cuda_library.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr int large = 4096;  // 64 MiB of float32: more than the caches of today's GPUs

/// A row is added to a matrix, and the product of the sum with the same matrix is summed up, so that next to nothing is
/// brought in and out.
void write_peaks_model(std::int64_t rows, const std::filesystem::path& path) {
  ModelBuilder b("peaks");
  const std::string x = b.input("x", ElementType::f32, {1, rows});
  const std::string matrix = b.weight({rows, rows});
  const std::string product = b.node("MatMul", {b.node("Add", {x, matrix}), matrix});
  b.output(b.node("ReduceMean", {product}, {{"axes", {1}}}), ElementType::f32, {rows, 1});
  write_onnx(b.build(), path);
}

/// Seconds of the operator, at its median.
double seconds_of(const OpProfile& profile, std::string_view type) {
  for (const OpRow& row : profile.ops) {
    if (row.type != type) continue;
    if (const auto usual = median(row.samples); usual && usual->count() > 0) return usual->count() / 1e6;
  }
  throw Error(
      ErrorKind::runtime,
      fmt::format("the runtime reported no time for {}, which the measurement of the device's peaks needs", type));
}

OpProfile profile_of(const std::filesystem::path& file, const RunSettings& settings) {
  try {
    return profile_ops(run_model(file, settings, RunPasses::profiled));
  } catch (const Error& error) {  // the file is takt's own, so its name says nothing
    throw Error(error.kind(), std::string(without_start(error.what(), file.string() + ": ")));
  }
}

}  // namespace

std::string measured_machine(const std::string& device) {
  std::string machine = to_string(detect_machine_class());
  if (device != "GPU") return machine;
  const auto name = first_gpu_name();
  return name ? machine + ", " + *name : machine;
}

MachineConstants constants_in_runtime(const RunSettings& settings, int rows) {
  const TemporaryFolder folder("takt");
  const auto file = folder.path() / "peaks.onnx";
  write_peaks_model(rows, file);
  RunSettings brief = settings;
  brief.iterations = 10, brief.stretches = false;
  const OpProfile profile = profile_of(file, brief);
  const auto side = static_cast<double>(rows);
  return {2 * side * side * side / seconds_of(profile, "MatMul"), 2 * 4 * side * side / seconds_of(profile, "Add")};
}

MachineConstants measured_constants(const RunSettings& settings) {
  if (settings.device != "CPU") return constants_in_runtime(settings, large);
  const int threads = settings.threads.value_or(1);
  if (const KnownPeaks known = load_peaks(); known.peaks) return constants_of(*known.peaks, threads);
  PeakSettings quick;
  quick.rounds = 3;
  quick.turn = 15ms;
  quick.memory_bytes = std::int64_t{256} << 20;
  return constants_of(measure_peaks(quick), threads);
}

}  // namespace takt
