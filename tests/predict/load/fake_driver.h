// The CUDA driver that is not there (fake_cuda.cpp), as tests set it.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <utility>

#include "base/system/shared_library.h"

namespace takt {

/// What the fake driver does while this lives, and what it holds.
class FakeCuda {
 public:
  FakeCuda(std::initializer_list<std::pair<std::string, std::string>> settings) {
    forget();
    for (const auto& [name, value] : settings) ::setenv(("FAKE_CUDA_" + name).c_str(), value.c_str(), 1);
  }
  ~FakeCuda() { forget(); }
  double copied_bytes_per_s() const {
    return SharedLibrary({TAKT_FAKE_CUDA}).find<double()>({"fake_cuda_copied_per_s"})();
  }
  int left() const { return SharedLibrary({TAKT_FAKE_CUDA}).find<int()>({"fake_cuda_left"})(); }

 private:
  static void forget() {
    for (const char* name : {"FAILS", "GPUS", "INIT", "LOST_AFTER", "MEMORY"})
      ::unsetenv((std::string("FAKE_CUDA_") + name).c_str());
  }
};

}  // namespace takt
