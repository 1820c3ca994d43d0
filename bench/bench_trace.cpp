// bench_trace write KIND EVENTS FILE, read FILE THREADS, or check KIND EVENTS FILE: one step of trace input and output,
// with its time and memory. KIND is plain (operators), or args (each with four arguments, as PyTorch writes them).
//
// bench/trace_io.py runs it beside Python's json module on the same events.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/error.h"
#include "trace/read/reader.h"
#include "trace/write/trace_file.h"

namespace {

using takt::Trace;

/// Like a profile of a model: nested operators on 16 rows, 500 names, nanosecond stamps.
Trace make_trace(std::string_view kind, std::uint32_t events) {
  Trace trace;
  trace.set_base_time(takt::Nanoseconds(1'700'000'000'000'000'000));
  std::vector<takt::RowId> rows;
  const takt::ProcessId process = trace.add_process("bench");
  for (int i = 0; i < 16; ++i) rows.push_back(trace.add_row(process, "worker " + std::to_string(i)));
  std::vector<takt::StringId> names;
  for (int i = 0; i < 500; ++i)
    names.push_back(trace.intern("layer" + std::to_string(i) + "/Conv_" + std::to_string(i * 7)));
  const takt::StringId category = trace.intern("operator");
  const bool with_args = kind == "args";
  trace.reserve(events, with_args ? events + 1 : 0, with_args ? 4 * std::size_t{events} : 0);
  std::vector<takt::TraceArg> args;
  if (with_args)
    args = {{trace.intern("External id"), {}},
            {trace.intern("Ev Idx"), {}},
            {trace.intern("Input type"), trace.intern("float")},
            {trace.intern("Fwd thread id"), std::int64_t{1}}};
  for (std::uint32_t i = 0; i < events; ++i) {
    const std::int64_t start = 1000 + std::int64_t{i} * 1237;
    const auto event = trace.add_event({start, 15000 + i % 977, names[i * 31u % 500], category, rows[i % 16], 0});
    if (!with_args) continue;
    args[0].value = std::int64_t{i} + 1000;
    args[1].value = std::int64_t{i};
    trace.set_args(event, args);
  }
  return trace;
}

/// Times, rows, names and arguments of all events, as they went in.
std::size_t equal_events(const Trace& made, const Trace& read) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < std::min(made.events().size(), read.events().size()); ++i) {
    const auto &a = made.events()[i], &b = read.events()[i];
    equal += a.start_ns == b.start_ns && a.duration_ns == b.duration_ns && a.row == b.row &&
             made.text(a.name) == read.text(b.name) && made.text(a.category) == read.text(b.category) &&
             made.args(a).size() == read.args(b).size();
  }
  return equal;
}

struct CpuSeconds {
  double user = 0, system = 0;
};

CpuSeconds cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return {seconds(usage.ru_utime), seconds(usage.ru_stime)};
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

/// "user_s system_s wall_s peak_kib events" of a step.
template <typename Step>
void measure(Step step) {
  const auto begin = std::chrono::steady_clock::now();
  const CpuSeconds before = cpu_seconds();
  const std::size_t events = step();
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  const CpuSeconds after = cpu_seconds();
  std::printf("%.6f %.6f %.6f %ld %zu\n", after.user - before.user, after.system - before.system, wall.count(),
              peak_kilobytes(), events);
}

std::uint32_t number(const char* text) { return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)); }

}  // namespace

int main(int argc, char** argv) try {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "write" && argc == 5) {
    const Trace trace = make_trace(argv[2], number(argv[3]));
    measure([&] {
      takt::write_trace(trace, argv[4]);
      return trace.events().size();
    });
    return 0;
  }
  if (command == "read" && argc == 4) {
    measure([&] { return takt::read_trace(argv[2], {.threads = number(argv[3])}).trace.events().size(); });
    return 0;
  }
  if (command == "check" && argc == 5) {
    const Trace made = make_trace(argv[2], number(argv[3]));
    measure([&] { return equal_events(made, takt::read_trace(argv[4]).trace); });
    return 0;
  }
  std::fprintf(stderr, "usage: bench_trace write KIND EVENTS FILE | read FILE THREADS | check KIND EVENTS FILE\n");
  return argc == 1 || std::strncmp(argv[1], "--benchmark", 11) == 0 ? 0 : 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_trace: %s\n", error.what());
  return 1;
}
