#include "report/results/origin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/basics/error.h"

namespace takt {
namespace {

using nlohmann::json;

std::vector<std::string> words_of(const json& provenance, const std::string& where) {
  const auto found = provenance.is_object() ? provenance.find("command") : provenance.end();
  std::vector<std::string> words;
  if (provenance.is_object() && found != provenance.end() && found->is_array())
    for (const auto& word : *found)
      if (word.is_string()) words.push_back(word.get<std::string>());
  if (words.size() < 2)
    refuse_input(where + ": 'takt' has no 'command'; give what a command of takt printed with --format json");
  return words;
}

}  // namespace

std::vector<OriginEntry> origin_of(const json& provenance, const std::string& where) {
  std::vector<OriginEntry> origin;
  constexpr std::pair<const char*, const char*> entries[] = {
      {"runtime", "runtime"},   {"runtime_version", "runtime version"},
      {"device", "device"},     {"cpu", "machine"},
      {"host", "host"},         {"date", "date"},
      {"takt_version", "takt"}, {"os", "system"},
      {"build_type", "build"},
  };
  const auto words = words_of(provenance, where);
  for (const auto& [key, label] : entries)
    if (const auto found = provenance.find(key); found != provenance.end() && found->is_string())
      origin.push_back({label, (std::string_view(key) == "takt_version" ? "takt " : "") + found->get<std::string>()});
  origin.insert(origin.begin(), {"command", fmt::format("{}", fmt::join(words, " "))});
  if (const auto settings = provenance.find("settings"); settings != provenance.end() && settings->is_object())
    for (const auto& [key, value] : settings->items())
      origin.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
  return origin;
}

std::string command_of(const json& provenance, const std::string& where,
                       const std::function<bool(std::string_view)>& is_known) {
  const auto words = words_of(provenance, where);
  if (words.size() > 2)
    if (const std::string two = words[1] + " " + words[2]; is_known(two)) return two;
  return words[1];
}

}  // namespace takt
