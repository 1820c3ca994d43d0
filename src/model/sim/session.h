// A model on a simulated device.
#pragma once

#include <filesystem>
#include <memory>

#include "model/runtime/runtime.h"
#include "model/sim/device_description.h"

namespace takt {

/// `real`: computes the outputs when the description asks for it, else null. On a virtual clock nothing waits: run()
/// returns the sum of the operators and the overhead exactly, and requests complete at virtual times that begin at 0.
/// All requests of a session share one device, which executes one inference at a time.
std::unique_ptr<Session> open_sim_session(const std::filesystem::path& model, const Graph& graph,
                                          DeviceDescription device, const SessionSettings& settings,
                                          std::unique_ptr<Runtime> real_runtime, std::unique_ptr<Session> real);

}  // namespace takt
