#include "predict/collect_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/text.h"

namespace takt {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

CollectConfiguration collect_configuration_in(const std::string& line, const fs::path& file) {
  try {
    const Json json = Json::parse(line);
    if (json.at("takt_collect") != 1)
      refuse_input(fmt::format("{}: is of a newer takt; read it with that", printable(file.string())));
    const double time_us = json.at("time_us");
    return {json.at("machine"),
            json.at("runtime"),
            json.at("device"),
            json.at("threads"),
            time_us,
            json.value("loaded_time_us", time_us),
            {json.at("flops_per_s"), json.at("bytes_per_s")}};
  } catch (const Json::exception&) {
    refuse_input(fmt::format("{}: does not begin as the journal of a collection; give another file with -o",
                             printable(file.string())));
  }
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
  for (const fs::path& file : journals_beside(out)) {
    const auto lines = read_journal(file);
    if (lines.empty()) continue;  // killed before its first line was whole
    const CollectConfiguration configuration = collect_configuration_in(lines.front(), file);
    if (!all) all = CollectJournal{configuration, {}};
    if (const auto differs = difference(all->configuration, configuration); !differs.empty())
      refuse_input(fmt::format("{}: was measured in another way than the journals beside it ({})",
                               printable(file.string()), differs));
    for (std::size_t i = 1; i < lines.size(); ++i)
      all->records.push_back(parse_collect_record(lines[i], fmt::format("{}:{}", printable(file.string()), i + 1)));
  }
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
  compare("time beside loads in us", there.loaded_time_us, asked.loaded_time_us);
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace takt
