#include "cut_traces.h"

#include <chrono>
#include <vector>

namespace takt {

using namespace std::chrono_literals;

Trace training_trace(int steps) {
  Trace trace;
  trace.set_base_time(Nanoseconds(1'700'000'000'000'000'000));
  const ProcessId program = trace.add_process("rank 0: python", 11), device = trace.add_process("rank 1: GPU", 12);
  const RowId cpu = trace.add_row(program, "main"), gpu = trace.add_row(device, "stream 7");
  for (int step = 0; step < steps; ++step) {
    const std::int64_t start = 5000 + step * 1000 + (step == 2 ? 0 : step > 2 ? 400 : 0);
    const std::int64_t length = step == 2 ? 1400 : 1000;
    trace.add_event(cpu, "ProfilerStep#" + std::to_string(step), "user_annotation", Nanoseconds(start),
                    Nanoseconds(length));
    for (int i = 0; i < 5; ++i) {
      const auto launch = trace.add_event(cpu, "launch", "cuda_runtime", Nanoseconds(start + 10 + i * 150), 20ns);
      trace.set_args(launch, TraceValues{{"correlation", std::int64_t{step * 10 + i}}, {"what", std::string("k\"1")}});
      const auto kernel = trace.add_event(gpu, "kernel", "kernel", Nanoseconds(start + 120 + i * 150), 140ns);
      trace.set_flow(launch, static_cast<std::uint64_t>(step * 10 + i + 1), false, true);
      trace.set_flow(kernel, static_cast<std::uint64_t>(step * 10 + i + 1), true, false);
    }
    trace.add_counter(program, "memory", Nanoseconds(start), step);
  }
  return trace;
}

std::string random_json(std::mt19937& random) {
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::string json = "{\"schemaVersion\":1,\"traceEvents\":[";
  json += R"({"ph":"M","name":"process_name","pid":3,"tid":0,"args":{"name":"python"}})";
  struct Open {
    std::vector<int> stack;
    int time = 0;
  };
  std::vector<Open> rows(3);
  const auto micros = [](int ns) {
    return std::to_string(ns / 1000) + "." + std::to_string(1000 + ns % 1000).substr(1);
  };
  int flows = 0;
  for (int i = 0; i < 150; ++i) {
    const int r = below(3);
    Open& row = rows[static_cast<std::size_t>(r)];
    row.time += below(400);
    const std::string where = R"(,"pid":3,"tid":)" + std::to_string(r + 1) + R"(,"ts":)" + micros(row.time);
    switch (below(8)) {
      case 0:
      case 1:
        json += R"(,{"ph":"X","name":"x)" + std::to_string(below(3)) + R"(","dur":)" + micros(below(900)) + where + "}";
        break;
      case 2:
        row.stack.push_back(below(3));
        json += R"(,{"ph":"B","name":"b)" + std::to_string(row.stack.back()) + "\"" + where + R"(,"args":{"n":1}})";
        break;
      case 3:
        if (row.stack.empty()) break;
        json += R"(,{"ph":"E","name":"b)" + std::to_string(row.stack.back()) + "\"" + where + R"(,"args":{"m":2}})";
        row.stack.pop_back();
        break;
      case 4:
        json += R"(,{"ph":"i","name":"now","s":"t")" + where + "}";
        break;
      case 5:
        json += R"(,{"ph":"C","name":"count","args":{"value":)" + std::to_string(i) + "}" + where + "}";
        break;
      case 6:
        json += R"(,{"ph":"X","name":"from","dur":0.1)" + where + R"(},{"ph":"s","name":"a","cat":"c","id":)" +
                std::to_string(++flows) + where + "}";
        break;
      default:
        if (flows == 0) break;
        json += R"(,{"ph":"X","name":"to","dur":0.1)" + where + R"(},{"ph":"f","bp":"e","name":"a","cat":"c","id":)" +
                std::to_string(flows) + where + "}";
    }
  }
  return json + "],\"other\":7}";
}

}  // namespace takt
