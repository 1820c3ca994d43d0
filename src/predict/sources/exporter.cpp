#include "predict/sources/exporter.h"

#include <chrono>
#include <exception>
#include <mutex>
#include <thread>

#include "predict/sources/exposition.h"
#include "predict/sources/sources.h"

namespace takt {

void run_exporter(const ExporterSettings& settings, const std::atomic<bool>& stop,
                  const std::function<void(const ListenAddress&)>& started) {
  using namespace std::chrono_literals;
  MetricsServer server(settings.address);  // before the first reading: an address that is taken is told at once
  const auto sources = make_load_sources(settings.load);
  std::mutex mutex;
  LoadSnapshot last = take_snapshot(sources, settings.load.window, &stop);
  std::atomic<bool> end{false};
  std::exception_ptr failure, reader_failure;
  std::thread reader([&] {
    try {
      for (Nanoseconds due = steady_now() + settings.interval; !end;) {
        if (steady_now() < due) {
          std::this_thread::sleep_for(20ms);
          continue;
        }
        due = steady_now() + settings.interval;
        LoadSnapshot snapshot = take_snapshot(sources, settings.load.window, &end);
        const std::lock_guard lock(mutex);
        last = std::move(snapshot);
      }
    } catch (...) {
      reader_failure = std::current_exception();
    }
  });
  try {
    started(server.address());
    server.serve(
        [&] {
          const std::lock_guard lock(mutex);
          return exposition(last, settings.load.sources, wall_now());
        },
        stop);
  } catch (...) {
    failure = std::current_exception();
  }
  end = true;
  reader.join();
  for (const auto& one : {failure, reader_failure})
    if (one) std::rethrow_exception(one);
}

}  // namespace takt
