// Traces that other tools wrote. They are not part of the project: TAKT_SHARED_TRACES names their folder, else
// ../shared/data/traces beside the sources is tried, and without one the tests are skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "places.h"
#include "trace/chrome/reader.h"
#include "trace/events/gpu_time.h"
#include "trace/write/chrome_writer.h"

namespace takt {
namespace {

std::filesystem::path folder() {
  const char* given = std::getenv("TAKT_SHARED_TRACES");
  return given != nullptr ? std::filesystem::path(given) : source_dir() / "../shared/data/traces";
}

struct Figures {
  const char* file;
  std::int64_t kernels;
  double total, idle, compute, non_compute;  // µs, from an independent analysis of each file
};

class ForeignTraces : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::is_directory(folder())) GTEST_SKIP() << "no foreign traces at " << folder();
  }
};

double foreign_micros(Nanoseconds time) { return Duration(time).count(); }

TEST_F(ForeignTraces, device_times_equal_an_independent_analysis) {
  const Figures expected[] = {
      {"sampled_rank-0", 1204, 1222847, 675191, 210320, 337336},
      {"nccl", 3774, 660551.005, 503050.991, 115655.847, 41844.167},
      {"resnet50_workers_0", 9096, 996477, 392919, 591532, 12026},
      {"resnet50_workers_4", 9258, 801550, 187137, 594868, 19545},
  };
  for (const Figures& figures : expected) {
    const auto path = folder() / (std::string(figures.file) + ".json.gz");
    if (!std::filesystem::exists(path)) continue;
    const auto times = gpu_times(read_chrome_trace(path).trace);
    ASSERT_EQ(times.size(), 1u) << path;
    EXPECT_EQ(times[0].events, figures.kernels) << path;
    EXPECT_NEAR(foreign_micros(times[0].total), figures.total, 0.05) << path;
    EXPECT_NEAR(foreign_micros(times[0].idle), figures.idle, 0.05) << path;
    EXPECT_NEAR(foreign_micros(times[0].compute), figures.compute, 0.05) << path;
    EXPECT_NEAR(foreign_micros(times[0].non_compute), figures.non_compute, 0.05) << path;
  }
}

TEST_F(ForeignTraces, are_read_alike_by_any_number_of_threads_and_after_writing) {
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() != ".gz") continue;
    const TraceRead one = read_chrome_trace(entry.path(), {.threads = 1});
    const TraceRead three = read_chrome_trace(entry.path(), {.threads = 3, .window_bytes = 100000});
    const std::string written = to_chrome_json(one.trace);
    EXPECT_EQ(to_chrome_json(three.trace), written) << entry.path();
    EXPECT_GT(one.trace.events().size(), 0u);
    const TraceRead again = parse_chrome_trace(written);
    EXPECT_EQ(again.trace.events().size(), one.trace.events().size()) << entry.path();
    EXPECT_EQ(again.trace.flows().size(), one.trace.flows().size()) << entry.path();
    EXPECT_EQ(to_chrome_json(again.trace), written) << entry.path();
  }
}

}  // namespace
}  // namespace takt
