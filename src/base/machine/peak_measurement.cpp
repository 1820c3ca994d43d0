// How peaks are measured: probes, and the rounds in which they take turns.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/machine/caches.h"
#include "base/machine/page_memory.h"
#include "base/machine/peak_kernels.h"
#include "base/machine/peaks.h"
#include "base/statistics/statistics.h"
#include "base/system/affinity.h"
#include "base/system/usage.h"

namespace takt {
namespace {

constexpr std::size_t granule = 1024;  // what read kernels take
constexpr double slice_ns = 1e6;

/// Results of loops end here, so that no compiler can leave a loop out.
std::atomic<std::uint64_t> sink;

/// Work on a thread's own part; returns the units done (FLOPs, bytes). `turn` counts the calls.
using Work = std::function<double(int thread, std::int64_t turn)>;

/// Rate of the best slice within `budget`, all threads starting each slice together. `slices` keeps slices equal.
double best_rate(int threads, const Work& work, Duration budget) {
  const Nanoseconds deadline = steady_now() + std::chrono::duration_cast<Nanoseconds>(budget);
  struct alignas(64) Slice {
    Nanoseconds begin{}, end{};
    double done = 0;
  };
  std::vector<Slice> slices(static_cast<std::size_t>(threads));
  double best = 0;
  bool more = true;
  // Runs on one thread while the others wait: adds the finished slice up and decides whether there is another.
  const auto finish_slice = [&]() noexcept {
    Nanoseconds begin = Nanoseconds::max(), end = Nanoseconds::min();
    double done = 0;
    for (const Slice& slice : slices) {
      begin = std::min(begin, slice.begin), end = std::max(end, slice.end);
      done += slice.done;
    }
    const double elapsed = static_cast<double>((end - begin).count());
    if (elapsed > 0) best = std::max(best, done / elapsed * 1e9);
    more = steady_now() < deadline;
  };
  std::barrier start(threads);
  std::barrier stop(threads, finish_slice);
  // Nobody waits at a barrier before everybody is there: the system may refuse the last of many threads.
  enum class Gate { closed, open, given_up };
  std::atomic<Gate> gate = Gate::closed;
  const auto run = [&](int thread) {
    gate.wait(Gate::closed);
    if (gate == Gate::given_up) return;
    Slice& slice = slices[static_cast<std::size_t>(thread)];
    for (std::int64_t turn = 0; more; ++turn) {
      start.arrive_and_wait();
      slice.begin = steady_now();
      slice.done = work(thread, turn);
      slice.end = steady_now();
      stop.arrive_and_wait();
    }
  };
  std::vector<std::jthread> others;
  const auto release = [&](Gate how) { gate = how, gate.notify_all(); };
  try {
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(run, thread);
  } catch (...) {
    release(Gate::given_up);
    throw;
  }
  release(Gate::open);
  run(0);
  return best;
}

Work compute_work(const ComputeKernel& kernel) {
  std::int64_t rounds = 1024;
  for (;;) {  // until a slice is long enough for the clock
    const Nanoseconds begin = steady_now();
    sink += static_cast<std::uint64_t>(kernel.run(rounds));
    if (static_cast<double>((steady_now() - begin).count()) > slice_ns / 2 || rounds > (1LL << 40)) break;
    rounds *= 2;
  }
  return [kernel, rounds](int, std::int64_t) {
    sink += static_cast<std::uint64_t>(kernel.run(rounds));
    return kernel.flops_per_round * static_cast<double>(rounds);
  };
}

/// Memory for all probes, aligned for the kernels; each thread works on its own slice.
class Arena {
 public:
  Arena(std::size_t bytes, int threads) : bytes_(bytes / granule * granule), memory_(allocate_pages(bytes_)) {
    if (!memory_) throw Error(ErrorKind::runtime, "there is not enough free memory to measure memory bandwidth");
    // Pages belong to the memory of the core that first writes to them.
    std::vector<std::jthread> writers;
    const std::size_t part = bytes_ / static_cast<std::size_t>(threads);
    for (int i = 0; i < threads; ++i)
      writers.emplace_back([=, this] { std::memset(memory_.get() + part * static_cast<std::size_t>(i), i + 1, part); });
  }
  std::size_t bytes() const { return bytes_; }
  std::byte* data() const { return memory_.get(); }

