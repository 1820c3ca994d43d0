// What a program's files are for: one that is read is never one that is written over. The command line says which files
// are which; whoever opens a file asks here, so that files that no command line names (a model that a pipeline's YAML
// names, weights beside a model) are kept, too.
#pragma once

#include <filesystem>
#include <string>

namespace takt {

/// Whether both are one file: by links of either kind, or by its name in its folder where it is not there yet. Devices,
/// pipes and folders never are.
bool is_one_file(const std::filesystem::path& a, const std::filesystem::path& b);

/// From here on reading the file that is now at `path` is refused, because `option` would write over it. What stands
/// there later, written anew, may be read. Nothing where there is no regular file. Not thread-safe: before the work.
void keep_from_reading(const std::filesystem::path& path, std::string option);
/// From here on writing over the file that is now at `path` is refused, because `option` named it to be read.
void keep_from_writing(const std::filesystem::path& path, std::string option);
/// Both lists are empty again.
void forget_file_roles();

/// Asked by whoever opens a file. Throw Error(bad_input) that names the file and the option. Thread-safe.
void check_may_read(const std::filesystem::path& path);
void check_may_write(const std::filesystem::path& path);

}  // namespace takt
