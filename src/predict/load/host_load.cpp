#include "predict/load/host_load.h"

#include <utility>

namespace takt {

HostLoad::HostLoad(HostSettings settings) : settings_(std::move(settings)) { begin(); }

void HostLoad::begin() { begin_ = read_host_totals(settings_.root, settings_.processors); }

SourceReadings HostLoad::read() {
  return {host_readings(begin_, read_host_totals(settings_.root, settings_.processors)), {}};
}

}  // namespace takt
