// A program that records itself: three stages on two threads, an arrow per batch, a counter. With a number it records
// so many scopes on so many threads as fast as they go, and says how many were lost.
//
//   recorder_example run.json && takt trace info run.json
//   recorder_example run.json 200000 4
#include <chrono>
#include <cstdio>
#include <cstdlib>
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

void run_fast(takt::Recorder& recorder, std::uint32_t scopes, std::uint32_t threads) {
  static const takt::EventName step("step", "", "number");
  std::vector<std::thread> running;
  for (std::uint32_t t = 0; t < threads; ++t)
    running.emplace_back([&recorder, scopes] {
      for (std::uint32_t i = 0; i < scopes; ++i) takt::Scope scope(recorder, step, i);
    });
  for (auto& thread : running) thread.join();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: recorder_example FILE.json [SCOPES [THREADS]]\n");
    return 2;
  }
  takt::Recorder recorder({.process = "recorder example"});
  if (argc == 2)
    run(recorder, 5);
  else
    run_fast(recorder, static_cast<std::uint32_t>(std::atol(argv[2])),
             argc == 4 ? static_cast<std::uint32_t>(std::atol(argv[3])) : 1);
  recorder.write(argv[1]);
  std::printf("%llu events, %llu dropped\n", static_cast<unsigned long long>(recorder.recorded()),
              static_cast<unsigned long long>(recorder.dropped()));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "recorder_example: %s\n", error.what());
  return 1;
}