 private:
  std::size_t bytes_;
  PageMemory memory_;
};

/// A thread walks `window` bytes again and again, or with `streams` the whole of its part window by window, so that
/// nothing of it is in a cache when its turn comes again.
struct Walk {
  std::size_t part = 0, window = 0;
  bool streams = false;
};

Work memory_work(const Arena& arena, Walk walk, bool copies) {
  constexpr double slice_bytes = 3e7;  // about a millisecond at a cache's speed
  const std::size_t repeats =
      walk.streams ? 1 : static_cast<std::size_t>(slice_bytes / static_cast<double>(walk.window)) + 1;
  return [&arena, walk, copies, repeats](int thread, std::int64_t turn) {
    const std::size_t windows = walk.streams ? walk.part / walk.window : 1;
    const std::size_t at = static_cast<std::size_t>(turn) % windows * walk.window;
    std::byte* data = arena.data() + walk.part * static_cast<std::size_t>(thread) + at;
    const std::size_t half = walk.window / 2 / granule * granule;
    if (!copies) read_kernel().read(data, walk.window, repeats);
    for (std::size_t i = 0; copies && i < repeats; ++i) std::memcpy(data + half, data, half);
    return static_cast<double>(repeats) * static_cast<double>(copies ? 2 * half : walk.window);
  };
}

std::size_t rounded(std::int64_t bytes) {
  return std::max<std::size_t>(granule * 4, static_cast<std::size_t>(bytes) / 4096 * 4096);
}

/// Where one probe's best slices end up.
struct Probe {
  PeakRate* rate;
  int threads;
  Work work;
  std::vector<double> rounds{};
};

int instances_of(const CacheLevel& cache, int threads) { return std::max(1, threads / cache.shared_by); }

LevelPeaks level_of(const CacheLevel& cache, int threads) {
  LevelPeaks level;
  level.name = "L" + std::to_string(cache.level);
  level.bytes_one = cache.bytes;
  level.bytes_all = cache.bytes * instances_of(cache, threads);
  return level;
}

/// A number of bytes that the system puts in a file; no limit where there is no such file.
std::int64_t limit_in(const char* path, std::string_view key) {
  constexpr std::int64_t no_limit = std::int64_t{1} << 50;
  try {
    const std::string text = read_file(path);
    const auto at = text.find(key);
    if (at == std::string::npos) return no_limit;
    const auto rest = trim(std::string_view(text).substr(at + key.size()));
    const auto number = number_in<std::int64_t>(rest.substr(0, rest.find_first_not_of("0123456789")));
    return number ? *number * (key.empty() ? 1 : 1024) : no_limit;
  } catch (const Error&) {
    return no_limit;
  }
}

/// A quarter of what the machine has free and the container allows: measuring must not drive anybody out of memory.
std::int64_t spare_memory() {
  return std::min({limit_in("/proc/meminfo", "MemAvailable:"), limit_in("/sys/fs/cgroup/memory.max", ""),
                   limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", "")}) /
         4;
}

class Measurement {
 public:
  Measurement(const PeakSettings& settings, const PeakProgress& progress)
      : settings_(settings),
        progress_(progress),
        threads_(threads_of(settings)),
        caches_(detect_caches()),
        arena_(arena_bytes(), threads_) {}

  Peaks run() {
    peaks_.reads_with = read_kernel().instructions, peaks_.threads = threads_;
    for (const ComputeKernel& kernel : compute_kernels())
      peaks_.compute.push_back({kernel.type, std::string(kernel.instructions), {}});
    for (const CacheLevel& cache : caches_)
      if (cache.bytes * 2 <= static_cast<std::int64_t>(arena_.bytes()))
        peaks_.levels.push_back(level_of(cache, threads_));
    peaks_.levels.push_back({"DRAM", std::nullopt, std::nullopt, {}, {}});
    for (std::size_t i = 0; i < peaks_.compute.size(); ++i) add_compute(peaks_.compute[i].rate, compute_kernels()[i]);
    for (std::size_t i = 0; i < peaks_.levels.size(); ++i) add_level(i);
    UsageReader usage;
    const Usage before = usage.read_all();
    const Nanoseconds begin = steady_now();
    take_turns();
    note_others(usage.read_all() - before, steady_now() - begin);
    return std::move(peaks_);
  }

 private:
  void note_others(const Usage& used, Nanoseconds wall) {
    if (!used.machine_busy || !used.cpu_time || wall.count() <= 0) return;
    const double all = static_cast<double>(wall.count()) * usable_core_count();
    const auto others =
        std::max(Nanoseconds(), *used.machine_busy - *used.cpu_time) + used.steal.value_or(Nanoseconds());
    peaks_.others_busy = std::min(1.0, static_cast<double>(others.count()) / all);
  }

  static int threads_of(const PeakSettings& settings) {
    return settings.threads > 0 ? std::min(settings.threads, 4096) : usable_core_count();
  }

  /// Four times the last cache, all of its instances, within the limits.
  std::size_t arena_bytes() const {
    std::int64_t last = 1 << 24;
    for (const CacheLevel& cache : caches_) last = std::max(last, cache.bytes * instances_of(cache, threads_));
    const std::int64_t most = std::min(settings_.memory_bytes, spare_memory());
    return rounded(std::clamp<std::int64_t>(4 * last, 1 << 20, std::max<std::int64_t>(most, 1 << 20)));
  }

  void add_compute(PeakPair& pair, const ComputeKernel& kernel) {
    const Work work = compute_work(kernel);
    probes_.push_back({&pair.one, 1, work});
    probes_.push_back({&pair.all, threads_, work});
  }

  /// Half of a cache, so that it holds the walk beside whatever else there is; of a large one eight times what the
  /// cache before it holds, as of a last cache that several machines share nobody gets half.
  Walk walk_of(std::size_t level, int threads) const {
    const std::size_t most = arena_.bytes() / static_cast<std::size_t>(threads) / 4096 * 4096;
    if (level >= caches_.size() || !peaks_.levels[level].bytes_one)
      return {most, rounded(static_cast<std::int64_t>(most / 8)), true};
    const CacheLevel& cache = caches_[level];
    std::int64_t bytes = cache.bytes / 2 / std::min(threads, cache.shared_by);
    if (level > 0) bytes = std::min(bytes, 8 * caches_[level - 1].bytes);
    return {most, std::min(most, rounded(bytes)), false};
  }

  void add_level(std::size_t i) {
    LevelPeaks& level = peaks_.levels[i];
    for (const bool copies : {false, true}) {
      PeakPair& pair = copies ? level.copy : level.read;
      probes_.push_back({&pair.one, 1, memory_work(arena_, walk_of(i, 1), copies)});
      probes_.push_back({&pair.all, threads_, memory_work(arena_, walk_of(i, threads_), copies)});
    }
  }

  void take_turns() {
    const auto total = static_cast<std::uint64_t>(settings_.rounds) * (probes_.size() + 1);
    std::uint64_t done = 0;
    std::vector<double> wake_ups;
    for (int round = 0; round < settings_.rounds; ++round) {
      for (Probe& probe : probes_) {
        probe.rounds.push_back(best_rate(probe.threads, probe.work, settings_.turn));
        if (progress_) progress_(++done, total);
      }
      wake_ups.push_back(measure_wake_up());
      if (progress_) progress_(++done, total);
    }
    for (Probe& probe : probes_) {
      *probe.rate = {*std::max_element(probe.rounds.begin(), probe.rounds.end()), *median(probe.rounds)};
    }
    raise_to_one();
    peaks_.wake_up = Duration(*median(wake_ups));
  }

  /// All threads together can do at least what one can; on a busy machine they may never have run side by side.
  void raise_to_one() {
    const auto raise = [](PeakPair& pair) { pair.all.best = std::max(pair.all.best, pair.one.best); };
    for (ComputePeaks& compute : peaks_.compute) raise(compute.rate);
    for (LevelPeaks& level : peaks_.levels) raise(level.read), raise(level.copy);
  }

  /// Microseconds from the notification until the sleeper reads its clock; the best of a few.
  static double measure_wake_up() {
    std::mutex mutex;
    std::condition_variable_any bell;
    std::atomic<Nanoseconds::rep> rung{0};
    std::atomic<Nanoseconds::rep> woke{0};
    double best = 1e12;
    std::jthread sleeper([&](const std::stop_token& stop) {
      std::unique_lock lock(mutex);
      while (bell.wait(lock, stop, [&] { return rung.load() != 0 && woke.load() == 0; })) woke = steady_now().count();
    });
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::microseconds(300));  // until the sleeper sleeps
      woke = 0;
      {
        const std::lock_guard lock(mutex);
        rung = steady_now().count();
      }
      bell.notify_one();
      while (woke.load() == 0) std::this_thread::yield();
      best = std::min(best, static_cast<double>(woke.load() - rung.load()) / 1000);
      rung = 0;
    }
    return best;
  }

  const PeakSettings& settings_;
  const PeakProgress& progress_;
  int threads_;
  std::vector<CacheLevel> caches_;
  Arena arena_;
  Peaks peaks_;
  std::vector<Probe> probes_;
};

}  // namespace

Peaks measure_peaks(const PeakSettings& settings, const PeakProgress& progress) {
  if (settings.rounds < 1) throw Error(ErrorKind::bad_input, "peaks need at least one round of measuring");
  try {
    return Measurement(settings, progress).run();
  } catch (const std::system_error& error) {
    throw Error(ErrorKind::runtime, "peaks: the system cannot start as many threads as were requested (" +
                                        std::string(error.what()) + "); end other programs, or measure with fewer");
  }
}

}  // namespace takt
