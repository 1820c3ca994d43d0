// A pipeline of one's own, profiled: two threads hand batches on through a queue, and a third stage is told afterwards.
//
//   pipeline_profiler_example pipeline_trace.json && takt pipeline analyze pipeline_trace.json
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

#include "takt/pipeline_profiler.h"

namespace {

using std::chrono::milliseconds;

/// Batches that wait for the next stage.
class Queue {
 public:
  void push(int batch) {
    const std::lock_guard lock(mutex_);
    batches_.push_back(batch);
    changed_.notify_one();
  }
  int pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !batches_.empty(); });
    const int batch = batches_.front();
    batches_.pop_front();
    return batch;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> batches_;
};

/// Does what a stage does, here nothing but to take its time, and tells the profiler.
void work(takt::PipelineProfiler& profiler, const char* stage, const char* device, int batch, milliseconds time) {
  const auto start = takt::PipelineProfiler::now();
  std::this_thread::sleep_for(time);
  profiler.log_event(stage, device, batch, start, takt::PipelineProfiler::now());
}

void run(takt::PipelineProfiler& profiler, int batches) {
  Queue decoded;
  std::thread inference([&] {
    for (int i = 0; i < batches; ++i) {
      const int batch = decoded.pop();
      work(profiler, "infer", "accelerator", batch, milliseconds(6));
      work(profiler, "label", "CPU", batch, milliseconds(1));
    }
  });
  for (int batch = 0; batch < batches; ++batch) {
    work(profiler, "decode", "CPU", batch, milliseconds(2));
    decoded.push(batch);
  }
  inference.join();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: pipeline_profiler_example FILE.json\n";
    return 2;
  }
  takt::PipelineProfiler profiler("pipeline profiler example");
  run(profiler, 30);
  std::cout << profiler.text();
  for (const auto& table : profiler.tables())
    if (table.name == "stages") std::cout << table.rows.size() << " stages, " << profiler.finished() << " batches\n";
  profiler.export_chrome_trace(argv[1]);
  return 0;
} catch (const takt::Error& error) {
  std::cerr << "pipeline_profiler_example: " << error.what() << '\n';
  return 1;
}
