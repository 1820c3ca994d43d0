#include "plan/sweep/contention_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/journal.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "plan/costs/row_values.h"

namespace takt {
namespace {

using Json = nlohmann::json;

std::string printed(const std::vector<std::string>& words) {
  return printable(fmt::format("{}", fmt::join(words, "+")));
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

ContentionConfiguration parse_contention_configuration(std::string_view json, std::string_view where) {
  const Json line = parse_strictly(json, where);
  if (!line.is_object() || !line.contains("takt_contention"))
    refuse_input(fmt::format("{}: is not a file of contention; use another --out", where));
  if (line["takt_contention"] != 1)
    refuse_input(fmt::format("{}: was written by a newer version of takt; read it with that version", where));
  const JsonObject read(line, std::string(where),
                        {"takt_contention", "network", "features", "graph", "seed", "machine", "resources", "levels",
                         "rounds", "nodes", "edges"});
  const auto network = network_named(read.text("network"));
  if (!network) read.refuse("belongs to an unknown network");
  ContentionConfiguration c;
  c.network = *network;
  c.features = read.integer("features", 1, most_graph_nodes);
  c.graph = {read.text("graph"), static_cast<std::uint64_t>(read.count("seed"))};
  c.machine = read.text("machine");
  c.resources = read.texts("resources");
  if (c.resources.empty() || c.resources.size() > 8)
    read.refuse(fmt::format("the number of resources is {}, which is not within 1 to 8", c.resources.size()));
  c.levels = static_cast<int>(read.integer("levels", 1, 50));
  c.rounds = static_cast<int>(read.integer("rounds", 2, 1000));
  c.size = {read.integer("nodes", 1, most_graph_nodes), read.integer("edges", 0, most_graph_nodes)};
  return c;
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
  std::optional<ContentionRecords> all;
  std::map<std::string, std::size_t> places;  // of blocks among the records
  const JournalDamage damage = read_journal(journal, [&](const JournalLine& line) {
    if (!all) {
      all = ContentionRecords{parse_contention_configuration(line.text, line.place), {}, {}};
      return;
    }
    auto record = parse_contention_record(line.text, shape_of(all->configuration), line.place);
    const auto [place, is_new] = places.emplace(record.block, all->records.size());
    if (is_new)
      all->records.push_back(std::move(record));
    else
      all->records[place->second] = std::move(record);
  });
  if (all) all->damage = damage.to_text(journal);
  return all;
}

}  // namespace takt
