// bench_trace write EVENTS FILE or read FILE THREADS: one step of trace input and output, with its time and memory.
//
// bench/trace_io.py runs it beside Python's json module on the same events; alone it makes the events and measures all.
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "core/error.h"
#include "trace/chrome_reader.h"
#include "trace/trace_file.h"

namespace {

using takt::Trace;

/// Like a profile of a model: nested operators on 16 rows, 500 names, nanosecond stamps.
Trace make_trace(std::uint32_t events) {
  Trace trace;
  trace.set_base_time(takt::Nanoseconds(1'700'000'000'000'000'000));
  std::vector<takt::RowId> rows;
  const takt::ProcessId process = trace.add_process("bench");
  for (int i = 0; i < 16; ++i) rows.push_back(trace.add_row(process, "worker " + std::to_string(i)));
  std::vector<takt::StringId> names;
  for (int i = 0; i < 500; ++i)
    names.push_back(trace.intern("layer" + std::to_string(i) + "/Conv_" + std::to_string(i * 7)));
  const takt::StringId category = trace.intern("operator");
  trace.reserve(events, 0, 0);
  for (std::uint32_t i = 0; i < events; ++i) {
    const std::int64_t start = 1000 + std::int64_t{i} * 1237;
    trace.add_event({start, 15000 + i % 977, names[i * 31u % 500], category, rows[i % 16], 0});
  }
  return trace;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

long peak_kilobytes() {
  // getrusage() would also count the program that started this one.
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    long kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes;
  }
  return 0;
}

/// "cpu_s wall_s peak_kib events" of a step.
template <typename Step>
void measure(Step step) {
  const auto begin = std::chrono::steady_clock::now();
  const double cpu = cpu_seconds();
  const std::size_t events = step();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  std::printf("%.6f %.6f %ld %zu\n", cpu_seconds() - cpu, wall.count(), peak_kilobytes(), events);
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "write" && argc == 4) {
    const Trace trace = make_trace(static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10)));
    measure([&] {
      takt::write_trace(trace, argv[3]);
      return trace.events().size();
    });
    return 0;
  }
  if (command == "read" && argc == 4) {
    measure([&] {
      const auto threads = static_cast<unsigned>(std::strtoul(argv[3], nullptr, 10));
      return takt::read_chrome_trace(argv[2], {.threads = threads}).trace.events().size();
    });
    return 0;
  }
  std::fprintf(stderr, "usage: bench_trace write EVENTS FILE | read FILE THREADS (bench/trace_io.py compares)\n");
  return argc == 1 || std::strncmp(argv[1], "--benchmark", 11) == 0 ? 0 : 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_trace: %s\n", error.what());
  return 1;
}
