#include "machine/peaks_file.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"
#include "core/folder_lock.h"
#include "core/optional_json.h"
#include "core/text.h"
#include "core/version.h"

namespace takt {
namespace {

using Json = nlohmann::ordered_json;
constexpr int schema = 2;

Json to_json(const PeakRate& rate) { return {{"best", rate.best}, {"median", rate.median}}; }
Json to_json(const PeakPair& pair) { return {{"one", to_json(pair.one)}, {"all", to_json(pair.all)}}; }

PeakRate rate_from(const Json& json) {
  const PeakRate rate{json.at("best").get<double>(), json.at("median").get<double>()};
  if (!(rate.best > 0) || !std::isfinite(rate.best)) throw Error(ErrorKind::bad_input, "a peak is not above zero");
  return rate;
}

PeakPair pair_from(const Json& json) { return {rate_from(json.at("one")), rate_from(json.at("all"))}; }

/// Names of types in the file are those that people read.
NumberType type_from(const Json& json) {
  for (const NumberType type : {NumberType::f32, NumberType::f16, NumberType::bf16, NumberType::int8})
    if (json.get<std::string>() == name_of(type)) return type;
  throw Error(ErrorKind::bad_input, "a peak is of no type that takt knows");
}

std::optional<std::int64_t> bytes_from(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<std::int64_t>());
}

MachineClass machine_from(const Json& json) {
  MachineClass machine;
  machine.cpu = json.at("cpu").get<std::string>();
  machine.cores = json.at("cores").get<int>();
  machine.memory_gib = bytes_from(json.at("memory_gib"));
  machine.instruction_sets = json.at("instruction_sets").get<std::vector<std::string>>();
  machine.governor = json.at("governor").get<std::string>();
  return machine;
}

Peaks peaks_from(const Json& json) {
  Peaks peaks;
  peaks.reads_with = json.at("reads_with").get<std::string>();
  peaks.threads = json.at("threads").get<int>();
  for (const Json& compute : json.at("compute"))
    peaks.compute.push_back({type_from(compute.at("type")), compute.at("instructions").get<std::string>(),
                             pair_from(compute.at("operations_per_s"))});
  for (const Json& level : json.at("levels"))
    peaks.levels.push_back({level.at("name").get<std::string>(), bytes_from(level.at("bytes_one")),
                            bytes_from(level.at("bytes_all")), pair_from(level.at("read_bytes_per_s")),
                            pair_from(level.at("copy_bytes_per_s"))});
  peaks.wake_up = Duration(json.at("wake_up_us").get<double>());
  if (const Json& others = json.at("others_busy_share"); !others.is_null()) peaks.others_busy = others.get<double>();
  return peaks;
}

/// The better of two measurements of one limit. Interference only slows down, so the faster one is nearer to the truth.
void keep_better(PeakPair& now, const PeakPair& earlier, int& kept) {
  for (const auto rate : {&PeakPair::one, &PeakPair::all})
    if ((earlier.*rate).best > (now.*rate).best) now.*rate = earlier.*rate, ++kept;
}

constexpr std::string_view remedy = "run 'takt devices --measure'";

}  // namespace

std::filesystem::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value == nullptr ? "" : value);
  };
  if (const auto folder = variable("TAKT_CACHE_DIR"); !folder.empty()) return folder;
  if (const auto folder = variable("XDG_CACHE_HOME"); folder.is_absolute()) return folder / "takt";
  if (const auto home = variable("HOME"); !home.empty()) return home / ".cache" / "takt";
  return {};
}

std::filesystem::path peaks_path() {
  const auto folder = cache_folder();
  return folder.empty() ? folder : folder / "peaks.json";
}

namespace {

std::filesystem::path path_to_keep() {
  auto path = peaks_path();
  if (path.empty())
    throw Error(ErrorKind::io, "there is no folder to keep the peaks in: set HOME, XDG_CACHE_HOME or TAKT_CACHE_DIR");
  return path;
}

}  // namespace

