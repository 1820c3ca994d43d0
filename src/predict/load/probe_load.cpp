#include "predict/load/probe_load.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/machine/caches.h"
#include "base/machine/page_memory.h"
#include "base/machine/peak_kernels.h"
#include "base/statistics/statistics.h"
#include "base/system/affinity.h"
#include "base/system/usage.h"
#include "predict/load/fair_share.h"
#include "predict/load/host_files.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds probe_piece = 500us;  // of computing, and of reading: together the millisecond
constexpr std::size_t probe_window = std::size_t{64} << 10;
constexpr std::int64_t least_area = std::int64_t{32} << 20, most_area = std::int64_t{256} << 20;

std::atomic<double> probe_sink;  // results of loops end here, so that no compiler can leave a loop out

/// Twice what the caches hold, within reason.
std::size_t area_bytes() {
  std::int64_t largest = 0;
  for (const CacheLevel& cache : detect_caches()) largest = std::max(largest, cache.bytes);
  const std::int64_t bytes = std::clamp(2 * largest, least_area, most_area);
  return static_cast<std::size_t>(bytes) / probe_window * probe_window;
}

/// How long this thread had a processor and waited for one; nullopt: the system does not tell.
std::optional<std::pair<Nanoseconds, Nanoseconds>> schedule_of_this_thread(const std::filesystem::path& root) {
  try {
    return parse_thread_schedule(read_file(root / "proc/thread-self/schedstat"));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// The processors that every thread of the machine shares with this one; nullopt: some threads may run elsewhere, or
/// this one has less than its share.
std::optional<int> shared_processors(const ProbeSettings& settings) {
  const int usable = usable_core_count();
  const bool all = settings.cores.empty() && usable == ::sysconf(_SC_NPROCESSORS_ONLN) && cpu_limit().cpus >= usable;
  return all ? std::optional(usable) : std::nullopt;
}

/// nullopt: the system does not tell.
std::optional<RunnableSample> runnable_now(const std::filesystem::path& root) {
  try {
    return RunnableSample{steady_now(), parse_load_average(read_file(root / "proc/loadavg")).runnable};
  } catch (const Error&) {
    return std::nullopt;
  }
}

struct Piece {
  double work = 0;
  Nanoseconds cpu{}, wall{};
};

/// One piece's work per second in which it had a processor; the median, so that an interrupt in one of them is none.
std::optional<double> median_rate(const std::vector<Piece>& pieces) {
  std::vector<double> rates;
  for (const Piece& one : pieces)
    if (one.cpu.count() > 0) rates.push_back(one.work / (static_cast<double>(one.cpu.count()) / 1e9));
  return median(rates);
}

/// Runs `work` on a thread that may use these cores only. Throws what it throws.
template <typename Function>
void on_own_thread(const std::vector<int>& cores, const Function& work) {
  std::exception_ptr failure;
  std::thread([&] {
    try {
      if (!cores.empty()) pin_this_thread(cores);
      work();
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

struct ProbeLoad::Work {
  /// Writes all of the memory and finds how much work a piece is. The same amount every time from then on.
  Work() : area(area_bytes()) {
    memory = allocate_pages(area);
    if (!memory) throw Error(ErrorKind::runtime, "not enough free memory for the probe; end other programs");
    std::memset(memory.get(), 1, area);
    while (compute().cpu < probe_piece && rounds < (1LL << 32)) rounds *= 2;
    while (read().cpu < probe_piece && windows * probe_window * 2 <= area) windows *= 2;
  }

  template <typename Function>
  Piece timed(double work, const Function& run) const {
    const Nanoseconds wall = steady_now();
    const auto cpu = thread_cpu_time();
    run();
    const auto cpu_after = thread_cpu_time();
    Piece done{work, {}, steady_now() - wall};
    done.cpu = cpu && cpu_after ? *cpu_after - *cpu : done.wall;
    return done;
  }

  Piece compute() const {
    return timed(kernel.flops_per_round * static_cast<double>(rounds), [&] { probe_sink = kernel.run(rounds); });
  }

  Piece read() {
    return timed(static_cast<double>(windows * probe_window), [&] {
      for (std::size_t i = 0; i < windows; ++i) {
        read_kernel().read(memory.get() + at, probe_window, 1);
        at = at + probe_window < area ? at + probe_window : 0;
      }
    });
  }

  const ComputeKernel& kernel = float32_kernel();
  std::int64_t rounds = 256;
  std::size_t windows = 1, area, at = 0;
  PageMemory memory;
};

ProbeLoad::ProbeLoad(ProbeSettings settings) : settings_(std::move(settings)) {
  on_own_thread(settings_.cores, [&] { work_ = std::make_unique<Work>(); });
}

ProbeLoad::~ProbeLoad() = default;

SourceReadings ProbeLoad::read() {
  std::vector<Piece> computed, read;
  std::vector<RunnableSample> runnable;
  const auto processors = shared_processors(settings_);
  std::optional<std::pair<Nanoseconds, Nanoseconds>> before, after;
  const Nanoseconds begin = steady_now();
  on_own_thread(settings_.cores, [&] {
    before = schedule_of_this_thread(settings_.root);
    do {
      computed.push_back(work_->compute());
      read.push_back(work_->read());
      if (const auto now = processors ? runnable_now(settings_.root) : std::nullopt) runnable.push_back(*now);
    } while (steady_now() - begin < settings_.time);
    after = schedule_of_this_thread(settings_.root);
  });
  const Nanoseconds window = steady_now() - begin;
  Nanoseconds cpu{}, wall{};
  for (const auto* pieces : {&computed, &read})
    for (const Piece& one : *pieces) cpu += one.cpu, wall += one.wall;

  SourceReadings told;
  const auto add = [&](const char* feature, std::optional<double> value, const char* otherwise) {
    LoadReading& reading = told.readings.emplace_back(reading_of(feature, "host", "probe"));
    reading.value = value;
    if (value) reading.age = Nanoseconds(0), reading.window = window;
    if (!value) reading.trouble = otherwise;
  };
  const char* const no_time = "the probe never got a CPU";
  add("probe_compute_flops", median_rate(computed), no_time);
  add("probe_memory_bytes_per_s", median_rate(read), no_time);
  std::optional<double> waited;
  if (before && after && after->first > before->first)
    waited = static_cast<double>((after->second - before->second).count()) /
             static_cast<double>((after->first - before->first).count());
  add("probe_wait_ratio", waited, "the system does not report how long a thread waited (/proc/thread-self/schedstat)");
  add("probe_wall_ratio",
      cpu.count() > 0 ? std::optional(static_cast<double>(wall.count()) / static_cast<double>(cpu.count()))
                      : std::nullopt,
      no_time);
  if (processors) {
    const auto turns = fair_share_of(runnable, *processors);
    const auto figure = [&](double FairShare::*one) { return turns ? std::optional(*turns.*one) : std::nullopt; };
    const char* const unknown = "the probe was too short, or the system does not report how many threads are runnable";
    add("probe_fair_wait_ratio", figure(&FairShare::wait_ratio), unknown);
    add("probe_wait_trend", figure(&FairShare::trend), unknown);
  }
  return told;
}

}  // namespace takt
