#include "sweep/contention_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/journal.h"
#include "core/strict_json.h"
#include "core/text.h"

namespace takt {
namespace {

using Json = nlohmann::json;

std::string printed(const std::vector<std::string>& words) {
  return printable(fmt::format("{}", fmt::join(words, "+")));
}

void check_range(std::string_view where, const char* key, std::int64_t value, std::int64_t least,
                 std::int64_t largest) {
  if (value < least || value > largest)
    refuse_input(fmt::format("{}: {} is {}, and not {} to {}; measure again into another folder", where, key, value,
                             least, largest));
}

}  // namespace

std::string to_json(const ContentionConfiguration& c) {
  return Json{{"takt_contention", 1},     {"network", network_name(c.network)},
              {"features", c.features},   {"graph", c.graph.kind},
              {"seed", c.graph.seed},     {"machine", c.machine},
              {"resources", c.resources}, {"levels", c.levels},
              {"rounds", c.rounds},       {"nodes", c.size.nodes},
              {"edges", c.size.edges}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

ContentionConfiguration parse_contention_configuration(std::string_view json, std::string_view where) try {
  const Json read = parse_strictly(json, where);
  if (read.at("takt_contention") != 1) refuse_input(fmt::format("{}: is of a newer takt; read it with that", where));
  const auto network = network_named(read.at("network").get<std::string>());
  if (!network) refuse_input(fmt::format("{}: is of a network that there is not", where));
  ContentionConfiguration c;
  c.network = *network;
  c.features = read.at("features");
  c.graph = {read.at("graph"), read.at("seed")};
  c.machine = read.at("machine");
  c.resources = read.at("resources").get<std::vector<std::string>>();
  const std::int64_t levels = read.at("levels"), rounds = read.at("rounds");
  check_range(where, "levels", levels, 1, 50);
  check_range(where, "rounds", rounds, 2, 1000);
  check_range(where, "the number of resources", std::ssize(c.resources), 1, 8);
  c.levels = static_cast<int>(levels), c.rounds = static_cast<int>(rounds);
  c.size = {read.at("nodes"), read.at("edges")};
  check_range(where, "nodes", c.size.nodes, 1, 2147483646);
  check_range(where, "edges", c.size.edges, 0, 2147483646);
  return c;
} catch (const Json::exception&) {
  refuse_input(fmt::format("{}: does not begin as a file of contention; give another folder with --out", where));
}

std::string difference(const ContentionConfiguration& measured, const ContentionConfiguration& asked) {
  std::vector<std::string> words;
  const auto compare = [&](std::string_view what, const auto& one, const auto& other) {
    if (one != other) words.push_back(fmt::format("{} {} instead of {}", what, one, other));
  };
  compare("network", network_name(measured.network), network_name(asked.network));
  compare("features", measured.features, asked.features);
  compare("graph", printable(measured.graph.kind), printable(asked.graph.kind));
  compare("seed", measured.graph.seed, asked.graph.seed);
  compare("machine", printable(measured.machine), printable(asked.machine));
  compare("resources", printed(measured.resources), printed(asked.resources));
  compare("levels", measured.levels, asked.levels);
  compare("rounds", measured.rounds, asked.rounds);
  return fmt::format("{}", fmt::join(words, ", "));
}

const ContentionRecord* ContentionRecords::find(std::string_view block) const {
  const auto found = std::find_if(records.begin(), records.end(),
                                  [&](const ContentionRecord& record) { return record.block == block; });
  return found == records.end() ? nullptr : &*found;
}

ContentionShape shape_of(const ContentionConfiguration& configuration) {
  return {configuration.resources.size(), static_cast<std::size_t>(configuration.levels),
          static_cast<std::size_t>(configuration.rounds)};
}

std::filesystem::path contention_journal(const std::filesystem::path& folder, Network network) {
  return folder / "results" / fmt::format("interference-{}.jsonl", network_name(network));
}

std::optional<ContentionRecords> read_contention(const std::filesystem::path& journal) {
  std::error_code error;
  if (!std::filesystem::exists(journal, error)) return std::nullopt;
  const auto lines = read_journal(journal);
  if (lines.empty()) return std::nullopt;
  const std::string name = printable(journal.string());
  ContentionRecords all{parse_contention_configuration(lines.front(), name + ":1"), {}};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    auto record = parse_contention_record(lines[i], shape_of(all.configuration), fmt::format("{}:{}", name, i + 1));
    std::erase_if(all.records, [&](const ContentionRecord& before) { return before.block == record.block; });
    all.records.push_back(std::move(record));
  }
  return all;
}

}  // namespace takt