std::string peaks_to_json(const Peaks& peaks, const MachineClass& machine, const Provenance& provenance) {
  Json levels = Json::array();
  for (const LevelPeaks& level : peaks.levels)
    levels.push_back({{"name", level.name},
                      {"bytes_one", or_null<Json>(level.bytes_one)},
                      {"bytes_all", or_null<Json>(level.bytes_all)},
                      {"read_bytes_per_s", to_json(level.read)},
                      {"copy_bytes_per_s", to_json(level.copy)}});
  Json compute = Json::array();
  for (const ComputePeaks& one : peaks.compute)
    compute.push_back(
        {{"type", name_of(one.type)}, {"instructions", one.instructions}, {"operations_per_s", to_json(one.rate)}});
  const Json json{{"takt", Json::parse(takt::to_json(provenance))},
                  {"schema_version", schema},
                  {"takt_version", version},
                  {"machine",
                   {{"cpu", machine.cpu},
                    {"cores", machine.cores},
                    {"memory_gib", or_null<Json>(machine.memory_gib)},
                    {"instruction_sets", machine.instruction_sets},
                    {"governor", machine.governor}}},
                  {"peaks",
                   {{"reads_with", peaks.reads_with},
                    {"threads", peaks.threads},
                    {"compute", compute},
                    {"levels", levels},
                    {"wake_up_us", peaks.wake_up.count()},
                    {"others_busy_share", or_null<Json>(peaks.others_busy)}}}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

KnownPeaks parse_peaks(std::string_view text, const MachineClass& now, const std::string& origin) try {
  const Json json = Json::parse(text);
  const auto measured_by = json.at("takt_version").get<std::string>();
  if (json.at("schema_version").get<int>() != schema || measured_by != version)
    return {std::nullopt, fmt::format("the measured peaks are of takt {}, this is {}: {}", printable(measured_by),
                                      std::string(version), remedy)};
  const MachineClass measured = machine_from(json.at("machine"));
  if (!(measured == now))
    return {std::nullopt, fmt::format("the measured peaks are of another class of machine ({}): {}",
                                      printable(difference(measured, now)), remedy)};
  return {peaks_from(json.at("peaks")), ""};
} catch (const nlohmann::json::exception&) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: is no file of measured peaks: {}", origin, remedy));
} catch (const Error& error) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}: {}", origin, error.what(), remedy));
}

KnownPeaks load_peaks() {
  const auto path = peaks_path();
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored))
    return {std::nullopt, fmt::format("the peaks of this machine are not measured: {}", remedy)};
  try {
    return parse_peaks(read_file(path), detect_machine_class(), printable(path.string()));
  } catch (const Error& error) {
    return {std::nullopt, error.what()};
  }
}

int keep_better(Peaks& now, const Peaks& earlier) {
  int kept = 0;
  if (now.threads != earlier.threads) return kept;
  for (ComputePeaks& compute : now.compute)
    for (const ComputePeaks& other : earlier.compute)
      if (other.type == compute.type && other.instructions == compute.instructions)
        keep_better(compute.rate, other.rate, kept);
  for (LevelPeaks& level : now.levels)
    for (const LevelPeaks& other : earlier.levels)
      if (other.name == level.name && other.bytes_one == level.bytes_one)
        keep_better(level.read, other.read, kept), keep_better(level.copy, other.copy, kept);
  if (earlier.wake_up < now.wake_up) now.wake_up = earlier.wake_up, ++kept;
  return kept;
}

void check_peaks_writable() { check_writable_folder(path_to_keep().parent_path()); }

KeptPeaks save_peaks(Peaks peaks, const MachineClass& machine, const Provenance& provenance) {
  KeptPeaks kept{path_to_keep(), std::move(peaks), 0};
  make_folders(kept.path.parent_path());
  const FolderLock alone(kept.path.parent_path());
  if (const KnownPeaks earlier = load_peaks(); earlier.peaks) kept.earlier = keep_better(kept.peaks, *earlier.peaks);
  write_file_atomically(kept.path, peaks_to_json(kept.peaks, machine, provenance));
  return kept;
}

}  // namespace takt
