// Stages that are functions of the program, two calls at once each: pictures are made, then made smaller. One of them
// is torn on purpose: its error says stage and batch, and the others go on.
//
//   function_stage_example [BATCHES [TORN]]
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "takt/pipeline_profiler.h"
#include "takt/stage_executor.h"

namespace {

constexpr std::int64_t edge = 2048;  // 16 MB each

std::vector<takt::SharedTensor> picture(std::int64_t batch) {
  takt::HostTensor tensor{"picture", takt::ElementType::f32, {1, edge, edge}, {}, {}};
  tensor.bytes = takt::to_bytes(std::vector<float>(edge * edge, static_cast<float>(batch)));
  return {std::make_shared<const takt::HostTensor>(std::move(tensor))};
}

/// Every second row and column.
std::vector<takt::SharedTensor> smaller(const takt::HostTensor& picture) {
  const auto* pixels = reinterpret_cast<const float*>(picture.bytes.data());
  std::vector<float> kept;
  kept.reserve(edge * edge / 4);
  for (std::int64_t row = 0; row < edge; row += 2)
    for (std::int64_t column = 0; column < edge; column += 2) kept.push_back(pixels[row * edge + column]);
  takt::HostTensor tensor{"small", takt::ElementType::f32, {1, edge / 2, edge / 2}, takt::to_bytes(kept), {}};
  return {std::make_shared<const takt::HostTensor>(std::move(tensor))};
}

/// Whether every pixel is the number of the batch.
bool is_whole(const takt::StageResult& result) {
  const auto& bytes = result.outputs.at(0)->bytes;
  const auto* pixels = reinterpret_cast<const float*>(bytes.data());
  return std::all_of(pixels, pixels + bytes.size() / sizeof(float),
                     [&](float pixel) { return pixel == static_cast<float>(result.batch); });
}

}  // namespace

int main(int argc, char** argv) try {
  const std::int64_t batches = argc > 1 ? std::stoll(argv[1]) : 20, torn = argc > 2 ? std::stoll(argv[2]) : 7;
  takt::PipelineProfiler profiler("functions");
  std::mutex counting, starting;
  int whole = 0;

  takt::StageExecutor shrink(
      [](std::int64_t, const std::vector<takt::SharedTensor>& inputs) { return smaller(*inputs.at(0)); },
      {.name = "shrink", .requests = 2});
  shrink.set_callback([&](takt::StageResult result) {
    profiler.log_execution("shrink", shrink.device(), result);
    const std::lock_guard lock(counting);
    whole += !result.error && is_whole(result) ? 1 : 0;
  });
  takt::StageExecutor load(
      [torn](std::int64_t batch, const std::vector<takt::SharedTensor>&) {
        if (batch == torn) throw std::runtime_error("the picture is torn");
        return picture(batch);
      },
      {.name = "load", .requests = 2});
  load.set_callback([&](takt::StageResult result) {
    if (result.error) return;
    profiler.log_execution("load", load.device(), result);
    const std::lock_guard lock(starting);  // start_async() from one thread at a time
    shrink.start_async(result.batch, {{0, result.outputs.at(0)}});
  });

  for (std::int64_t batch = 0; batch < batches; ++batch) load.start_async(batch);
  try {
    load.wait();
  } catch (const takt::Error& error) {
    std::cout << error.what() << '\n';
  }
  shrink.wait();
  std::cout << whole << " pictures came whole\n" << profiler.table("stages", takt::TableFormat::csv);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "function_stage_example: " << error.what() << '\n';
  return 1;
}
