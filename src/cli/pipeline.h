// The commands of `takt pipeline`, one file each.
#pragma once

#include <span>
#include <string>

namespace takt {

int run_pipeline_analyze(std::span<const std::string> arguments);
int run_pipeline_interference(std::span<const std::string> arguments);
int run_pipeline_run(std::span<const std::string> arguments);
int run_pipeline_whatif(std::span<const std::string> arguments);

}  // namespace takt
