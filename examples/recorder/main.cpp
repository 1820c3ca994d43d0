// A program that records itself: a pipeline of three stages on two threads, with texts and numbers, an arrow per batch,
// a counter, frames.
//
//   recorder_example run.json && takt pipeline analyze run.json
//   recorder_example --endless run.takt              until somebody kills it; what it recorded is in the file
//   recorder_example run.json 200000 4               as many scopes, on so many threads, as fast as they go
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "takt/recorder.h"

namespace {

void work(std::chrono::microseconds time) { std::this_thread::sleep_for(time); }

/// Batches on their way to the next stage, two at most.
class Queue {
 public:
  void put(std::uint32_t batch) {
    std::unique_lock lock(mutex_);
    change_.wait(lock, [&] { return batches_.size() < 2; });
    batches_.push_back(batch);
    change_.notify_all();
  }
  std::uint32_t take() {
    std::unique_lock lock(mutex_);
    change_.wait(lock, [&] { return !batches_.empty(); });
    const std::uint32_t batch = batches_.front();
    batches_.pop_front();
    change_.notify_all();
    return batch;
  }

 private:
  std::mutex mutex_;
  std::condition_variable change_;
  std::deque<std::uint32_t> batches_;
};

// Events of the category "stage" with the argument "batch" are what 'takt pipeline analyze' looks for. A stage's device
// is the row, here the thread, unless an argument "device" tells it.
void prepare_batches(takt::Recorder& recorder, std::uint32_t batches, Queue& out) {
  static const takt::EventName prepare("prepare", "stage", "batch"), read("read");
  static const takt::ArgumentName file("file"), bytes("bytes");
  recorder.name_thread("main");
  for (std::uint32_t batch = 0; batch < batches; ++batch) {
    {
      takt::Scope scope(recorder, prepare, batch, batch);
      takt::Scope inner(recorder, read);
      inner.add(file, "frame " + std::to_string(batch) + ".png");
      inner.add(bytes, std::int64_t{5} << 30);
      work(std::chrono::microseconds(100));
    }
    out.put(batch);
  }
}

void infer_batches(takt::Recorder& recorder, std::uint32_t batches, Queue& in) {
  static const takt::EventName infer("infer", "stage", "batch"), finish("finish", "stage", "batch"),
      done("batches done"), frame("result");
  static const takt::ArgumentName device("device"), score("score");
  recorder.name_thread("worker");
  for (std::uint32_t i = 0; i < batches; ++i) {
    const std::uint32_t batch = in.take();
    {
      takt::Scope scope(recorder, infer, batch, batch);
      scope.add(device, "NPU");
      work(std::chrono::microseconds(300));
    }
    {
      takt::Scope scope(recorder, finish, batch, batch);
      scope.add(score, 0.5);
    }
    recorder.count(done, batch + 1);
    recorder.frame(frame);
  }
}

void run(takt::Recorder& recorder, std::uint32_t batches) {
  Queue queue;
  std::thread worker([&] { infer_batches(recorder, batches, queue); });
  prepare_batches(recorder, batches, queue);
  worker.join();
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

/// Says now and then how many events are in the file for sure.
[[noreturn]] void run_for_ever(const std::string& file) {
  takt::Recorder recorder({.process = "recorder example", .file = file});
  std::thread teller([&] {
    while (true) {
      work(std::chrono::milliseconds(50));
      recorder.collect();
      std::printf("%llu events\n", static_cast<unsigned long long>(recorder.recorded()));
      std::fflush(stdout);
    }
  });
  run(recorder, 0xffffffffu);
  teller.join();
  std::abort();
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc == 3 && std::string(argv[1]) == "--endless") run_for_ever(argv[2]);
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: recorder_example [--endless] FILE [SCOPES [THREADS]]\n");
    return 2;
  }
  takt::Recorder recorder({.process = "recorder example"});
  if (argc == 2)
    run(recorder, 20);
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
