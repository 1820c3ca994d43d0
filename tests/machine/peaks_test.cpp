// Kernels, one tiny measurement, and the file that keeps peaks. No test looks at how fast anything is.
#include "base/machine/peaks.h"
#include "places.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/machine/peak_kernels.h"
#include "base/machine/peaks_file.h"
#include "base/machine/peaks_table.h"
#include "test_folder.h"

namespace takt {
namespace {

using ::testing::HasSubstr;

std::vector<ComputeKernel> all_compute() {
  std::vector<ComputeKernel> kernels{portable_compute()};
  kernels.insert(kernels.end(), compute_kernels().begin(), compute_kernels().end());
  return kernels;
}

TEST(PeakKernels, float_sums_go_from_a_half_to_one) {
  for (const ComputeKernel& kernel : all_compute()) {
    if (kernel.type != NumberType::f32 && kernel.type != NumberType::f16) continue;
    EXPECT_FLOAT_EQ(kernel.run(0), 0.5F) << kernel.instructions;
    EXPECT_FLOAT_EQ(kernel.run(1), 0.75F) << kernel.instructions;
    EXPECT_NEAR(kernel.run(200), 1, 1e-3) << kernel.instructions;
  }
}

TEST(PeakKernels, sums_of_products_grow_by_the_same_each_round) {
  for (const ComputeKernel& kernel : all_compute()) {
    if (kernel.type != NumberType::int8 && kernel.type != NumberType::bf16) continue;
    EXPECT_EQ(kernel.run(0), 0) << kernel.instructions;
    EXPECT_GT(kernel.run(10), 0) << kernel.instructions;
    EXPECT_FLOAT_EQ(kernel.run(30), 3 * kernel.run(10)) << kernel.instructions;  // 2^-14 and whole numbers are exact
  }
}

// A sum of int8 products of ones counts them, so the loop's own account of its work can be checked: a lane of a vector
// adds 4 products a round, an element of a tile 64.
TEST(PeakKernels, int8_products_are_as_many_as_they_say) {
  for (const ComputeKernel& kernel : all_compute()) {
    if (kernel.type != NumberType::int8) continue;
    const double products = kernel.instructions == "AMX" ? 64 : 4;
    EXPECT_EQ(kernel.run(5), 5 * products) << kernel.instructions;
    EXPECT_EQ(std::fmod(kernel.flops_per_round, 2 * products), 0) << kernel.instructions;
  }
}

TEST(PeakKernels, float32_is_on_every_cpu) {
  EXPECT_TRUE(std::any_of(compute_kernels().begin(), compute_kernels().end(),
                          [](const ComputeKernel& kernel) { return kernel.type == NumberType::f32; }));
}

/// A page that can be read, and after it one that cannot.
class GuardedPage {
 public:
  GuardedPage() {
    memory_ = static_cast<std::byte*>(mmap(nullptr, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_, size, PROT_READ);
  }
  ~GuardedPage() { munmap(memory_, 2 * size); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;
  static constexpr std::size_t size = 65536;
  const std::byte* data() const { return memory_; }

 private:
  std::byte* memory_;
};

TEST(PeakKernels, reading_reaches_the_end_and_no_further) {
  const GuardedPage page;
  for (const ReadKernel* kernel : {&portable_read(), &read_kernel()}) {
    kernel->read(page.data(), GuardedPage::size, 2);
    EXPECT_DEATH(kernel->read(page.data() + GuardedPage::size - 1024, 2048, 1), "") << kernel->instructions;
  }
}

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

TEST(Peaks, a_short_measurement_has_every_figure) {
  std::uint64_t last = 0, total = 0;
  PeakSettings settings{2, 1, std::chrono::milliseconds(1), 1 << 22};
  const Peaks peaks = measure_peaks(settings, [&](std::uint64_t done, std::uint64_t all) { last = done, total = all; });
  EXPECT_EQ(last, total);
  EXPECT_EQ(peaks.threads, 2);
  EXPECT_TRUE(best_compute(peaks, NumberType::f32, true));
  for (const ComputePeaks& compute : peaks.compute) {
    EXPECT_GT(compute.rate.one.best, 0) << compute.instructions;
    EXPECT_GE(compute.rate.one.best, compute.rate.one.median) << compute.instructions;
    EXPECT_GT(compute.rate.all.median, 0) << compute.instructions << ": all threads were measured, too";
  }
  ASSERT_FALSE(peaks.levels.empty());
  EXPECT_EQ(peaks.levels.back().name, "DRAM");
  for (const LevelPeaks& level : peaks.levels) {
    EXPECT_GT(level.read.all.best, 0) << level.name;
    EXPECT_GT(level.copy.one.best, 0) << level.name;
  }
  EXPECT_GT(peaks.wake_up.count(), 0);
}

TEST(Peaks, bandwidth_of_a_level_is_that_of_the_fastest_from_it_on_and_none_of_no_level) {
  Peaks peaks;
  EXPECT_EQ(bandwidth_of(peaks, 0, true), 0);
  peaks.levels.resize(2);
  peaks.levels[0].read.one = {0.25, 0.25}, peaks.levels[0].copy.one = {0.5, 0.5};
  peaks.levels[1].read.one = {0.75, 0.75}, peaks.levels[1].copy.all = {8, 8};
  EXPECT_EQ(bandwidth_of(peaks, 0, true), 0.75);
  EXPECT_EQ(bandwidth_of(peaks, 0, false), 8);
  EXPECT_EQ(bandwidth_of(peaks, 2, true), 0);
}

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
  EXPECT_THAT(parse_peaks(json, sample_machine(), "f").reason, HasSubstr("of takt 9"));
}

TEST(PeaksFile, a_damaged_file_is_refused_with_its_name) {
  const std::string json = peaks_to_json(sample_peaks(), sample_machine(), make_provenance({"takt"}));
  for (const std::string& text : {std::string(), std::string("[]"), json.substr(0, json.size() / 2)})
    EXPECT_THROW(parse_peaks(text, sample_machine(), "f"), Error);
  std::string other = json;
  const std::string type = "\"" + std::string(name_of(sample_peaks().compute[0].type)) + "\"";
  ASSERT_NE(other.find(type), std::string::npos) << json;
  other.replace(other.find(type), type.size(), "\"float9\"");
  try {
    parse_peaks(other, sample_machine(), "f");
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'float9' is no type of number"));
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
                HasSubstr("there is no folder to keep the peaks in: set HOME, XDG_CACHE_HOME or TAKT_CACHE_DIR"));
  }
  EXPECT_THROW(save_peaks(sample_peaks(), sample_machine(), {}), Error);
  folder.write("file", "");
  setenv("TAKT_CACHE_DIR", (folder / "file/below").c_str(), 1);
  EXPECT_THROW(check_peaks_writable(), Error);
  unsetenv("TAKT_CACHE_DIR");
  for (const auto& [name, value] : before)
    if (value) setenv(name.c_str(), value->c_str(), 1);
}

TEST(PeaksFile, is_kept_in_the_cache_folder) {
  const TestFolder folder;
  setenv("TAKT_CACHE_DIR", folder.path().c_str(), 1);
  EXPECT_THAT(load_peaks().reason, HasSubstr("not measured"));
  const auto path = save_peaks(sample_peaks(), detect_machine_class(), make_provenance({"takt"})).path;
  EXPECT_EQ(path, folder / "peaks.json");
  EXPECT_TRUE(load_peaks().peaks);
  write_file_atomically(path, "{");
  EXPECT_THAT(load_peaks().reason, HasSubstr("no file of measured peaks"));
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
  EXPECT_THAT(busy_warning(sample_peaks()), HasSubstr("others used 25 % of its processors"));
}

TEST(PeaksTable, a_busy_machine_is_told_by_the_spread) {
  Peaks peaks = sample_peaks();
  peaks.others_busy.reset();
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
