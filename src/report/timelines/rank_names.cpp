#include "report/timelines/rank_names.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace takt {
namespace {

constexpr std::string_view borders = "._- ";

bool are_all_different(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

/// How much all begin with, up to the last border in it; a number keeps the word before it.
std::size_t common_begin(const std::vector<std::string>& names) {
  std::size_t common = names[0].size();
  for (const std::string& name : names)
    common = std::min<std::size_t>(
        common,
        static_cast<std::size_t>(std::mismatch(names[0].begin(), names[0].end(), name.begin(), name.end()).first -
                                 names[0].begin()));
  const auto border_before = [&](std::size_t at) {
    while (at > 0 && borders.find(names[0][at - 1]) == borders.npos) --at;
    return at;
  };
  const std::size_t begin = border_before(common);
  const bool is_number = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return begin < name.size() && name[begin] >= '0' && name[begin] <= '9';
  });
  return is_number && begin > 0 ? border_before(begin - 1) : begin;
}

/// How much all end with, from the first border in it.
std::size_t common_end(std::vector<std::string> names) {
  for (std::string& name : names) std::reverse(name.begin(), name.end());
  std::size_t common = names[0].size();
  for (const std::string& name : names)
    common = std::min<std::size_t>(
        common,
        static_cast<std::size_t>(std::mismatch(names[0].begin(), names[0].end(), name.begin(), name.end()).first -
                                 names[0].begin()));
  while (common > 0 && borders.find(names[0][common - 1]) == borders.npos) --common;
  return common;
}

}  // namespace

std::vector<std::string> rank_names(const std::vector<std::string>& paths) {
  std::vector<std::string> names;
  for (const std::string& path : paths) names.push_back(std::filesystem::path(path).filename().string());
  if (!are_all_different(names)) return are_all_different(paths) ? paths : names;
  if (names.size() < 2) return names;
  const std::size_t begin = common_begin(names), end = common_end(names);
  std::vector<std::string> own;
  for (const std::string& name : names)
    own.push_back(begin + end < name.size() ? name.substr(begin, name.size() - begin - end) : std::string());
  const bool are_telling = std::none_of(own.begin(), own.end(), [](const std::string& one) { return one.empty(); });
  return are_telling && are_all_different(own) ? own : names;
}

}  // namespace takt
