#include "base/machine/class.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <thread>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/affinity.h"

namespace takt {
namespace {

/// The value of the first "key : value" line.
std::string value_of(std::string_view text, std::string_view key) {
  for (const auto& line : split(text, '\n')) {
    const auto colon = line.find(':');
    if (colon != std::string::npos && trim(std::string_view(line).substr(0, colon)) == key)
      return std::string(trim(std::string_view(line).substr(colon + 1)));
  }
  return "";
}

std::vector<std::string> instruction_sets_in(std::string_view flags) {
  static constexpr std::string_view known[] = {"amx_bf16", "amx_int8", "asimd",       "asimddp",     "avx",
                                               "avx2",     "avx512f",  "avx512_bf16", "avx512_fp16", "avx512_vnni",
                                               "avx_vnni", "f16c",     "fma",         "sse4_2",      "sve"};
  std::vector<std::string> found;
  for (const auto& word : split(flags, ' '))
    if (std::find(std::begin(known), std::end(known), word) != std::end(known)) found.push_back(word);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string text_or_nothing(const char* path) {
  try {
    return read_file(path);
  } catch (const Error&) {
    return "";  // not every system has every file, and a missing one is a missing value
  }
}

std::string memory_text(const std::optional<std::int64_t>& gib) {
  return gib ? fmt::format("{} GiB", *gib) : "unknown memory";
}

}  // namespace

MachineClass parse_machine_class(const MachineTexts& texts) {
  MachineClass machine;
  machine.cpu = processor_name(texts.cpuinfo);
  machine.cores = texts.cores;
  std::string flags = value_of(texts.cpuinfo, "flags");
  if (flags.empty()) flags = value_of(texts.cpuinfo, "Features");
  machine.instruction_sets = instruction_sets_in(flags);
  const std::string total = value_of(texts.meminfo, "MemTotal");  // "24684084 kB"
  double kib = 0;
  const auto parsed = std::from_chars(total.data(), total.data() + total.size(), kib);
  if (parsed.ec == std::errc() && kib > 0 && kib < 1e15) machine.memory_gib = std::llround(kib / (1 << 20));
  machine.governor = printable(trim(texts.governor));
  return machine;
}

MachineClass detect_machine_class() {
  MachineTexts texts;
  texts.cpuinfo = text_or_nothing("/proc/cpuinfo");
  texts.meminfo = text_or_nothing("/proc/meminfo");
  texts.governor = text_or_nothing("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  texts.cores = machine_core_count();
  return parse_machine_class(texts);
}

std::string to_string(const MachineClass& machine) {
  std::string text = fmt::format("{}, {} {}, {}", machine.cpu, machine.cores, machine.cores == 1 ? "core" : "cores",
                                 memory_text(machine.memory_gib));
  if (!machine.instruction_sets.empty()) text += fmt::format(", {}", fmt::join(machine.instruction_sets, " "));
  if (!machine.governor.empty()) text += ", governor " + machine.governor;
  return text;
}

std::string difference(const MachineClass& measured, const MachineClass& now) {
  std::vector<std::string> parts;
  const auto compare = [&](std::string_view what, const std::string& was, const std::string& is) {
    if (was != is) parts.push_back(fmt::format("{} '{}' instead of '{}'", what, is, was));
  };
  compare("CPU", measured.cpu, now.cpu);
  compare("cores", std::to_string(measured.cores), std::to_string(now.cores));
  compare("memory", memory_text(measured.memory_gib), memory_text(now.memory_gib));
  compare("instruction sets", fmt::format("{}", fmt::join(measured.instruction_sets, " ")),
          fmt::format("{}", fmt::join(now.instruction_sets, " ")));
  compare("governor", measured.governor, now.governor);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace takt
