// Conditions of machines that are folders of texts.
#include "base/machine/check.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "base/files/file.h"
#include "test_folder.h"

namespace takt {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// A machine of four logical cores.
class SketchedMachine {
 public:
  SketchedMachine& file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_ / path).parent_path());
    write_file_atomically(folder_ / path, text + "\n");
    return *this;
  }
  SketchedMachine& of_each_core(const std::string& path, const std::string& text) {
    for (int core = 0; core < 4; ++core) file("sys/devices/system/cpu/cpu" + std::to_string(core) + "/" + path, text);
    return *this;
  }
  SketchedMachine& program(ProgramTime time, Nanoseconds watched) {
    programs_.push_back(std::move(time)), watched_ = watched;
    return *this;
  }
  MachineCondition condition(const std::string& name) const {
    const auto all = check_machine({folder_.path(), {0, 1, 2, 3}, programs_, watched_});
    const auto found = std::find_if(all.begin(), all.end(), [&](auto& one) { return one.name == name; });
    return found == all.end() ? MachineCondition{"there is no condition " + name} : *found;
  }

 private:
  TestFolder folder_;
  std::vector<ProgramTime> programs_;
  Nanoseconds watched_{};
};

void expect(const MachineCondition& condition, Disturbs disturbs, const std::string& found, const std::string& fix) {
  EXPECT_EQ(condition.disturbs, disturbs) << condition.name << ": " << condition.found;
  EXPECT_THAT(condition.found, HasSubstr(found));
  EXPECT_THAT(condition.fix, HasSubstr(fix));
  EXPECT_EQ(condition.fix.empty(), disturbs != Disturbs::yes) << "a fix for what disturbs, and for nothing else";
}

/// As expect(), but with the whole sentences.
void expect_whole(const MachineCondition& condition, Disturbs disturbs, const std::string& found,
                  const std::string& fix) {
  EXPECT_EQ(condition.disturbs, disturbs) << condition.name;
  EXPECT_EQ(condition.found, found);
  EXPECT_EQ(condition.fix, fix);
}

TEST(MachineCheck, what_disturbs_is_told_in_whole_sentences) {
  const std::string pages = "sys/kernel/mm/transparent_hugepage/",
                    clock = "sys/devices/system/clocksource/clocksource0/";
  SketchedMachine machine;
  machine.of_each_core("cpufreq/scaling_governor", "powersave").of_each_core("topology/thread_siblings_list", "0-3");
  machine.file("sys/devices/system/cpu/intel_pstate/no_turbo", "0").file("proc/self/cgroup", "0::/box");
  machine.file("sys/fs/cgroup/box/cpu.max", "250000 100000").file("proc/loadavg", "0.06 0.2 0.1 2/345 6789");
  machine.file(pages + "enabled", "[always] madvise never").file(pages + "defrag", "[always] defer madvise never");
  machine.file(clock + "current_clocksource", "acpi_pm").file(clock + "available_clocksource", "hpet kvm-clock tsc");
  machine.file("proc/stat", "cpu  60 0 20 10 0 0 0 10 3 4\n");
  expect_whole(machine.condition("governor"), Disturbs::yes, "powersave on 4 of 4 cores",
               "cpupower frequency-set -g performance");
  expect_whole(machine.condition("turbo"), Disturbs::yes,
               "on: the clock frequency depends on active cores and temperature",
               "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo");
  expect_whole(machine.condition("sibling threads"), Disturbs::yes, "4 logical cores share the units of 1",
               "use one of each pair (taskset -c 0 takt run ...), or turn the others off (echo off > "
               "/sys/devices/system/cpu/smt/control)");
  expect_whole(machine.condition("processor share"), Disturbs::yes, "the control group may use 2.5 of 4 CPUs",
               "raise the container's limit (cpu.max), or use --threads 2 or fewer");
  expect_whole(machine.condition("huge pages"), Disturbs::yes,
               "always, defragmentation always: a program waits while the system compacts memory for it",
               "echo defer > /sys/kernel/mm/transparent_hugepage/defrag");
  expect_whole(machine.condition("timer"), Disturbs::yes,
               "acpi_pm: reading it needs a system call and takes about a microsecond",
               "echo kvm-clock > /sys/devices/system/clocksource/clocksource0/current_clocksource");
  expect_whole(machine.condition("load"), Disturbs::yes, "other programs use 0.06 of 4 CPUs",
               "stop them, or run the model on CPUs that they do not use (taskset -c LIST takt run ...)");
  expect_whole(machine.condition("steal"), Disturbs::yes, "the host took 10.0 % of the CPU time since the start",
               "measure on a dedicated machine, or on dedicated virtual CPUs");
}

