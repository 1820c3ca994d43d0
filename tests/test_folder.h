// A folder for the files of one test. Its name is new each time, so that two checkouts, two users, or one test run
// twice at once never meet; it goes with the test.
#pragma once

#include <filesystem>
#include <string>

#include "base/files/file.h"
#include "base/files/temporary_folder.h"

namespace takt {

class TestFolder {
 public:
  const std::filesystem::path& path() const { return folder_.path(); }
  /// The path of `name` in the folder; nothing is written.
  std::filesystem::path operator/(const std::string& name) const { return path() / name; }
  std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path() / name).parent_path());
    write_file_atomically(path() / name, bytes);
    return path() / name;
  }

 private:
  TemporaryFolder folder_{"takt-test"};
};

}  // namespace takt
