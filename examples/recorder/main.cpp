// A program that records itself: three stages on two threads, an arrow per batch, a counter.
//
//   recorder_example run.json && takt trace info run.json
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "takt/recorder.h"

namespace {

void work(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

void run(takt::Recorder& recorder, std::uint32_t batches) {
  static const takt::EventName prepare("prepare", "stage", "batch"), infer("infer", "stage", "batch"),
      finish("finish", "stage", "batch"), done("batches done");
  std::thread worker([&] {
    recorder.name_thread("worker");
    for (std::uint32_t batch = 1; batch <= batches; ++batch) {
      takt::Scope scope(recorder, infer, batch, batch);
      work(std::chrono::microseconds(300));
    }
  });
  recorder.name_thread("main");
  for (std::uint32_t batch = 1; batch <= batches; ++batch) {
    takt::Scope scope(recorder, prepare, batch, batch);
    work(std::chrono::microseconds(100));
  }
  worker.join();
  for (std::uint32_t batch = 1; batch <= batches; ++batch) {
    takt::Scope scope(recorder, finish, batch, batch);
    recorder.count(done, batch);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::fprintf(stderr, "usage: recorder_example FILE.json\n");
    return 2;
  }
  takt::Recorder recorder({.process = "recorder example"});
  run(recorder, 5);
  recorder.write(argv[1]);
  std::printf("%llu events, %llu dropped\n", static_cast<unsigned long long>(recorder.recorded()),
              static_cast<unsigned long long>(recorder.dropped()));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "recorder_example: %s\n", error.what());
  return 1;
}
