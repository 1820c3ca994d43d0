// The GPU's driver as a load source, without any other program: NVML's own figures, and where the GPU has them (Hopper
// and later) its performance counters (GPM), whose span is ours: from begin() to read().
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "predict/gpu/nvml_library.h"
#include "predict/load/source.h"

namespace takt {

/// The window of counters begins with the object, too.
class NvmlLoad : public LoadSource {
 public:
  /// `library` empty: the system's. Throws Error(unsupported): no driver, no GPU.
  explicit NvmlLoad(const std::string& library);
  ~NvmlLoad() override;
  std::string_view name() const override { return "nvml"; }
  void begin() override;
  SourceReadings read() override;

 private:
  struct Gpu;
  NvmlLibrary nvml_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
};

}  // namespace takt
