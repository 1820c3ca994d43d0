#include "predict/collect/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"

namespace takt {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

CollectConfiguration collect_configuration_in(std::string_view line, const std::string& place) {
  constexpr double longest_us = 1e15, fastest = 1e30;
  const Json json = parse_strictly(line, place);
  if (!json.is_object() || !json.contains("takt_collect"))
    refuse_input(fmt::format("{}: is not the journal of a collection; give another file with -o", place));
  if (json["takt_collect"] != 1)
    refuse_input(fmt::format("{}: was written by a newer version of takt; read it with that version", place));
  const JsonObject object(
      json, place, {"takt_collect", "machine", "runtime", "device", "threads", "time_us", "flops_per_s", "bytes_per_s"},
      {"loaded_time_us"});
  const double time_us = object.number("time_us", 0, longest_us);
  return {object.text("machine"),
          object.text("runtime"),
          object.text("device"),
          static_cast<int>(object.integer("threads", 0, 1'000'000)),
          time_us,
          object.has("loaded_time_us") ? object.number("loaded_time_us", 0, longest_us) : time_us,
          {object.number("flops_per_s", 1, fastest), object.number("bytes_per_s", 1, fastest)}};
}

std::vector<fs::path> journals_beside(const fs::path& out) {
  std::vector<fs::path> files;
  const std::string begin = out.filename().string() + ".";
  std::error_code error;
  const fs::path folder = out.parent_path().empty() ? fs::path(".") : out.parent_path();
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(begin) && name.ends_with(".jsonl")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::optional<CollectJournal> read_collect_journals(const fs::path& out) {
  std::optional<CollectJournal> all;
  std::vector<std::string> damages;  // of a file whose first line is damaged nothing else is known
  for (const fs::path& file : journals_beside(out)) {
    bool has_begun = false;
    const JournalDamage damage = read_journal(file, [&](const JournalLine& line) {
      if (has_begun) {
        all->records.push_back(parse_collect_record(line.text, line.place));
        return;
      }
      const CollectConfiguration configuration = collect_configuration_in(line.text, line.place);
      if (!all) all = CollectJournal{configuration, {}, {}};
      if (const auto differs = difference(all->configuration, configuration); !differs.empty())
        refuse_input(fmt::format("{}: was measured with different settings than the other journals ({})",
                                 printable(file.string()), differs));
      has_begun = true;
    });
    if (damage.lines > 0) damages.push_back(damage.to_text(file));
  }
  if (all) all->damage = std::move(damages);
  return all;
}

fs::path collect_journal_path(const fs::path& out, const Shard& shard) {
  fs::path path = out;
  path += shard.of == 1 ? ".jsonl" : fmt::format(".{}-of-{}.jsonl", shard.number, shard.of);
  return path;
}

std::string to_json(const CollectConfiguration& configuration) {
  return Json{{"takt_collect", 1},
              {"machine", configuration.machine},
              {"runtime", configuration.runtime},
              {"device", configuration.device},
              {"threads", configuration.threads},
              {"time_us", configuration.time_us},
              {"loaded_time_us", configuration.loaded_time_us},
              {"flops_per_s", configuration.constants.flops_per_s},
              {"bytes_per_s", configuration.constants.bytes_per_s}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string difference(const CollectConfiguration& there, const CollectConfiguration& asked) {
  std::vector<std::string> words;
  const auto compare = [&](std::string_view what, const auto& one, const auto& other) {
    if (one != other) words.push_back(fmt::format("{} {} instead of {}", what, one, other));
  };
  compare("machine", printable(there.machine), printable(asked.machine));
  compare("runtime", printable(there.runtime), printable(asked.runtime));
  compare("device", printable(there.device), printable(asked.device));
  compare("threads", there.threads, asked.threads);
  compare("time in us", there.time_us, asked.time_us);
  compare("time under load in us", there.loaded_time_us, asked.loaded_time_us);
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace takt
