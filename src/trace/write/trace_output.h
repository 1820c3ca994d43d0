// Where trace writers put their bytes: a file that is seen whole or not at all, compressed if its name says so.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

namespace takt {

/// Not thread-safe. Equal bytes in give equal bytes out (the gzip header holds no time and no name).
class TraceOutput {
 public:
  /// Compresses if the name ends in ".gz". Throws Error(io).
  explicit TraceOutput(const std::filesystem::path& path);
  ~TraceOutput();
  void append(std::string_view bytes);
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace takt
