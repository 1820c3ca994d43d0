// The files that a command line names, by what is done with them: none is both read and written, and none is written
// twice. Asked before anything is read, written or measured.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/line/option.h"
#include "cli/line/option_value.h"

namespace takt {

/// The file of an option, and what messages call that: "--profile", "the journal of --trace".
struct NamedFile {
  std::filesystem::path path;
  std::string option;
};

class CommandFiles {
 public:
  /// Adds the files that `option` names: `target` as it is after parsing, `words` as they were typed.
  void add(const Option& option, const OptionTarget& target, std::span<const std::string> words);
  /// Adds a file that is written; a log is appended to.
  void add_written(const std::filesystem::path& path, const std::string& option) { written_.push_back({path, option}); }
  void add_log(const std::filesystem::path& path, const std::string& option);
  void add_read(const std::filesystem::path& path, const std::string& option) { read_.push_back({path, option}); }

  /// Throws UsageError if a file is both read and written, or written twice, or if the file of a log exists and is not
  /// a log. From then on, files that no option names are protected as well (base/files/file_roles.h).
  void check() const;

 private:
  std::vector<NamedFile> read_, written_, gone_on_with_, logs_;
};

/// A model is read several times, also by SDKs: what comes through a pipe, as of `<(…)`, is copied to a file that is
/// there until the program ends. Returns the file, and `path` itself for everything else. Throws Error(io).
std::filesystem::path piped_model(const std::filesystem::path& path);

}  // namespace takt
