#include "predict/load/host_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

/// What `parse` refuses the text with.
template <typename Parse>
std::string host_refusal(const Parse& parse) {
  try {
    parse();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

const std::string no_columns = "does not have the expected columns";
const std::string no_processor = "has no line for the CPUs that takt may use";
const std::string no_total = "has no line 'some ... total=MICROSECONDS'";
const std::string no_average = "is not of the form '0.20 0.18 0.12 1/80 11206'";

TEST(HostFiles, ticks_of_the_processors_that_count_are_added) {
  //                        user nice sys idle iowait irq soft steal guest
  const std::string text =
      "cpu  100 0 0 0 0 0 0 0 0 0\n"
      "cpu0 10 1 2 100 7 3 4 5 9 0\n"
      "cpu1 20 0 0 200 0 0 0 0 0 0\n"
      "cpu12 1 0 0 1 0 0 0 0 0 0\n"
      "intr 5 6 7\n";
  const ProcessorTicks first = parse_processor_ticks(text, std::vector<int>{0});
  EXPECT_EQ(first.busy, 20);
  EXPECT_EQ(first.idle, 100);
  EXPECT_EQ(first.iowait, 7);
  EXPECT_EQ(first.steal, 5);
  EXPECT_EQ(parse_processor_ticks(text, {}).busy, 41);
  EXPECT_EQ(parse_processor_ticks(text, std::vector<int>{1}).busy, 20) << "not cpu12";
  EXPECT_EQ(host_refusal([&] { parse_processor_ticks(text, std::vector<int>{5}); }), no_processor);
  for (const char* damaged : {"cpu0 1 2 x 4\n", "cpu0 1 2 -3 4\n", "cpu0 1 2 3\n", "cpu0 1 2 3 4 5 6 7 x\n"})
    EXPECT_EQ(host_refusal([&] { parse_processor_ticks(damaged, {}); }), no_columns) << damaged;
  EXPECT_EQ(parse_processor_ticks("cpu0 1 2 3 4\n", {}).busy, 6) << "a kernel that tells four columns";
}

TEST(HostFiles, pressure_is_the_total_of_some) {
  EXPECT_EQ(parse_pressure("some avg10=1.50 avg60=0 avg300=0 total=2500\nfull avg10=0 avg60=0 avg300=0 total=7\n"),
            2500us);
  for (const char* text : {"", "full avg10=0 total=7\n", "some avg10=0\n", "some total=x\n", "some total=-5\n",
                           "some total=99999999999999999999\n", "some total=9999999999999999\n"})
    EXPECT_THAT(host_refusal([&] { parse_pressure(text); }), testing::AnyOf(no_total, no_columns)) << text;
}

TEST(HostFiles, waiting_is_the_eighth_column) {
  const std::string text =
      "version 15\ntimestamp 4300\ncpu0 0 0 0 0 0 0 800 900 3\ndomain0 1 2 3\ncpu1 0 0 0 0 0 0 8 100 3\n";
  EXPECT_EQ(parse_run_delay(text, {}).waited, 1000ns);
  EXPECT_EQ(parse_run_delay(text, {}).processors, 2);
  EXPECT_EQ(parse_run_delay(text, std::vector<int>{1}).waited, 100ns);
  EXPECT_EQ(host_refusal([] { parse_run_delay("version 15\n", {}); }), no_processor);
  EXPECT_EQ(host_refusal([] { parse_run_delay("cpu0 0 0 0\n", {}); }), no_columns);
  const std::string century = "cpu0 0 0 0 0 0 0 8 6000000000000000000 3\n";
  EXPECT_EQ(host_refusal([&] { parse_run_delay(century + "cpu1" + century.substr(4), {}); }),
            "has impossibly long times");
}

TEST(HostFiles, other_files) {
  EXPECT_EQ(parse_load_average("0.20 0.18 0.12 3/80 11206\n").runnable, 3);
  EXPECT_EQ(parse_load_average("0.20 0.18 0.12 3/80 11206\n").minute, 0.2);
  for (const char* text : {"", "0.2", "a b c 1/2 3", "nan 0 0 1/2 3", "0.1 0 0 1 3", "-1 0 0 1/2 3"})
    EXPECT_EQ(host_refusal([&] { parse_load_average(text); }), no_average) << text;
  EXPECT_EQ(parse_available_bytes("MemTotal: 9 kB\nMemAvailable:    12 kB\n"), 12288);
  EXPECT_EQ(host_refusal([] { parse_available_bytes("MemTotal: 9 kB\n"); }), "has no line 'MemAvailable'");
  EXPECT_EQ(host_refusal([] { parse_available_bytes("MemAvailable:\n"); }), no_columns);
  EXPECT_EQ(parse_thread_schedule("100 20 3\n"), std::pair(Nanoseconds(100), Nanoseconds(20)));
  EXPECT_EQ(host_refusal([] { parse_thread_schedule("100\n"); }), no_columns);
}

/// A machine of files.
class FakeHost {
 public:
  void write(const std::string& path, const std::string& text) const { folder_.write(path, text); }
  HostTotals totals() const { return read_host_totals(folder_.path(), {}); }
  TestFolder folder_;
};

const LoadReading& named(const std::vector<LoadReading>& readings, std::string_view name) {
  for (const LoadReading& one : readings)
    if (one.name == name) return one;
  throw std::runtime_error("no reading " + std::string(name));
}

TEST(HostLoad, is_the_difference_of_two_readings) {
  HostTotals before, after;
  before.time = 1s, after.time = 3s;
  before.ticks = ProcessorTicks{100, 100, 0, 0};
  after.ticks = ProcessorTicks{130, 160, 8, 2};  // 100 more: 30 busy, 60 idle
  before.cpu_pressure = 5s, after.cpu_pressure = 6s;
  before.run_delay = RunDelay{1s, 2}, after.run_delay = RunDelay{2s, 2};
  after.average = LoadAverage{1.5, 3};
  const auto readings = host_readings(before, after);
  EXPECT_DOUBLE_EQ(*named(readings, "cpu_busy_share").value, 0.3);
  EXPECT_DOUBLE_EQ(*named(readings, "cpu_iowait_share").value, 0.08);
  EXPECT_DOUBLE_EQ(*named(readings, "cpu_steal_share").value, 0.02);
  EXPECT_DOUBLE_EQ(*named(readings, "cpu_pressure_share").value, 0.5);
  EXPECT_DOUBLE_EQ(*named(readings, "run_delay_share").value, 0.25) << "of two processors";
  EXPECT_EQ(named(readings, "cpu_busy_share").window, Nanoseconds(2s));
  EXPECT_EQ(named(readings, "runnable_threads").value, 3);
  EXPECT_EQ(named(readings, "runnable_threads").window, std::nullopt);
  EXPECT_FALSE(named(readings, "io_pressure_share").is_live());
}

TEST(HostLoad, every_figure_is_of_its_own_file) {
  const FakeHost host;
  const std::string pressure = "some avg10=0 avg60=0 avg300=0 total=";
  const auto write = [&](int turn) {
    const auto total = [&](int each) { return std::to_string(1000 + turn * each); };
    // 100 ticks more: 30 busy (5 each but 10 of the system), 60 idle, 7 iowait, 3 steal, over two processors.
    host.write("proc/stat", "cpu  0 0 0 0\ncpu0 " + total(5) + " " + total(5) + " " + total(10) + " " + total(20) +
                                " " + total(7) + " " + total(5) + " " + total(5) + " " + total(3) + "\ncpu1 1 1 1 " +
                                total(40) + " 1 1 1 1\n");
    host.write("proc/pressure/cpu", pressure + total(200'000) + "\n");
    host.write("proc/pressure/memory", pressure + total(400'000) + "\n");
    host.write("proc/pressure/io", pressure + total(600'000) + "\n");
    host.write("proc/schedstat",
               "cpu0 0 0 0 0 0 0 0 " + total(800'000'000) + " 0\ncpu1 0 0 0 0 0 0 0 " + total(400'000'000) + " 0\n");
    host.write("proc/loadavg", "0.5 0.6 0.7 3/80 1\n");
    host.write("proc/meminfo", "MemTotal: 9 kB\nMemAvailable: 7 kB\n");
    host.write("proc/self/cgroup", "0::/box\n");
    host.write("sys/fs/cgroup/box/cpu.stat", "usage_usec 5\nnr_throttled 1\nthrottled_usec " + total(500'000) + "\n");
    host.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1000\n");
    host.write("sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "4000\n");
  };
  write(0);
  HostTotals before = host.totals();
  write(1);
  HostTotals after = host.totals();
  before.time = 0s, after.time = 2s;
  const auto readings = host_readings(before, after);
  const std::pair<const char*, double> figures[] = {
      {"cpu_busy_share", 0.3},       {"cpu_iowait_share", 0.07},  {"cpu_steal_share", 0.03},
      {"cpu_throttled_share", 0.25}, {"cpu_pressure_share", 0.1}, {"memory_pressure_share", 0.2},
      {"io_pressure_share", 0.3},    {"run_delay_share", 0.3},    {"runnable_threads", 3},
      {"load_average", 0.5},         {"cpu_clock_hertz", 1e6},    {"memory_available_bytes", 7168}};
  EXPECT_EQ(readings.size(), std::size(figures));
  for (const auto& [name, value] : figures)
    EXPECT_NEAR(named(readings, name).value.value_or(-1), value, 1e-9) << name << named(readings, name).trouble;
  const std::vector<int> three{0, 1, 2};
  EXPECT_EQ(read_host_totals(host.folder_.path(), three).clock_hertz, 2.5e6) << "the mean of those that tell";
  EXPECT_FALSE(read_host_totals(host.folder_.path(), std::vector<int>{1, 2}).clock_hertz);
}

TEST(HostFiles, numbers_are_taken_up_to_what_a_clock_holds) {
  EXPECT_EQ(parse_pressure("some total=9000000000000000\n"), Nanoseconds(9'000'000'000'000'000'000));
  EXPECT_EQ(host_refusal([] { parse_pressure("some total=9000000000000001\n"); }), no_total);
  EXPECT_EQ(parse_pressure("some total=0\n"), 0ns);
  const auto run_delay = [](const std::string& waited) {
    return parse_run_delay("cpu0 0 0 0 0 0 0 0 " + waited + " 3\n", {}).waited;
  };
  EXPECT_EQ(run_delay("9000000000000000000"), Nanoseconds(9'000'000'000'000'000'000));
  EXPECT_EQ(host_refusal([&] { run_delay("9000000000000002048"); }), "has impossibly long times");
  EXPECT_EQ(parse_thread_schedule("9100000000000000000 0 1"),
            std::pair(Nanoseconds(9'000'000'000'000'000'000), Nanoseconds(0)));
  EXPECT_EQ(host_refusal([] { parse_thread_schedule("100 -1 1"); }), no_columns);
  EXPECT_EQ(host_refusal([] { parse_load_average("x"); }), no_average);
  EXPECT_EQ(host_refusal([] { parse_run_delay("", {}); }), no_processor);
  EXPECT_EQ(host_refusal([] { parse_processor_ticks("cpu 1 2 3 4\n", {}); }), no_processor);
  EXPECT_EQ(parse_load_average("0 0 0 0/80").minute, 0);
  for (const char* text : {"1 0 0 -1/2", "inf 0 0 1/2", "1 0 0 inf/2", "1 0 0"})
    EXPECT_EQ(host_refusal([&] { parse_load_average(text); }), no_average) << text;
}

TEST(HostLoad, figures_of_a_moment_have_an_age_and_those_of_a_span_its_length) {
  HostTotals before, after;
  before.time = 1s, after.time = 4s;
  before.ticks = ProcessorTicks{}, after.ticks = ProcessorTicks{1, 2, 3, 4};
  before.cpu_pressure = before.memory_pressure = before.io_pressure = before.throttled = 0ns;
  after.cpu_pressure = 0ns, after.memory_pressure = 3s, after.io_pressure = 300ms, after.throttled = 6s;
  before.run_delay = RunDelay{0s, 4}, after.run_delay = RunDelay{3s, 4};
  before.average = LoadAverage{90, 91}, after.average = LoadAverage{5, 6};
  before.clock_hertz = 92, after.clock_hertz = 7, before.available_bytes = 93, after.available_bytes = 8;
  std::string words;
  for (const LoadReading& one : host_readings(before, after)) {
    EXPECT_EQ(one.age, 0ns) << one.name;
    EXPECT_EQ(one.device + " " + one.source + one.trouble, "host host");
    words += one.name + " " + std::to_string(one.value.value_or(-1)).substr(0, 4) +
             (one.window == 3s ? " over 3 s\n" : "\n");
    EXPECT_TRUE(!one.window || *one.window == 3s) << one.name;
  }
  EXPECT_EQ(words,
            "cpu_busy_share 0.10 over 3 s\ncpu_iowait_share 0.30 over 3 s\ncpu_steal_share 0.40 over 3 s\n"
            "cpu_throttled_share 2.00 over 3 s\ncpu_pressure_share 0.00 over 3 s\nmemory_pressure_share 1.00 over 3 s\n"
            "io_pressure_share 0.10 over 3 s\nrun_delay_share 0.25 over 3 s\nrunnable_threads 6.00\nload_average 5.00\n"
            "cpu_clock_hertz 7.00\nmemory_available_bytes 8.00\n");
}

TEST(HostLoad, why_a_figure_is_missing_is_told_by_the_later_reading_first) {
  HostTotals before, after;
  before.time = 1s, after.time = 2s;
  before.reasons = {{"cpu_busy_share", "early"}, {"cpu_steal_share", "early"}};
  after.reasons = {{"cpu_busy_share", "late"}};
  const auto readings = host_readings(before, after);
  EXPECT_EQ(named(readings, "cpu_busy_share").trouble, "late");
  EXPECT_EQ(named(readings, "cpu_steal_share").trouble, "early");
  EXPECT_EQ(named(readings, "load_average").trouble, "the measured time is too short");
}

TEST(HostLoad, a_counter_that_falls_and_a_span_of_nothing_are_no_load) {
  HostTotals before, after;
  before.time = 1s, after.time = 2s;
  before.cpu_pressure = 6s, after.cpu_pressure = 5s;
  EXPECT_EQ(named(host_readings(before, after), "cpu_pressure_share").trouble, "the system's counter went backwards");
  after.time = before.time, after.cpu_pressure = 6s;
  EXPECT_EQ(named(host_readings(before, after), "cpu_pressure_share").trouble, "the measured time is too short");
  before.run_delay = RunDelay{1s, 2}, after.run_delay = RunDelay{2s, 3}, after.time = 2s;
  EXPECT_FALSE(named(host_readings(before, after), "run_delay_share").value) << "a processor came";
}

TEST(HostLoad, files_that_are_missing_unreadable_or_strange_are_named) {
  const FakeHost host;
  host.write("proc/stat", "cpu0 1 0 0 1\n");
  host.write("proc/pressure/cpu/in_the_way", "");  // a folder where a file should be
  host.write("proc/pressure/memory", std::string("\0\1\2", 3));
  host.write("proc/loadavg", "lots\n");
  HostLoad load({host.folder_.path(), {}});
  host.write("proc/stat", "cpu0 2 0 0 2\n");
  const auto readings = load.read().readings;
  EXPECT_DOUBLE_EQ(*named(readings, "cpu_busy_share").value, 0.5);
  EXPECT_NE(named(readings, "cpu_pressure_share").trouble.find("is a folder"), std::string::npos)
      << named(readings, "cpu_pressure_share").trouble;
  EXPECT_NE(named(readings, "memory_pressure_share").trouble.find("/proc/pressure/memory has no line 'some"),
            std::string::npos);
  EXPECT_NE(named(readings, "io_pressure_share").trouble.find("no such file"), std::string::npos);
  EXPECT_NE(named(readings, "load_average").trouble.find("/proc/loadavg is not of the form"), std::string::npos);
  for (const LoadReading& one : readings) EXPECT_NE(one.value.has_value(), !one.trouble.empty()) << one.name;
}

TEST(HostLoad, throttling_is_that_of_the_control_group) {
  const FakeHost host;
  host.write("proc/self/cgroup", "0::/box\n");
  host.write("sys/fs/cgroup/box/cpu.stat", "usage_usec 5\nnr_throttled 1\nthrottled_usec 1000\n");
  HostTotals before = host.totals();
  host.write("sys/fs/cgroup/box/cpu.stat", "usage_usec 5\nnr_throttled 2\nthrottled_usec 251000\n");
  HostTotals after = host.totals();
  before.time = 0s, after.time = 1s;
  EXPECT_DOUBLE_EQ(*named(host_readings(before, after), "cpu_throttled_share").value, 0.25);
}

TEST(HostLoad, of_this_machine_tells_how_busy_it_is) {
  HostLoad load({});
  const Nanoseconds end = steady_now() + 60ms;
  while (steady_now() < end) {
  }
  const auto busy = named(load.read().readings, "cpu_busy_share");
  ASSERT_TRUE(busy.value) << busy.trouble;
  EXPECT_GT(*busy.value, 0);
  EXPECT_LE(*busy.value, 1);
}

TEST(HostFiles, refusals_say_what_is_wrong) {
  EXPECT_EQ(host_refusal([] { parse_pressure("x"); }), "has no line 'some ... total=MICROSECONDS'");
  EXPECT_EQ(host_refusal([] { parse_available_bytes(""); }), "has no line 'MemAvailable'");
}

}  // namespace
}  // namespace takt
