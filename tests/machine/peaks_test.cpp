// Kernels, one tiny measurement, and the file that keeps peaks. No test looks at how fast anything is.
#include "machine/peaks.h"
#include "places.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "core/file.h"
#include "machine/peak_kernels.h"
#include "machine/peaks_file.h"
#include "machine/peaks_table.h"
#include "test_folder.h"

namespace takt {
namespace {

using ::testing::HasSubstr;

TEST(PeakKernels, multiply_adds_converge) {
  for (const PeakKernels* kernels : {&portable_kernels(), &peak_kernels()}) {
    const float after_many = kernels->f32.run(200);  // every value x → x/2 + 1/2, so 1 in the end
    EXPECT_FLOAT_EQ(after_many, std::round(after_many)) << kernels->name;
    EXPECT_LT(kernels->f32.run(0), after_many) << kernels->name;  // all of them 1/2
    EXPECT_GT(kernels->f32.flops_per_round, 0) << kernels->name;
  }
}

TEST(PeakKernels, reading_sees_the_data) {
  alignas(64) static std::byte data[4096] = {};
  for (const PeakKernels* kernels : {&portable_kernels(), &peak_kernels()}) {
    data[1024] = std::byte{0};
    EXPECT_EQ(kernels->read(data, sizeof data), 0U) << kernels->name;
    data[1024] = std::byte{1};
    EXPECT_EQ(kernels->read(data, sizeof data), 1U) << kernels->name;
  }
}

Peaks sample_peaks() {
  Peaks peaks;
  peaks.kernels = "AVX2", peaks.threads = 2;
  const PeakRate slow{1e9, 0.9e9}, fast{2e9, 2e9};
  peaks.f32 = {slow, fast};
  peaks.levels.push_back({"L1", 32 << 10, 64 << 10, {slow, fast}, {slow, fast}});
  peaks.levels.push_back({"DRAM", std::nullopt, std::nullopt, {slow, slow}, {slow, slow}});
  peaks.wake_up = std::chrono::microseconds(5);
  return peaks;
}

MachineClass sample_machine() { return {"Some CPU", 2, 8, {"avx2", "fma"}, ""}; }

TEST(Peaks, a_short_measurement_has_every_figure) {
  std::uint64_t last = 0, total = 0;
  PeakSettings settings{2, 1, std::chrono::milliseconds(1), 1 << 22};
  const Peaks peaks = measure_peaks(settings, [&](std::uint64_t done, std::uint64_t all) { last = done, total = all; });
  EXPECT_EQ(last, total);
  EXPECT_EQ(peaks.threads, 2);
  EXPECT_GT(peaks.f32.one.best, 0);
  EXPECT_GE(peaks.f32.one.best, peaks.f32.one.median);
  EXPECT_GT(peaks.f32.all.median, 0) << "all threads were measured, too";
  ASSERT_FALSE(peaks.levels.empty());
  EXPECT_EQ(peaks.levels.back().name, "DRAM");
  for (const LevelPeaks& level : peaks.levels) {
    EXPECT_GT(level.read.all.best, 0) << level.name;
    EXPECT_GT(level.copy.one.best, 0) << level.name;
  }
  EXPECT_GT(peaks.wake_up.count(), 0);
}

TEST(PeaksFile, comes_back_as_it_was) {
  const std::string json = peaks_to_json(sample_peaks(), sample_machine(), make_provenance({"takt"}));
  const KnownPeaks known = parse_peaks(json, sample_machine(), "f");
  ASSERT_TRUE(known.peaks) << known.reason;
  EXPECT_EQ(known.peaks->f32.all.best, 2e9);
  EXPECT_EQ(known.peaks->levels[0].bytes_all, 64 << 10);
  EXPECT_EQ(known.peaks->levels[1].bytes_one, std::nullopt);
  EXPECT_EQ(known.peaks->bf16.has_value(), false);
  EXPECT_EQ(known.peaks->wake_up.count(), 5);
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
  const std::string key = "\"schema_version\": 1,\n  \"takt_version\": \"";
  const auto place = json.find(key);
  ASSERT_NE(place, std::string::npos);
  json.insert(place + key.size(), "9");
  EXPECT_THAT(parse_peaks(json, sample_machine(), "f").reason, HasSubstr("of takt 9"));
}

TEST(PeaksFile, a_damaged_file_is_refused_with_its_name) {
  const std::string json = peaks_to_json(sample_peaks(), sample_machine(), make_provenance({"takt"}));
  for (const std::string& text : {std::string(), std::string("[]"), json.substr(0, json.size() / 2)})
    EXPECT_THROW(parse_peaks(text, sample_machine(), "f"), Error);
}

TEST(PeaksFile, is_kept_in_the_cache_folder) {
  const TestFolder folder;
  setenv("TAKT_CACHE_DIR", folder.path().c_str(), 1);
  EXPECT_THAT(load_peaks().reason, HasSubstr("not measured"));
  const auto path = save_peaks(sample_peaks(), detect_machine_class(), make_provenance({"takt"}));
  EXPECT_EQ(path, folder / "peaks.json");
  EXPECT_TRUE(load_peaks().peaks);
  write_file_atomically(path, "{");
  EXPECT_THAT(load_peaks().reason, HasSubstr("no file of measured peaks"));
  unsetenv("TAKT_CACHE_DIR");
}

TEST(PeaksTable, has_a_row_per_limit_and_number_of_threads) {
  const Table table = peaks_table(sample_peaks());
  EXPECT_EQ(table.rows.size(), 2U + 2 * 4 + 1);
  EXPECT_EQ(std::get<std::string>(table.rows[2][0]), "L1 read");
}

TEST(PeaksTable, a_busy_machine_is_told_by_the_spread) {
  Peaks peaks = sample_peaks();
  EXPECT_EQ(busy_warning(peaks), "");
  peaks.levels[0].read.all.median = peaks.levels[0].read.all.best / 2;
  EXPECT_THAT(busy_warning(peaks), HasSubstr("busy"));
}

TEST(MeasurePeaks, a_thread_that_cannot_start_is_an_error_and_no_wait_without_end) {
  if (is_sanitized()) GTEST_SKIP() << "the test takes address space away, and a sanitizer needs it";
  const auto crowd = [] {
    const rlimit space{std::uint64_t{1} << 30, std::uint64_t{1} << 30};  // stacks of some hundred threads
    setrlimit(RLIMIT_AS, &space);
    PeakSettings settings;
    settings.threads = 4000, settings.rounds = 1, settings.memory_bytes = 1 << 24;
    try {
      measure_peaks(settings);
    } catch (const Error& error) {
      std::fprintf(stderr, "%s\n", error.what());
      std::_Exit(1);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(crowd(), testing::ExitedWithCode(1), "start as many threads");
}

}  // namespace
}  // namespace takt
