// The load of this machine, read at intervals and shown to Prometheus.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "predict/sources/config.h"
#include "predict/sources/metrics_server.h"

namespace takt {

struct ExporterSettings {
  ListenAddress address{};
  LoadConfig load;                      ///< its window is the span that figures are the mean over
  Nanoseconds interval{5'000'000'000};  ///< between two readings; one that takes longer is followed by the next
};

/// Until `stop`. Scrapes get the last reading, so that many readers cost no more than one; the first comes before
/// anybody can ask. `started` hears the address. Throws Error(io) where it cannot be had.
void run_exporter(const ExporterSettings& settings, const std::atomic<bool>& stop,
                  const std::function<void(const ListenAddress&)>& started);

}  // namespace takt
