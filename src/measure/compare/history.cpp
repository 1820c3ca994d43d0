#include "measure/compare/history.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& folder, const std::error_code& error) {
  throw Error(ErrorKind::io, fmt::format("{}: {}", printable(folder.string()), reason_of(error.value())));
}

}  // namespace

std::vector<std::filesystem::path> history_of(const std::filesystem::path& folder, std::size_t latest) {
  std::error_code error;
  std::vector<std::filesystem::path> found;
  if (!std::filesystem::exists(folder, error) && !error) return found;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    if (entry->path().extension() == ".json") found.push_back(entry->path());
  if (error) refuse(folder, error);
  std::sort(found.begin(), found.end());
  if (found.size() > latest) found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(latest));
  return found;
}

std::filesystem::path history_place(const std::filesystem::path& folder, std::string_view date, std::string_view text) {
  std::string stamp;
  for (char c : date.substr(0, 32))
    if ((c >= '0' && c <= '9') || c == 'T' || c == 'Z' || c == '-') stamp += c;
  if (stamp.empty() || stamp == "-") stamp = "undated";
  return folder / fmt::format("{}-{:016x}.json", stamp, fingerprint(text));
}

void add_to_history(const std::filesystem::path& place, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(place.parent_path(), error);
  if (error) refuse(place.parent_path(), error);
  if (!std::filesystem::exists(place, error)) write_file_atomically(place, text);
}

}  // namespace takt
