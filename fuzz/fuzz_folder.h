// A folder in memory for readers that look for their files themselves.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace takt {

class FuzzFolder {
 public:
  FuzzFolder() {
    std::string name = "/dev/shm/takt-fuzz-XXXXXX";
    if (!::mkdtemp(name.data())) std::abort();
    path_ = name;
  }
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;
  ~FuzzFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  /// `name` holds exactly these bytes, until the next call.
  std::filesystem::path holding(const std::string& name, std::string_view bytes) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace takt
