#include "plan/sweep/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "plan/sweep/rounds.h"

namespace takt {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path results = "results";

constexpr std::int64_t most_runs = 1'000'000'000, most_features = 2'147'483'646;

SweepConfiguration configuration_in(std::string_view line, const std::string& place) {
  const Json json = parse_strictly(line, place);
  if (!json.is_object() || !json.contains("takt_sweep"))
    refuse_input(fmt::format("{}: is not a file of a sweep; use another --out", place));
  if (json["takt_sweep"] != 1)
    refuse_input(fmt::format("{}: was written by a newer version of takt; read it with that version", place));
  const JsonObject object(json, place, {"takt_sweep", "features", "warmup", "iterations", "graph", "seed", "machine"},
                          {"rounds", "timing"});
  SweepConfiguration read;
  read.features = object.integer("features", 1, most_features);
  read.warmup = object.integer("warmup", 0, most_runs), read.iterations = object.integer("iterations", 1, most_runs);
  read.graph = {object.text("graph"), static_cast<std::uint64_t>(object.count("seed"))};
  read.machine = object.text("machine");
  read.rounds = object.has("rounds") ? static_cast<int>(object.integer("rounds", 1, most_sweep_rounds)) : 1;
  read.timing = object.has("timing") ? static_cast<int>(object.integer("timing", 1, 1000)) : 1;
  return read;
}

std::vector<fs::path> journals_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / results, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("measurements") && name.ends_with(".jsonl")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

[[noreturn]] void refuse_other(const fs::path& file, const SweepConfiguration& there, const SweepConfiguration& asked) {
  refuse_input(fmt::format(
      "{}: was measured with different settings ({}); use another --out, or the same settings and machine class",
      printable(file.string()), difference(there, asked)));
}

}  // namespace

bool SweepConfiguration::operator==(const SweepConfiguration& other) const { return difference(*this, other).empty(); }

std::string to_json(const SweepConfiguration& configuration) {
  return Json{{"takt_sweep", 1},
              {"features", configuration.features},
              {"warmup", configuration.warmup},
              {"iterations", configuration.iterations},
              {"graph", configuration.graph.kind},
              {"seed", configuration.graph.seed},
              {"machine", configuration.machine},
              {"rounds", configuration.rounds},
              {"timing", configuration.timing}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string difference(const SweepConfiguration& measured, const SweepConfiguration& asked) {
  std::vector<std::string> words;
  const auto compare = [&](std::string_view what, const auto& one, const auto& other) {
    if (one != other) words.push_back(fmt::format("{} {} instead of {}", what, one, other));
  };
  compare("features", measured.features, asked.features);
  compare("warm-up runs", measured.warmup, asked.warmup);
  compare("iterations", measured.iterations, asked.iterations);
  compare("rounds", measured.rounds, asked.rounds);
  compare("takt's method of timing", measured.timing, asked.timing);
  compare("graph", measured.graph.kind, asked.graph.kind);
  compare("seed", measured.graph.seed, asked.graph.seed);
  compare("machine", measured.machine, asked.machine);
  return fmt::format("{}", fmt::join(words, ", "));
}

std::optional<SweepRecords> read_sweep(const fs::path& folder) {
  std::optional<SweepRecords> sweep;
  std::map<std::tuple<Network, StageKey, int>, std::size_t> places;
  std::vector<std::string> damages;  // of a file whose first line is damaged nothing else is known
  for (const fs::path& file : journals_in(folder)) {
    bool has_begun = false;
    const JournalDamage damage = read_journal(file, [&](const JournalLine& line) {
      if (!has_begun) {
        const SweepConfiguration configuration = configuration_in(line.text, line.place);
        if (!sweep) sweep = SweepRecords{configuration};
        if (!(configuration == sweep->configuration)) refuse_other(file, configuration, sweep->configuration);
        has_begun = true;
        return;
      }
      auto record = parse_stage_record(line.text, line.place);
      const auto [place, is_new] =
          places.emplace(std::tuple(record.network, record.row.key, record.round), sweep->by_round.size());
      if (is_new)
        sweep->by_round.push_back(std::move(record));
      else
        sweep->by_round[place->second] = std::move(record);
    });
    if (damage.lines > 0) damages.push_back(damage.to_text(file));
  }
  if (sweep) sweep->records = whole_rows(sweep->by_round), sweep->damage = std::move(damages);
  return sweep;
}

StageMeasurements measurements_of(const SweepRecords& sweep, Network network) {
  StageMeasurements measurements;
  measurements.network = network;
  measurements.features = sweep.configuration.features;
  for (const StageRecord& record : sweep.records)
    if (record.network == network) measurements.rows.push_back(record.row);
  std::sort(measurements.rows.begin(), measurements.rows.end(),
            [](const StageMeasurement& a, const StageMeasurement& b) { return a.key < b.key; });
  return measurements;
}

fs::path SweepJournal::file_in(const fs::path& folder, const Shard& shard) {
  make_folders(folder / results);
  const std::string name =
      shard.of == 1 ? "measurements.jsonl" : fmt::format("measurements-{}-of-{}.jsonl", shard.number, shard.of);
  return folder / results / name;
}

SweepJournal::SweepJournal(const fs::path& folder, const SweepConfiguration& configuration, const Shard& shard)
    : journal_(file_in(folder, shard)) {
  if (const auto there = read_sweep(folder); there && !(there->configuration == configuration))
    refuse_other(folder / results, there->configuration, configuration);
  if (fs::file_size(file_in(folder, shard)) == 0) journal_.append(to_json(configuration));
}

}  // namespace takt
