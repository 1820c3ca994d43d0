// The file that keeps peaks, and their table.
#include "base/machine/peaks_file.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/machine/peaks_table.h"
#include "base/system/version.h"
#include "refused.h"
#include "test_folder.h"

namespace takt {
namespace {

using ::testing::HasSubstr;

Peaks sample_peaks() {
  Peaks peaks;
  peaks.reads_with = "AVX2", peaks.threads = 2;
  const PeakRate slow{1e9, 0.9e9}, fast{2e9, 2e9};
  peaks.compute.push_back({NumberType::f32, "AVX2", {slow, fast}});
  peaks.compute.push_back({NumberType::int8, "AVX-VNNI", {fast, fast}});
  peaks.levels.push_back({"L1", 32 << 10, 64 << 10, {slow, fast}, {slow, fast}});
  peaks.levels.push_back({"DRAM", std::nullopt, std::nullopt, {slow, slow}, {slow, slow}});
  peaks.wake_up = std::chrono::microseconds(5), peaks.others_busy = 0.25;
  return peaks;
}

MachineClass sample_machine() { return {"Some CPU", 2, 8, {"avx2", "fma"}, ""}; }

TEST(PeaksFile, comes_back_as_it_was) {
  const std::string json = peaks_to_json(sample_peaks(), sample_machine(), make_provenance({"takt"}));
  const KnownPeaks known = parse_peaks(json, sample_machine(), "f");
  ASSERT_TRUE(known.peaks) << known.reason;
  EXPECT_EQ(best_compute(*known.peaks, NumberType::f32, false)->rate.all.best, 2e9);
  EXPECT_EQ(best_compute(*known.peaks, NumberType::int8, true)->instructions, "AVX-VNNI");
  EXPECT_FALSE(best_compute(*known.peaks, NumberType::bf16, true));
  EXPECT_EQ(known.peaks->others_busy, 0.25);
  EXPECT_EQ(known.peaks->levels[0].bytes_all, 64 << 10);
  EXPECT_EQ(known.peaks->levels[1].bytes_one, std::nullopt);
  EXPECT_EQ(known.peaks->wake_up.count(), 5);
}

/// Every number another one.
Peaks distinct_peaks() {
  Peaks peaks;
  peaks.reads_with = "AVX-512", peaks.threads = 3, peaks.wake_up = Duration(4.5), peaks.others_busy = 0.125;
  double next = 100;
  const auto rate = [&] { return PeakRate{next += 1, next - 50}; };
  const auto pair = [&] { return PeakPair{rate(), rate()}; };
  for (const NumberType type : {NumberType::int8, NumberType::bf16, NumberType::f16, NumberType::f32})
    peaks.compute.push_back({type, "i" + std::to_string(peaks.compute.size()), pair()});
  peaks.levels.push_back({"L2", 7, 8, pair(), pair()});
  peaks.levels.push_back({"DRAM", std::nullopt, std::nullopt, pair(), pair()});
  return peaks;
}

TEST(PeaksFile, every_number_comes_back_to_its_place) {
  const Provenance provenance = make_provenance({"takt"});
  const MachineClass machine{"Some CPU", 5, 9, {"avx", "fma"}, "powersave"}, other{"", 1, std::nullopt, {}, ""};
  for (const MachineClass& one : {machine, other}) {
    const std::string json = peaks_to_json(distinct_peaks(), one, provenance);
    const KnownPeaks known = parse_peaks(json, one, "f");
    ASSERT_TRUE(known.peaks) << known.reason;
    EXPECT_EQ(known.reason, "");
    EXPECT_EQ(peaks_to_json(*known.peaks, one, provenance), json);
  }
}

using AnyJson = nlohmann::ordered_json;

/// What a file is refused with whose value at `place` is `value`; "accepted" where it is not.
std::string refusal_of(const std::string& place, const AnyJson& value) {
  AnyJson json = AnyJson::parse(peaks_to_json(distinct_peaks(), sample_machine(), make_provenance({"takt"})));
  json[AnyJson::json_pointer(place)] = value;
  MachineClass now = sample_machine();
  if (place == "/machine/cores") now.cores = value.get<int>();
  if (place == "/machine/memory_gib") now.memory_gib = value.get<std::int64_t>();
  try {
    return parse_peaks(json.dump(), now, "f").peaks ? "accepted" : "not used";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(PeaksFile, numbers_are_taken_up_to_their_borders) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
  const std::string rate = "/peaks/compute/0/operations_per_s/one/", level = "/peaks/levels/0/";
  for (const auto& [place, least, below, most, above, words] :
       std::vector<std::tuple<std::string, AnyJson, AnyJson, AnyJson, AnyJson, std::string>>{
           {rate + "best", 1.0, 0.5, 1e30, 1.1e30, "a number from 1 to 1e+30"},
           {rate + "median", 0.0, -0.5, 1e30, 1.1e30, "a number from 0 to 1e+30"},
           {level + "bytes_one", 0, -1, most_bytes, most_bytes + 1, "a whole number from 0 to 1152921504606846976"},
           {level + "bytes_all", 0, -1, most_bytes, most_bytes + 1, "a whole number from 0 to 1152921504606846976"},
           {"/machine/cores", 1, 0, 1'000'000, 1'000'001, "a whole number from 1 to 1000000"},
           {"/peaks/threads", 1, 0, 1'000'000, 1'000'001, "a whole number from 1 to 1000000"},
           {"/peaks/wake_up_us", 0.0, -0.5, 1e12, 1.1e12, "a number from 0 to 1000000000000"},
           {"/peaks/others_busy_share", 0.0, -0.5, 1e6, 1.1e6, "a number from 0 to 1000000"}}) {
    EXPECT_EQ(refusal_of(place, least), "accepted") << place;
    EXPECT_EQ(refusal_of(place, most), "accepted") << place;
    for (const AnyJson& beyond : {below, above}) {
      const std::string told = refusal_of(place, beyond);
      EXPECT_TRUE(told.ends_with("; give " + words + ": run 'takt devices --measure'")) << place << ": " << told;
    }
  }
}

TEST(PeaksFile, what_is_wrong_is_told_in_one_sentence) {
  EXPECT_EQ(refusal_of("/peaks/compute/1/type", "float9"),
            "f: 'peaks': 'compute': 'float9' is not a number type: run 'takt devices --measure'");
  EXPECT_EQ(
      refusal_of("/peaks/levels/1/more", 1),
      "f: 'peaks': 'levels': 'more' is not a known key; the keys are name, bytes_one, bytes_all, read_bytes_per_s, "
      "copy_bytes_per_s: run 'takt devices --measure'");
  EXPECT_EQ(refusal_of("/schema_version", 1), "not used");
  EXPECT_EQ(refusal_of("/takt_version", 7), "not used");
  const auto reason_of = [](const std::string& text) {
    try {
      return parse_peaks(text, sample_machine(), "f").reason;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input);
      return std::string(error.what());
    }
  };
  const std::string none = "f: is not a file of measured peaks: run 'takt devices --measure'";
  for (const char* text : {"", "[]", "{", "{\"schema_version\": 2}", "{\"takt_version\": \"1\"}"})
    EXPECT_EQ(reason_of(text), none) << text;
  const std::string here(version);
  EXPECT_EQ(reason_of(R"({"schema_version": 2, "takt_version": "0.0.1"})"),
            "the peaks were measured by takt 0.0.1, this is " + here + ": run 'takt devices --measure'");
  EXPECT_EQ(
      reason_of(R"({"schema_version": 2, "takt_version": 3})"),
      "the peaks were measured by takt of an unknown version, this is " + here + ": run 'takt devices --measure'");
  EXPECT_EQ(reason_of(R"({"schema_version": 3, "takt_version": ")" + here + "\"}"),
            "the peaks were measured by takt " + here + ", this is " + here + ": run 'takt devices --measure'");
  MachineClass four = sample_machine();
  four.cores = 4;
  EXPECT_EQ(
      reason_of(peaks_to_json(sample_peaks(), four, make_provenance({"takt"}))),
      "the measured peaks belong to another class of machine (cores '2' instead of '4'): run 'takt devices --measure'");
}

TEST(PeaksFile, another_class_of_machine_is_not_used) {
  const std::string json = peaks_to_json(sample_peaks(), sample_machine(), make_provenance({"takt"}));
  MachineClass now = sample_machine();
  now.cores = 4;
  const KnownPeaks known = parse_peaks(json, now, "f");
  EXPECT_FALSE(known.peaks);
  EXPECT_THAT(known.reason, HasSubstr("cores '4' instead of '2'"));
  EXPECT_THAT(known.reason, HasSubstr("takt devices --measure"));
}

TEST(PeaksFile, another_version_is_not_used) {
  std::string json = peaks_to_json(sample_peaks(), sample_machine(), make_provenance({"takt"}));
  const std::string key = "\"schema_version\": 2,\n  \"takt_version\": \"";
  const auto place = json.find(key);
  ASSERT_NE(place, std::string::npos);
  json.insert(place + key.size(), "9");
  EXPECT_THAT(parse_peaks(json, sample_machine(), "f").reason, HasSubstr("measured by takt 9"));
}

TEST(PeaksFile, a_damaged_file_is_refused_with_its_name) {
  const std::string json = peaks_to_json(sample_peaks(), sample_machine(), make_provenance({"takt"}));
  for (const std::string& text : {std::string(), std::string("[]"), json.substr(0, json.size() / 2)})
    EXPECT_EQ(refused_with([&] { parse_peaks(text, sample_machine(), "f"); }),
              "f: is not a file of measured peaks: run 'takt devices --measure'");
  std::string other = json;
  const std::string type = "\"" + std::string(name_of(sample_peaks().compute[0].type)) + "\"";
  ASSERT_NE(other.find(type), std::string::npos) << json;
  other.replace(other.find(type), type.size(), "\"float9\"");
  try {
    parse_peaks(other, sample_machine(), "f");
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'float9' is not a number type"));
  }
}

TEST(PeaksFile, without_a_folder_none_is_kept) {
  const TestFolder folder;
  std::map<std::string, std::optional<std::string>> before;
  for (const char* name : {"TAKT_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}) {
    const char* value = std::getenv(name);
    before[name] = value ? std::optional<std::string>(value) : std::nullopt;
    unsetenv(name);
  }
  try {
    check_peaks_writable();
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("there is no folder to store the peaks in: set HOME, XDG_CACHE_HOME or TAKT_CACHE_DIR"));
  }
  EXPECT_EQ(refused_with([] { save_peaks(sample_peaks(), sample_machine(), {}); }),
            "there is no folder to store the peaks in: set HOME, XDG_CACHE_HOME or TAKT_CACHE_DIR");
  folder.write("file", "");
  setenv("TAKT_CACHE_DIR", (folder / "file/below").c_str(), 1);
  EXPECT_EQ(refused_with([] { check_peaks_writable(); }),
            "cannot write to '" + (folder / "file/below").string() + "': a part of the path is not a folder");
  unsetenv("TAKT_CACHE_DIR");
  for (const auto& [name, value] : before)
    if (value) setenv(name.c_str(), value->c_str(), 1);
}

/// Sets variables of the environment while it lives; nullptr: unset.
class Environment {
 public:
  Environment(std::initializer_list<std::pair<std::string, const char*>> values) {
    for (const auto& [name, value] : values) {
      const char* const was = std::getenv(name.c_str());
      before_[name] = was ? std::optional<std::string>(was) : std::nullopt;
      set(name, value);
    }
  }
  ~Environment() {
    for (const auto& [name, value] : before_) set(name, value ? value->c_str() : nullptr);
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  static void set(const std::string& name, const char* value) {
    value ? setenv(name.c_str(), value, 1) : unsetenv(name.c_str());
  }
  std::map<std::string, std::optional<std::string>> before_;
};

TEST(PeaksFile, the_folder_is_the_first_that_the_environment_names) {
  const auto folder = [](const char* own, const char* xdg, const char* home) {
    const Environment here{{"TAKT_CACHE_DIR", own}, {"XDG_CACHE_HOME", xdg}, {"HOME", home}};
    EXPECT_EQ(peaks_path(), cache_folder().empty() ? "" : cache_folder() / "peaks.json");
    return cache_folder().string();
  };
  EXPECT_EQ(folder("/own", "/xdg", "/home/a"), "/own");
  EXPECT_EQ(folder("own", "/xdg", "/home/a"), "own");
  EXPECT_EQ(folder(nullptr, "/xdg", "/home/a"), "/xdg/takt");
  EXPECT_EQ(folder("", "/xdg", "/home/a"), "/xdg/takt");
  EXPECT_EQ(folder(nullptr, "xdg", "/home/a"), "/home/a/.cache/takt") << "XDG's folders are absolute";
  EXPECT_EQ(folder(nullptr, nullptr, "/home/a"), "/home/a/.cache/takt");
  EXPECT_EQ(folder(nullptr, nullptr, nullptr), "");
  EXPECT_EQ(folder("", "", ""), "");
}

TEST(PeaksFile, why_there_are_none_is_told) {
  const TestFolder folder;
  {
    const Environment nowhere{{"TAKT_CACHE_DIR", nullptr}, {"XDG_CACHE_HOME", nullptr}, {"HOME", nullptr}};
    EXPECT_EQ(load_peaks().reason, "the peaks of this machine are not measured: run 'takt devices --measure'");
  }
  const std::string below = (folder / "a/b").string();
  const Environment here{{"TAKT_CACHE_DIR", below.c_str()}};
  EXPECT_EQ(load_peaks().reason, "the peaks of this machine are not measured: run 'takt devices --measure'");
  const KeptPeaks kept = save_peaks(sample_peaks(), detect_machine_class(), make_provenance({"takt"}));
  EXPECT_EQ(kept.path, folder / "a/b/peaks.json") << "the folders are made";
  EXPECT_EQ(kept.earlier, 0);
  check_peaks_writable();
  folder.write("a/b/peaks.json", "{");
  EXPECT_EQ(load_peaks().reason, below + "/peaks.json: is not a file of measured peaks: run 'takt devices --measure'");
  EXPECT_FALSE(load_peaks().peaks);
}

TEST(PeaksFile, only_values_of_the_same_limit_are_compared) {
  const auto rate_of = [](const Peaks& peaks) { return peaks.compute[0].rate.one.best; };
  const Peaks earlier = sample_peaks();
  Peaks slow = sample_peaks();
  slow.compute[0].rate = {{5, 3}, {7, 4}};
  slow.levels[0].read = {{11, 8}, {13, 9}};
  slow.levels[0].copy = {{17, 10}, {19, 12}};
  Peaks now = slow;
  EXPECT_EQ(keep_better(now, earlier), 6);
  EXPECT_EQ(now.compute[0].rate.one.best, 1e9);
  EXPECT_EQ(now.compute[0].rate.one.median, 0.9e9) << "with its median";
  EXPECT_EQ(now.levels[0].copy.all.best, 2e9);
  EXPECT_EQ(keep_better(now, earlier), 0) << "equal ones are this measurement's";
  now = slow, now.compute[0].instructions = "AVX", now.levels[0].bytes_one = 1;
  EXPECT_EQ(keep_better(now, earlier), 0);
  EXPECT_EQ(rate_of(now), 5);
  now = slow, now.compute[0].type = NumberType::f16, now.levels[0].name = "L2";
  EXPECT_EQ(keep_better(now, earlier), 0);
  now = slow, now.wake_up = std::chrono::microseconds(6);
  EXPECT_EQ(keep_better(now, earlier), 7);
  EXPECT_EQ(now.wake_up.count(), 5);
  now = earlier, now.wake_up = std::chrono::microseconds(4);
  EXPECT_EQ(keep_better(now, earlier), 0);
  EXPECT_EQ(now.wake_up.count(), 4);
}

TEST(PeaksFile, is_kept_in_the_cache_folder) {
  const TestFolder folder;
  setenv("TAKT_CACHE_DIR", folder.path().c_str(), 1);
  EXPECT_THAT(load_peaks().reason, HasSubstr("not measured"));
  const auto path = save_peaks(sample_peaks(), detect_machine_class(), make_provenance({"takt"})).path;
  EXPECT_EQ(path, folder / "peaks.json");
  EXPECT_TRUE(load_peaks().peaks);
  write_file_atomically(path, "{");
  EXPECT_THAT(load_peaks().reason, HasSubstr("not a file of measured peaks"));
  unsetenv("TAKT_CACHE_DIR");
}

TEST(PeaksFile, a_busy_measurement_never_replaces_a_better_one) {
  const TestFolder folder;
  setenv("TAKT_CACHE_DIR", folder.path().c_str(), 1);
  const auto save = [](const Peaks& peaks) {
    return save_peaks(peaks, detect_machine_class(), make_provenance({"takt"}));
  };
  save(sample_peaks());
  Peaks busy = sample_peaks();
  busy.compute[0].rate.all = {1.5e9, 1e9};                                  // worse
  busy.levels[0].read.one = {1.2e9, 1.2e9};                                 // better
  busy.wake_up = std::chrono::microseconds(50);                             // worse
  busy.compute.push_back({NumberType::bf16, "AMX", busy.compute[0].rate});  // was not measured before
  const KeptPeaks kept = save(busy);
  EXPECT_EQ(kept.earlier, 2);
  const Peaks now = load_peaks().peaks.value_or(Peaks());
  EXPECT_EQ(best_compute(now, NumberType::f32, false)->rate.all.best, 2e9);
  EXPECT_EQ(now.levels[0].read.one.best, 1.2e9);
  EXPECT_EQ(now.wake_up.count(), 5);
  unsetenv("TAKT_CACHE_DIR");
}

TEST(PeaksFile, with_other_threads_are_not_mixed) {
  Peaks now = sample_peaks();
  now.compute[0].rate.all = {1, 1}, now.threads = 1;
  EXPECT_EQ(keep_better(now, sample_peaks()), 0);
  EXPECT_EQ(now.compute[0].rate.all.best, 1);
}

TEST(PeaksTable, has_a_row_per_limit_and_number_of_threads) {
  const Table table = peaks_table(sample_peaks());
  ASSERT_EQ(table.rows.size(), 2U * 2 + 2 * 4 + 1);
  EXPECT_EQ(std::get<std::string>(table.rows[2][0]), "int8 (AVX-VNNI)");
  EXPECT_EQ(std::get<std::string>(table.rows[4][0]), "L1 read (AVX2)");
}

TEST(PeaksTable, a_busy_machine_is_told_by_what_others_used) {
  EXPECT_THAT(busy_warning(sample_peaks()), HasSubstr("other programs used 25 % of its CPUs"));
}

TEST(PeaksTable, a_busy_machine_is_told_by_the_spread) {
  Peaks peaks = sample_peaks();
  peaks.others_busy.reset();
  EXPECT_EQ(busy_warning(peaks), "");
  peaks.levels[0].read.all.median = peaks.levels[0].read.all.best / 2;
  EXPECT_THAT(busy_warning(peaks), HasSubstr("busy"));
}

TEST(PeaksTable, a_machine_is_busy_from_a_tenth_of_others_or_three_tenths_of_spread) {
  const auto is_busy = [](double others, const auto& change) {
    Peaks peaks = distinct_peaks();
    for (ComputePeaks& one : peaks.compute) one.rate = {{100, 100}, {100, 100}};
    for (LevelPeaks& one : peaks.levels) one.read = {{100, 100}, {100, 100}};
    peaks.others_busy = others;
    change(peaks);
    return !busy_warning(peaks).empty();
  };
  const auto nothing = [](Peaks&) {};
  EXPECT_FALSE(is_busy(0.0999, nothing));
  EXPECT_TRUE(is_busy(0.1, nothing));
  const auto spread = [&](auto rate) {
    EXPECT_FALSE(is_busy(0, [&](Peaks& peaks) { rate(peaks).median = 70.1; }));
    return is_busy(0, [&](Peaks& peaks) { rate(peaks).median = 69.9; });
  };
  EXPECT_TRUE(spread([](Peaks& peaks) -> PeakRate& { return peaks.compute[1].rate.one; }));
  EXPECT_TRUE(spread([](Peaks& peaks) -> PeakRate& { return peaks.compute[3].rate.all; }));
  EXPECT_TRUE(spread([](Peaks& peaks) -> PeakRate& { return peaks.levels[0].read.one; }));
  EXPECT_TRUE(spread([](Peaks& peaks) -> PeakRate& { return peaks.levels[1].read.all; }));
  EXPECT_FALSE(spread([](Peaks& peaks) -> PeakRate& { return peaks.levels[0].copy.one; })) << "reading tells";
}

}  // namespace
}  // namespace takt
