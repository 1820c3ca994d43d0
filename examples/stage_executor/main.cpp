// A model driven batch by batch without waiting: several inferences at once, results in a callback, times and outputs
// of each, and the whole as a pipeline of one stage. Says whether equal inputs gave equal outputs.
//
//   stage_executor_example MODEL [DEVICE [RUNTIME]]
#include <cstdint>
#include <iostream>
#include <mutex>
#include <vector>

#include "takt/pipeline_profiler.h"
#include "takt/stage_executor.h"

namespace {

/// The first input of the model, all ones; a dimension that the model leaves open becomes 1.
takt::SharedTensor ones(const takt::Port& port) {
  takt::HostTensor tensor{port.name, port.type, {}, {}, {}};
  for (const auto& dim : port.shape) tensor.shape.push_back(dim.value.value_or(1));
  const auto count = static_cast<std::size_t>(takt::element_count(tensor.shape).value_or(0));
  tensor.bytes = takt::to_bytes(std::vector<float>(count, 1.0f));
  return std::make_shared<const takt::HostTensor>(std::move(tensor));
}

/// What callbacks from several threads gather.
class Results {
 public:
  void add(const takt::StageResult& result) {
    const std::lock_guard lock(mutex_);
    ++count_;
    if (result.outputs.empty()) return;
    if (first_.empty()) first_ = result.outputs.front()->bytes;
    equal_ = equal_ && result.outputs.front()->bytes == first_;
    shape_ = takt::to_string(result.outputs.front()->shape);
  }
  void print() const {
    std::cout << count_ << " batches, outputs " << shape_ << (equal_ ? " all equal\n" : " DIFFER\n");
  }

 private:
  std::mutex mutex_;
  int count_ = 0;
  bool equal_ = true;
  takt::Bytes first_;
  std::string shape_ = "none";
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 4) {
    std::cerr << "usage: stage_executor_example MODEL [DEVICE [RUNTIME]]\n";
    return 2;
  }
  takt::StageExecutor infer(argv[1],
                            {.device = argc > 2 ? argv[2] : "CPU", .runtime = argc > 3 ? argv[3] : "", .requests = 2});
  takt::PipelineProfiler profiler("stage executor example");
  Results results;
  infer.set_callback([&](takt::StageResult result) {
    profiler.log_execution("infer", infer.device(), result);
    results.add(result);
  });
  const auto image = infer.inputs().front().type == takt::ElementType::f32 ? ones(infer.inputs().front()) : nullptr;
  for (std::int64_t batch = 0; batch < 20; ++batch) {
    if (image)
      infer.start_async(batch, {{0, image}});
    else
      infer.start_async(batch);  // what the input holds already: generated values
  }
  infer.wait();
  results.print();
  std::cout << profiler.table("stages", takt::TableFormat::csv);
  return 0;
} catch (const takt::Error& error) {
  std::cerr << "stage_executor_example: " << error.what() << '\n';
  return 1;
}