TEST(MachineCheck, what_is_well_is_told_in_whole_sentences) {
  const std::string pages = "sys/kernel/mm/transparent_hugepage/";
  SketchedMachine machine;
  machine.of_each_core("cpufreq/scaling_governor", "performance").of_each_core("topology/thread_siblings_list", "0");
  machine.file("sys/devices/system/cpu/cpufreq/boost", "0").file("proc/self/cgroup", "0::/box");
  machine.file("sys/fs/cgroup/box/cpu.max", "450000 100000").file("proc/loadavg", "0.05 0.2 0.1 2/345 6789");
  machine.file(pages + "enabled", "always madvise [never]").file(pages + "defrag", "[always] defer madvise never");
  machine.file("proc/stat", "cpu  60 0 20 19 0 0 0 1 3 4\n");
  expect_whole(machine.condition("governor"), Disturbs::no, "performance on 4 of 4 cores", "");
  expect_whole(machine.condition("turbo"), Disturbs::no, "off", "");
  expect_whole(machine.condition("sibling threads"), Disturbs::no, "none: a core runs one thread", "");
  expect_whole(machine.condition("processor share"), Disturbs::no, "the control group may use 4.5 of 4 CPUs", "");
  expect_whole(machine.condition("huge pages"), Disturbs::no, "never, defragmentation always", "");
  expect_whole(machine.condition("load"), Disturbs::no, "other programs use 0.05 of 4 CPUs", "");
  expect_whole(machine.condition("steal"), Disturbs::no, "the host took 1.0 % of the CPU time since the start", "");
  for (const char* fast :
       {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter", "riscv_clocksource", "timebase"}) {
    machine.file("sys/devices/system/clocksource/clocksource0/current_clocksource", fast);
    expect_whole(machine.condition("timer"), Disturbs::no, fast, "");
  }
}

TEST(MachineCheck, a_file_that_another_contradicts_is_asked_first) {
  SketchedMachine machine;
  machine.file("sys/devices/system/cpu/intel_pstate/no_turbo", "1").file("sys/devices/system/cpu/cpufreq/boost", "1");
  expect_whole(machine.condition("turbo"), Disturbs::no, "off", "");
  machine.file("sys/kernel/mm/transparent_hugepage/defrag", "[always] never");
  expect_whole(machine.condition("huge pages"), Disturbs::not_told, "", "");
  machine.file("sys/kernel/mm/transparent_hugepage/enabled", "]always[");
  expect_whole(machine.condition("huge pages"), Disturbs::no, "]always[, defragmentation always", "");
  machine.file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise");
  expect_whole(machine.condition("huge pages"), Disturbs::no, "always [madvise, defragmentation always", "");
  machine.file("proc/stat", "cpu0 60 0 20 10 0 0 0 10\n");
  expect_whole(machine.condition("steal"), Disturbs::not_told, "", "");
}

TEST(MachineCheck, the_average_of_a_minute_counts_where_no_program_was_seen) {
  const auto load_of = [](bool has_average, Nanoseconds watched, std::vector<ProgramTime> programs) {
    const TestFolder root;
    if (has_average) root.write("proc/loadavg", "1.50 0.20 0.10 2/345 6789\n");
    return check_machine({root.path(), {0, 1}, std::move(programs), watched}).at(6).found;
  };
  const std::vector<ProgramTime> busy{{"gzip", 1, {7}, 250ms}};
  EXPECT_EQ(load_of(false, 0ns, {}), "");
  EXPECT_EQ(load_of(true, 0ns, {}), "other programs use 1.50 of 2 CPUs");
  EXPECT_EQ(load_of(true, 1s, {}), "other programs use 1.50 of 2 CPUs");
  EXPECT_EQ(load_of(false, 1s, {}), "other programs use 0.00 of 2 CPUs");
  EXPECT_EQ(load_of(true, 1s, busy), "other programs use 0.25 of 2 CPUs: gzip (process 7)");
  EXPECT_EQ(load_of(true, 0ns, busy), "other programs use 1.50 of 2 CPUs: gzip (process 7)");
}

TEST(MachineCheck, conditions_are_always_in_one_order) {
  std::vector<std::string> names;
  for (const MachineCondition& one : check_machine({"/there/is/no/such/root", {0}})) names.push_back(one.name);
  EXPECT_EQ(names, (std::vector<std::string>{"governor", "turbo", "sibling threads", "processor share", "huge pages",
                                             "timer", "load", "steal"}));
}

TEST(MachineCheck, what_no_file_tells_is_not_told) {
  const SketchedMachine empty;
  for (const auto& name :
       {"governor", "turbo", "sibling threads", "processor share", "huge pages", "timer", "load", "steal"})
    expect(empty.condition(name), Disturbs::not_told, "", "");
}

TEST(MachineCheck, a_governor_that_follows_the_load_disturbs) {
  SketchedMachine machine;
  machine.of_each_core("cpufreq/scaling_governor", "performance");
  expect(machine.condition("governor"), Disturbs::no, "performance on 4 of 4 cores", "");
  machine.file("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil");
  expect(machine.condition("governor"), Disturbs::yes, "performance on 3 of 4 cores, schedutil on 1 of 4 cores",
         "cpupower");
}

TEST(MachineCheck, turbo_is_told_in_two_ways) {
  SketchedMachine intel, other;
  intel.file("sys/devices/system/cpu/intel_pstate/no_turbo", "0");
  expect(intel.condition("turbo"), Disturbs::yes, "on", "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo");
  intel.file("sys/devices/system/cpu/intel_pstate/no_turbo", "1");
  expect(intel.condition("turbo"), Disturbs::no, "off", "");
  other.file("sys/devices/system/cpu/cpufreq/boost", "0");
  expect(other.condition("turbo"), Disturbs::no, "off", "");
  other.file("sys/devices/system/cpu/cpufreq/boost", "1");
  expect(other.condition("turbo"), Disturbs::yes, "on", "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
}

TEST(MachineCheck, siblings_are_named_one_of_each_pair) {
  SketchedMachine machine;
  for (int core = 0; core < 4; ++core)
    machine.file("sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/thread_siblings_list",
                 core % 2 == 0 ? "0,2" : "1,3");
  expect(machine.condition("sibling threads"), Disturbs::yes, "4 logical cores share the units of 2",
         "taskset -c 0,1 takt run");
  SketchedMachine single;
  for (int core = 0; core < 4; ++core)
    single.file("sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/thread_siblings_list",
                std::to_string(core));
  expect(single.condition("sibling threads"), Disturbs::no, "none", "");
}

TEST(MachineCheck, a_share_below_the_processors_disturbs) {
  SketchedMachine machine;
  machine.file("proc/self/cgroup", "0::/box");
  expect(machine.condition("processor share"), Disturbs::no, "no limit on 4 CPUs", "");
  machine.file("sys/fs/cgroup/box/cpu.max", "150000 100000");
  expect(machine.condition("processor share"), Disturbs::yes, "may use 1.5 of 4 CPUs", "--threads 1");
  machine.file("sys/fs/cgroup/box/cpu.max", "800000 100000");
  expect(machine.condition("processor share"), Disturbs::no, "8 of 4", "");
}

TEST(MachineCheck, pages_that_are_moved_while_a_program_waits_disturb) {
  SketchedMachine machine;
  machine.file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  expect(machine.condition("huge pages"), Disturbs::no, "madvise", "");
  machine.file("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never");
  machine.file("sys/kernel/mm/transparent_hugepage/defrag", "[always] defer madvise never");
  expect(machine.condition("huge pages"), Disturbs::yes, "always, defragmentation always", "echo defer");
  machine.file("sys/kernel/mm/transparent_hugepage/defrag", "always [defer] madvise never");
  expect(machine.condition("huge pages"), Disturbs::no, "always, defragmentation defer", "");
  machine.file("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never");
  machine.file("sys/kernel/mm/transparent_hugepage/defrag", "[always] defer madvise never");
  expect(machine.condition("huge pages"), Disturbs::no, "madvise, defragmentation always", "");
}

TEST(MachineCheck, a_clock_that_the_system_must_be_asked_for_disturbs) {
  const std::string folder = "sys/devices/system/clocksource/clocksource0/";
  SketchedMachine machine;
  machine.file(folder + "current_clocksource", "hpet").file(folder + "available_clocksource", "hpet tsc acpi_pm");
  expect(machine.condition("timer"), Disturbs::yes, "hpet", "echo tsc > /sys/devices");
  machine.file(folder + "available_clocksource", "hpet acpi_pm");
  expect(machine.condition("timer"), Disturbs::yes, "hpet", "boot with clocksource=tsc");
  machine.file(folder + "current_clocksource", "kvm-clock");
  expect(machine.condition("timer"), Disturbs::no, "kvm-clock", "");
}

TEST(MachineCheck, other_programs_are_named) {
  SketchedMachine machine;
  machine.program({"python3", 1, {12}, 400ms}, 500ms).program({"gzip", 2, {3, 4}, 100ms}, 500ms);
  expect(machine.condition("load"), Disturbs::yes, "use 1.00 of 4 CPUs: python3 (process 12), gzip (2 processes)",
         "stop them");
  SketchedMachine quiet;
  quiet.program({"sshd", 1, {7}, 1ms}, 500ms);
  expect(quiet.condition("load"), Disturbs::no, "use 0.00 of 4", "");
}

TEST(MachineCheck, what_is_noticeable_begins_above_a_border) {
  const auto load_of = [](Nanoseconds used) {
    SketchedMachine machine;
    machine.program({"a", 1, {1}, used / 2}, 1s).program({"b", 1, {2}, used - used / 2}, 1s);
    return machine.condition("load").disturbs;
  };
  EXPECT_EQ(load_of(50ms), Disturbs::no) << "a twentieth of a processor";
  EXPECT_EQ(load_of(51ms), Disturbs::yes);
  const auto steal_of = [](const std::string& columns) {
    SketchedMachine machine;
    machine.file("proc/stat", "cpu  " + columns);
    return machine.condition("steal").disturbs;
  };
  EXPECT_EQ(steal_of("90 1 2 3 1 1 1 1 0 0"), Disturbs::no) << "a hundredth";
  EXPECT_EQ(steal_of("89 1 1 3 1 1 1 1 0 0"), Disturbs::yes);
  EXPECT_EQ(steal_of("0 0 0 0 0 0 0 0"), Disturbs::not_told);
  EXPECT_EQ(steal_of("97 0 0 0 0 0 0"), Disturbs::not_told) << "a column is missing";
  const auto share_of = [](const char* limit) {
    SketchedMachine machine;
    machine.file("proc/self/cgroup", "0::/box").file("sys/fs/cgroup/box/cpu.max", limit);
    return machine.condition("processor share");
  };
  EXPECT_EQ(share_of("400000 100000").disturbs, Disturbs::no) << "all four";
  EXPECT_EQ(share_of("399999 100000").disturbs, Disturbs::yes);
  EXPECT_THAT(share_of("350000 100000").fix, HasSubstr("--threads 3 or fewer"));
  EXPECT_THAT(share_of("50000 100000").fix, HasSubstr("--threads 1 or fewer"));
}

TEST(MachineCheck, the_first_three_programs_are_named) {
  SketchedMachine machine;
  for (const char* name : {"a", "b", "c", "d"}) machine.program({name, 1, {7}, 100ms}, 1s);
  const std::string found = machine.condition("load").found;
  EXPECT_THAT(found, HasSubstr("use 0.40 of 4 CPUs: a (process 7), b (process 7), c (process 7)"));
  EXPECT_EQ(found.find("d (process"), found.npos);
}

TEST(MachineCheck, where_programs_are_hidden_the_load_average_speaks) {
  SketchedMachine machine;
  machine.file("proc/loadavg", "1.50 0.20 0.10 2/345 6789");
  expect(machine.condition("load"), Disturbs::yes, "use 1.50 of 4", "stop them");
}

TEST(MachineCheck, stolen_time_is_a_share_of_all) {
  SketchedMachine machine;
  machine.file("proc/stat", "cpu  500 0 100 300 0 0 0 100 0 0\ncpu0 1 2 3");
  expect(machine.condition("steal"), Disturbs::yes, "10.0 %", "dedicated");
  machine.file("proc/stat", "cpu  500 0 100 400 0 0 0 0 0 0\n");
  expect(machine.condition("steal"), Disturbs::no, "0.0 %", "");
}

TEST(MachineCheck, table_leaves_the_untold_empty_and_the_summary_counts) {
  const auto conditions = check_machine({"/there/is/no/such/root", {0}});
  const Table table = conditions_table(conditions);
  ASSERT_EQ(table.rows.size(), conditions.size());
  EXPECT_EQ(table.columns[1].name, "disturbs");
  for (const auto& row : table.rows) EXPECT_TRUE(std::holds_alternative<std::monostate>(row[1]));
  EXPECT_EQ(conditions_summary(conditions),
            "0 of 8 conditions disturb measurements here; the system does not report 8.");
}

TEST(MachineCheck, nonsense_in_files_is_no_crash) {
  SketchedMachine machine;
  machine.file("proc/loadavg", "x").file("proc/stat", "cpu x y").file("proc/self/cgroup", "::::");
  machine.file("sys/kernel/mm/transparent_hugepage/enabled", "]always[");
  machine.of_each_core("cpufreq/scaling_governor", "").of_each_core("topology/thread_siblings_list", "");
  for (const auto& name : {"governor", "sibling threads", "processor share", "huge pages", "load", "steal"})
    EXPECT_EQ(machine.condition(name).name, name);
}

}  // namespace
}  // namespace takt
