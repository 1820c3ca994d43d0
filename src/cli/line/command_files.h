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
  /// Sorts in what `option` names: `target` as it is after parsing, `words` as they were typed.
  void add(const Option& option, const OptionTarget& target, std::span<const std::string> words);
  /// A file that is written; one of a log goes on at its end.
  void add_written(const std::filesystem::path& path, const std::string& option) { written_.push_back({path, option}); }
  void add_log(const std::filesystem::path& path, const std::string& option);
  void add_read(const std::filesystem::path& path, const std::string& option) { read_.push_back({path, option}); }

  /// Throws UsageError where a file is read and written, or written twice, or where a log would go on in what is none.
  /// From then on files that no option names are kept as well (core/file_roles.h).
  void check() const;

 private:
  std::vector<NamedFile> read_, written_, gone_on_with_, logs_;
};

}  // namespace takt
