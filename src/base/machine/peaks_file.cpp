#include "base/machine/peaks_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/optional_json.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/folder_lock.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "base/system/version.h"

namespace takt {
namespace {

using Json = nlohmann::ordered_json;
using Read = nlohmann::json;
constexpr int schema = 2;

Json to_json(const PeakRate& rate) { return {{"best", rate.best}, {"median", rate.median}}; }
Json to_json(const PeakPair& pair) { return {{"one", to_json(pair.one)}, {"all", to_json(pair.all)}}; }

constexpr double most_per_s = 1e30;
constexpr std::int64_t most_level_bytes = std::int64_t{1} << 60;

PeakRate rate_from(const Read& json, const std::string& place) {
  const JsonObject rate(json, place, {"best", "median"});
  // Below one a second nothing was measured.
  return {rate.number("best", 1, most_per_s), rate.number("median", 0, most_per_s)};
}

PeakPair pair_from(const JsonObject& object, const char* key) {
  const JsonObject pair(object[key], object.place_of(key), {"one", "all"});
  return {rate_from(pair["one"], pair.place_of("one")), rate_from(pair["all"], pair.place_of("all"))};
}

/// Names of types in the file are those that people read.
NumberType type_from(const JsonObject& object) {
  const std::string name = object.text("type");
  for (const NumberType type : {NumberType::f32, NumberType::f16, NumberType::bf16, NumberType::int8})
    if (name == name_of(type)) return type;
  object.refuse(fmt::format("'{}' is not a number type", quoted_part(name)));
}

std::optional<std::int64_t> bytes_from(const JsonObject& object, const char* key) {
  return object.is_null(key) ? std::nullopt : std::optional(object.integer(key, 0, most_level_bytes));
}

MachineClass machine_from(const Read& json, const std::string& place) {
  const JsonObject object(json, place, {"cpu", "cores", "memory_gib", "instruction_sets", "governor"});
  MachineClass machine;
  machine.cpu = object.text("cpu");
  machine.cores = static_cast<int>(object.integer("cores", 1, 1'000'000));
  machine.memory_gib = bytes_from(object, "memory_gib");
  machine.instruction_sets = object.texts("instruction_sets");
  machine.governor = object.text("governor");
  return machine;
}

ComputePeaks compute_from(const Read& json, const std::string& place) {
  const JsonObject object(json, place, {"type", "instructions", "operations_per_s"});
  return {type_from(object), object.text("instructions"), pair_from(object, "operations_per_s")};
}

LevelPeaks level_from(const Read& json, const std::string& place) {
  const JsonObject object(json, place, {"name", "bytes_one", "bytes_all", "read_bytes_per_s", "copy_bytes_per_s"});
  return {object.text("name"), bytes_from(object, "bytes_one"), bytes_from(object, "bytes_all"),
          pair_from(object, "read_bytes_per_s"), pair_from(object, "copy_bytes_per_s")};
}

Peaks peaks_from(const Read& json, const std::string& place) {
  constexpr double longest_us = 1e12;
  const JsonObject object(json, place,
                          {"reads_with", "threads", "compute", "levels", "wake_up_us", "others_busy_share"});
  Peaks peaks;
  peaks.reads_with = object.text("reads_with");
  peaks.threads = static_cast<int>(object.integer("threads", 1, 1'000'000));
  for (const Read& compute : object.list("compute"))
    peaks.compute.push_back(compute_from(compute, object.place_of("compute")));
  for (const Read& level : object.list("levels")) peaks.levels.push_back(level_from(level, object.place_of("levels")));
  peaks.wake_up = Duration(object.number("wake_up_us", 0, longest_us));
  peaks.others_busy = object.number_or_null("others_busy_share", 0, 1e6);
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
    throw Error(ErrorKind::io, "there is no folder to store the peaks in: set HOME, XDG_CACHE_HOME or TAKT_CACHE_DIR");
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
  const Read json = strict_json_in(text).value_or(Read());
  if (!json.is_object() || !json.contains("schema_version") || !json.contains("takt_version"))
    refuse_input(fmt::format("{}: is not a file of measured peaks", origin));
  const Read& measured_by = json["takt_version"];
  if (json["schema_version"] != schema || measured_by != version)
    return {std::nullopt,
            fmt::format("the peaks were measured by takt {}, this is {}: {}",
                        measured_by.is_string() ? quoted_part(measured_by.get<std::string>()) : "of an unknown version",
                        std::string(version), remedy)};
  const JsonObject file(json, origin, {"takt", "schema_version", "takt_version", "machine", "peaks"});
  const MachineClass measured = machine_from(file["machine"], file.place_of("machine"));
  if (!(measured == now))
    return {std::nullopt, fmt::format("the measured peaks belong to another class of machine ({}): {}",
                                      printable(difference(measured, now)), remedy)};
  return {peaks_from(file["peaks"], file.place_of("peaks")), ""};
} catch (const Error& error) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", error.what(), remedy));
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
