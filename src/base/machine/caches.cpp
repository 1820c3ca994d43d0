#include "base/machine/caches.h"

#include <algorithm>
#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto number = number_in<std::int64_t>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

/// "32768K", "1M", "512"
std::optional<std::int64_t> size_of(std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('K')) unit = 1 << 10;
  if (text.ends_with('M')) unit = 1 << 20;
  if (unit > 1) text.remove_suffix(1);
  const auto number = whole_number(text);
  return number && *number < (std::int64_t{1} << 40) ? std::optional(*number * unit) : std::nullopt;
}

}  // namespace

int count_cpus(std::string_view list) {
  std::int64_t count = 0;
  for (const auto& part : split(trim(list), ',')) {
    const auto dash = part.find('-');
    const auto first = whole_number(std::string_view(part).substr(0, dash));
    const auto last = dash == std::string::npos ? first : whole_number(std::string_view(part).substr(dash + 1));
    if (!first || !last || *last < *first || *last > 1'000'000) return 0;
    count += *last - *first + 1;
  }
  return static_cast<int>(std::min<std::int64_t>(count, 1'000'000));
}

std::vector<CacheLevel> parse_caches(const std::vector<CacheTexts>& texts) {
  std::vector<CacheLevel> caches;
  for (const CacheTexts& text : texts) {
    const auto level = whole_number(trim(text.level));
    const auto bytes = size_of(trim(text.size));
    const std::string_view type = trim(text.type);
    if (!level || *level < 1 || *level > 9 || !bytes || *bytes < 1024) continue;
    if (type != "Data" && type != "Unified") continue;
    caches.push_back({static_cast<int>(*level), *bytes, std::max(1, count_cpus(text.shared_cpu_list))});
  }
  std::sort(caches.begin(), caches.end(), [](const auto& a, const auto& b) { return a.level < b.level; });
  return caches;
}

std::vector<CacheLevel> detect_caches() {
  std::vector<CacheTexts> texts;
  try {
    for (int index = 0; index < 16; ++index) {
      const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/";
      texts.push_back({read_file(folder + "level"), read_file(folder + "type"), read_file(folder + "size"),
                       read_file(folder + "shared_cpu_list")});
    }
  } catch (const Error&) {
    // the first index that is not there ends the list
  }
  return parse_caches(texts);
}

}  // namespace takt
