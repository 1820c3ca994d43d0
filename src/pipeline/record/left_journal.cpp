#include "pipeline/record/left_journal.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "pipeline/record/run_journal.h"

namespace takt {
namespace {

/// nullopt: it cannot be read.
std::optional<std::int64_t> batches_of_journal(const std::filesystem::path& path) {
  try {
    const JournalledRun read = read_run_journal(path);
    return static_cast<std::int64_t>(read.run.schedule.batches.size()) + read.left_out;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::filesystem::path free_name(const std::filesystem::path& path) {
  for (int number = 1;; ++number) {
    std::filesystem::path name = path;
    name += fmt::format(".{}", number);
    std::error_code ignored;
    if (!std::filesystem::exists(std::filesystem::symlink_status(name, ignored))) return name;
  }
}

[[noreturn]] void refuse_to_replace(const std::filesystem::path& path, const std::error_code& error) {
  throw Error(
      ErrorKind::io,
      fmt::format("{}: the file that an earlier run left here cannot be renamed: {}; move it, or name another trace",
                  printable(path.string()), reason_of(error.value())));
}

}  // namespace

std::string set_aside_left_journal(const std::filesystem::path& path) {
  if (!is_run_journal(path)) return "";
  const std::string name = printable(path.string());
  const auto batches = batches_of_journal(path);
  std::error_code error;
  if (batches == 0) {
    std::filesystem::remove(path, error);
    if (error) refuse_to_replace(path, error);
    return fmt::format("{}: an earlier run left this file without any batch; it is replaced", name);
  }
  const std::filesystem::path kept = free_name(path);
  std::filesystem::rename(path, kept, error);
  if (error) refuse_to_replace(path, error);
  const std::string new_name = printable(kept.string());
  if (!batches)
    return fmt::format("{}: the file that an earlier run left here cannot be read; it is kept as '{}'", name, new_name);
  return fmt::format("{}: an earlier run left {} batch{} here, kept as '{}'; 'takt pipeline analyze' reads it", name,
                     *batches, *batches == 1 ? "" : "es", new_name);
}

}  // namespace takt
