// From a configuration to the sources that it asks for.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "predict/load/source.h"
#include "predict/sources/config.h"

namespace takt {

/// One per name, in the order of the configuration. A source that cannot be had (no driver, no library) is an
/// AbsentSource, which says why in every reading. Throws Error(unsupported) for cores of the probe that are not there.
std::vector<std::unique_ptr<LoadSource>> make_load_sources(const LoadConfig& config);

/// Whether a source can be had here at all; Prometheus is not asked, since nobody said where it is.
struct SourceState {
  std::string name, description;
  std::optional<std::string> reason{};  ///< why not; nullopt: it can
};
std::vector<SourceState> load_source_states();

/// The load over the configuration's window from now on: what a prediction needs. `stop`: ends the window early.
LoadSnapshot take_snapshot(const std::vector<std::unique_ptr<LoadSource>>& sources, Nanoseconds window,
                           const std::atomic<bool>* stop = nullptr);

}  // namespace takt
