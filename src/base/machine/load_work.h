// The threads of a load (resource_load.h) and what they do.
#pragma once

#include <array>
#include <atomic>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "base/machine/resource_load.h"

namespace takt {

/// Works from the end of its constructor, when all its memory is written, to its destructor.
class LoadWork {
 public:
  /// Throws Error(runtime) where there is not enough memory.
  LoadWork(const LoadLevels& levels, int threads, LoadPace pace = LoadPace::wall_time);
  ~LoadWork();
  LoadWork(const LoadWork&) = delete;
  LoadWork& operator=(const LoadWork&) = delete;

  /// Slices of work done since the beginning, by all threads; one takes tens of microseconds where nothing disturbs it.
  double done() const;

  /// For how long all threads together have worked since the beginning, by the pace.
  struct Worked {
    Nanoseconds compute{}, reading{};  ///< reading: of memory or the cache
  };
  Worked worked() const;

 private:
  struct Area;
  struct alignas(64) Count {
    std::atomic<std::int64_t> slices{0};
    std::array<std::atomic<std::int64_t>, 2> worked_ns{};  ///< computing, reading
  };
  void work(const LoadLevels& levels, std::size_t thread, std::latch& ready);

  LoadPace pace_;
  std::unique_ptr<Area> area_;
  std::vector<Count> counts_;
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

}  // namespace takt
