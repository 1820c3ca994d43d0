// One model on two devices at once: every batch is cut into parts, and what each part took adds up. Says whether the
// merged outputs are those of the undivided model.
//
//   data_parallel_example MODEL INPUT:{ROWS,…} [DEVICE DEVICE [RUNTIME]]
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "takt/data_parallel.h"
#include "takt/pipeline_profiler.h"

int main(int argc, char** argv) try {
  if (argc != 3 && argc != 5 && argc != 6) {
    std::cerr << "usage: data_parallel_example MODEL INPUT:{ROWS,…} [DEVICE DEVICE [RUNTIME]]\n";
    return 2;
  }
  takt::DataParallelSettings settings;
  settings.devices = argc > 4 ? std::vector<std::string>{argv[3], argv[4]} : std::vector<std::string>{"CPU", "CPU"};
  settings.ratio = {0.5, 0.5};
  // Throws where the parts give other values than the whole. A simulated device computes nothing.
  settings.verify = settings.devices.front().rfind("sim:", 0) != 0;
  settings.stage.inputs = {argv[2]};
  if (argc > 5) settings.stage.runtime = argv[5];
  takt::DataParallelStage stage(argv[1], settings);

  takt::PipelineProfiler profiler("data parallel example");
  bool adds_up = true;
  for (std::int64_t batch = 0; batch < 10; ++batch) {
    const auto done = stage.run(batch, {{0, stage.sample_inputs().front()}});
    profiler.log_execution("infer", done);
    auto longest = done.device_time.front();
    for (const auto time : done.device_time) longest = std::max(longest, time);
    adds_up = adds_up && done.stage_total() == done.partition_time + longest + done.sync_merge_time;
  }
  std::cout << "rows";
  for (const auto rows : stage.rows()) std::cout << ' ' << rows;
  std::cout << ", outputs " << takt::to_string(stage.sample_outputs().front()->shape) << " as undivided, times "
            << (adds_up ? "add up" : "DO NOT ADD UP") << '\n'
            << profiler.table("splits", takt::TableFormat::csv);
  return 0;
} catch (const takt::Error& error) {
  std::cerr << "data_parallel_example: " << error.what() << '\n';
  return 1;
}
