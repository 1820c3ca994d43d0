#include "base/machine/load_work.h"

#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <new>

#include "base/basics/error.h"
#include "base/machine/caches.h"
#include "base/machine/page_memory.h"
#include "base/machine/peak_kernels.h"
#include "base/system/usage.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t window_bytes = std::size_t{256} << 10;  // of one slice: some 50 us at a core's share of memory
constexpr std::int64_t usual_last_cache = std::int64_t{8} << 20;
constexpr Nanoseconds pause_between = 100us;
// What others took is made up for as far as this: a load that was kept from working for a minute does not then work for
// a minute without a pause.
constexpr Nanoseconds most_debt = 100ms;

std::atomic<double> load_sink;  // results of loops end here, so that no compiler can leave a loop out

std::size_t last_cache_bytes() {
  std::int64_t bytes = 0;
  for (const CacheLevel& cache : detect_caches()) bytes = std::max(bytes, cache.bytes);
  return static_cast<std::size_t>(bytes > 0 ? bytes : usual_last_cache);
}

std::size_t whole_windows(std::size_t bytes) { return std::max<std::size_t>(1, bytes / window_bytes) * window_bytes; }

/// Rounds of the loop that take about a slice.
std::int64_t rounds_of_a_slice(const ComputeKernel& kernel) {
  for (std::int64_t rounds = 256;; rounds *= 2) {
    const Nanoseconds begin = steady_now();
    load_sink = kernel.run(rounds);
    if (steady_now() - begin > 40us || rounds > (1LL << 30)) return rounds;
  }
}

}  // namespace

/// What threads read: of memory four times the last cache together, of a cache the part of it that the level says.
struct LoadWork::Area {
  Area(const LoadLevels& levels, int threads)
      : part(whole_windows(static_cast<std::size_t>((levels.memory > 0 ? 4.0 : levels.cache) *
                                                    static_cast<double>(last_cache_bytes()) / threads))),
        memory(allocate_pages(part * static_cast<std::size_t>(threads))) {
    if (!memory)
      throw Error(ErrorKind::runtime, "there is not enough free memory for a background load; end other programs");
  }
  std::size_t part;
  PageMemory memory;
};

LoadWork::LoadWork(const LoadLevels& levels, int threads, LoadPace pace)
    : pace_(pace), counts_(static_cast<std::size_t>(threads)) {
  if (levels.memory > 0 || levels.cache > 0) area_ = std::make_unique<Area>(levels, threads);
  std::latch ready(threads);
  for (std::size_t t = 0; t < counts_.size(); ++t)
    threads_.emplace_back([this, levels, t, &ready] { work(levels, t, ready); });
  ready.wait();
}

LoadWork::~LoadWork() {
  stop_ = true;
  for (auto& thread : threads_) thread.join();
}

double LoadWork::done() const {
  double sum = 0;
  for (const Count& count : counts_) sum += static_cast<double>(count.slices.load(std::memory_order_relaxed));
  return sum;
}

LoadWork::Worked LoadWork::worked() const {
  Worked sum;
  for (const Count& count : counts_) {
    sum.compute += Nanoseconds(count.worked_ns[0].load(std::memory_order_relaxed));
    sum.reading += Nanoseconds(count.worked_ns[1].load(std::memory_order_relaxed));
  }
  return sum;
}

// The kind that lacks most of its share of the time is next; where none lacks any, the thread sleeps. What a kind is
// due grows with the time, and is never more than a little beyond what it has had.
void LoadWork::work(const LoadLevels& levels, std::size_t thread, std::latch& ready) {
  ::prctl(PR_SET_TIMERSLACK, 1);
  const ComputeKernel& kernel = float32_kernel();
  const std::int64_t rounds = levels.compute > 0 ? rounds_of_a_slice(kernel) : 0;
  std::byte* const area = area_ ? area_->memory.get() + area_->part * thread : nullptr;
  if (area) std::memset(area, 1, area_->part);  // pages belong to the memory of the core that first writes to them
  std::size_t at = 0;
  const std::array<double, 2> shares{levels.compute, levels.memory + (levels.cache > 0 ? 1 : 0)};
  std::array<double, 2> lacks{};  // ns of work that are due
  const auto clock = [this] {
    return pace_ == LoadPace::processor_time ? thread_cpu_time().value_or(steady_now()) : steady_now();
  };
  ready.count_down();
  for (Nanoseconds now = steady_now(); !stop_.load(std::memory_order_relaxed);) {
    const std::size_t kind = shares[1] == 0 || (shares[0] > 0 && lacks[0] >= lacks[1]) ? 0 : 1;
    const Nanoseconds work_begin = clock();
    const bool idle = lacks[kind] < 0 || shares[kind] == 0;
    if (idle) {
      std::this_thread::sleep_for(pause_between);
    } else if (kind == 0) {
      load_sink = kernel.run(rounds);
    } else {
      read_kernel().read(area + at, window_bytes, 1);
      at = at + window_bytes < area_->part ? at + window_bytes : 0;
    }
    const Nanoseconds took = clock() - work_begin;  // inside now and after, or full load would seem too much
    const Nanoseconds after = steady_now();
    if (!idle) {
      lacks[kind] -= static_cast<double>(took.count());
      counts_[thread].worked_ns[kind].fetch_add(took.count(), std::memory_order_relaxed);
      counts_[thread].slices.fetch_add(1, std::memory_order_relaxed);
    }
    for (std::size_t i = 0; i < shares.size(); ++i)
      lacks[i] = std::min(lacks[i] + shares[i] * static_cast<double>((after - now).count()),
                          static_cast<double>(most_debt.count()));
    now = after;
  }
}

}  // namespace takt
