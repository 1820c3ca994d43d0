// The system's own files as a load source: no other program and no privileges are needed.
#pragma once

#include <filesystem>
#include <vector>

#include "predict/load/host_files.h"
#include "predict/load/source.h"

namespace takt {

struct HostSettings {
  std::filesystem::path root = "/";  ///< where /proc and /sys are
  std::vector<int> processors{};     ///< that count; empty: all of the machine
};

/// The window begins with the object, too.
class HostLoad : public LoadSource {
 public:
  explicit HostLoad(HostSettings settings);
  std::string_view name() const override { return "host"; }
  void begin() override;
  SourceReadings read() override;

 private:
  HostSettings settings_;
  HostTotals begin_;
};

}  // namespace takt
