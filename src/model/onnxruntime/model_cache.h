// Optimised models of earlier sessions, in a folder of the user.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/runtime/runtime.h"

namespace takt::ort {

/// The place of one model in the cache: its name says what the optimised graph depends on (the model's bytes and
/// external data, the runtime's version, the processor, the device, settings and shapes).
class CachedModel {
 public:
  CachedModel(const std::filesystem::path& folder, const std::filesystem::path& model, const SessionSettings& settings,
              const std::string& device);

  const std::filesystem::path& path() const { return path_; }
  std::optional<std::string> read() const;     ///< nullopt: not there. Throws Error(io).
  void write(const std::string& bytes) const;  ///< makes the folder where needed. Throws Error(io).

 private:
  std::filesystem::path path_;
};

}  // namespace takt::ort
