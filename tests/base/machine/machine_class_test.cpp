// What /proc and /sys say, as texts of several machines.
#include "base/machine/class.h"

#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/machine/caches.h"
#include "base/system/affinity.h"

namespace takt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MachineTexts server() {
  return {
      "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9354\nflags\t\t: fpu sse4_2 fma avx avx2 "
      "avx512f avx512_bf16 avx512vl\n\nprocessor\t: 1\nmodel name\t: AMD EPYC 9354\n",
      "MemTotal:       24684084 kB\nMemFree:        1 kB\n", "performance\n", 2};
}

TEST(MachineClass, is_read_from_the_first_processor) {
  const MachineClass machine = parse_machine_class(server());
  EXPECT_EQ(machine.cpu, "AMD EPYC 9354");
  EXPECT_EQ(machine.cores, 2);
  EXPECT_EQ(machine.memory_gib, 24);  // 23.54, rounded
  EXPECT_THAT(machine.instruction_sets, ElementsAre("avx", "avx2", "avx512_bf16", "avx512f", "fma", "sse4_2"));
  EXPECT_EQ(machine.governor, "performance");
  EXPECT_EQ(to_string(machine),
            "AMD EPYC 9354, 2 cores, 24 GiB, avx avx2 avx512_bf16 avx512f fma sse4_2, governor "
            "performance");
}

TEST(MachineClass, an_arm_board_names_features_and_model_otherwise) {
  const MachineClass machine =
      parse_machine_class({"Features\t: fp asimd asimddp\nModel\t\t: Raspberry Pi 5\n", "", "", 4});
  EXPECT_EQ(machine.cpu, "Raspberry Pi 5");
  EXPECT_THAT(machine.instruction_sets, ElementsAre("asimd", "asimddp"));
  EXPECT_EQ(machine.memory_gib, std::nullopt);
}

TEST(MachineClass, memory_is_rounded_to_whole_gib) {
  const auto gib = [](const char* kib) {
    return parse_machine_class({"", "MemTotal: " + std::string(kib) + " kB\n", "", 1}).memory_gib;
  };
  EXPECT_EQ(gib("1572863"), 1);  // a KiB below one and a half
  EXPECT_EQ(gib("1572864"), 2);
  EXPECT_EQ(gib("1"), 0);
  EXPECT_EQ(gib("0"), std::nullopt);
  EXPECT_EQ(to_string(parse_machine_class({"", "MemTotal: 1048576 kB\n", "", 1})), "unknown CPU, 1 core, 1 GiB");
  EXPECT_EQ(to_string(MachineClass{}).find("unknown memory") != std::string::npos, true);
}

TEST(MachineClass, every_part_of_a_difference_is_named) {
  const MachineClass now{"A", 2, 8, {"avx"}, "performance"}, other{"B", 4, std::nullopt, {"avx", "fma"}, ""};
  EXPECT_EQ(difference(other, now),
            "CPU 'A' instead of 'B', cores '2' instead of '4', memory '8 GiB' instead of 'unknown memory', instruction "
            "sets 'avx' instead of 'avx fma', governor 'performance' instead of ''");
}

TEST(MachineClass, of_empty_or_broken_texts_is_unknown) {
  EXPECT_EQ(parse_machine_class({}).cpu, "unknown CPU");
  EXPECT_EQ(parse_machine_class({":::\n:\n", "MemTotal: x kB\n", "\n", 1}).memory_gib, std::nullopt);
}

TEST(MachineClass, the_difference_names_what_changed) {
  const MachineClass now = parse_machine_class(server());
  MachineClass then = now;
  EXPECT_EQ(difference(then, now), "");
  then.cores = 4, then.governor = "powersave";
  EXPECT_EQ(difference(then, now), "cores '2' instead of '4', governor 'performance' instead of 'powersave'");
}

std::string text_of_system(const std::string& path) {
  try {
    return read_file(path);
  } catch (const Error&) {
    return "";
  }
}

TEST(MachineClass, this_machine_has_one_from_its_files) {
  const MachineClass here = detect_machine_class();
  EXPECT_EQ(here, parse_machine_class({text_of_system("/proc/cpuinfo"), text_of_system("/proc/meminfo"),
                                       text_of_system("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
                                       machine_core_count()}))
      << to_string(here);
}

TEST(MachineClass, instruction_sets_are_those_that_change_speed_each_once_and_sorted) {
  const auto sets_of = [](const std::string& cpuinfo) {
    return parse_machine_class({cpuinfo, "", "", 1}).instruction_sets;
  };
  EXPECT_THAT(
      sets_of("flags : fpu sve sse4_2 fma fma3 f16c avx_vnni avx512_vnni avx512_fp16 avx512_bf16 avx512f avx512vl "
              "avx2 avx asimddp asimd amx_tile amx_int8 amx_bf16 avx2\n"),
      ElementsAre("amx_bf16", "amx_int8", "asimd", "asimddp", "avx", "avx2", "avx512_bf16", "avx512_fp16",
                  "avx512_vnni", "avx512f", "avx_vnni", "f16c", "fma", "sse4_2", "sve"));
  EXPECT_THAT(sets_of("Features : sve\nflags : avx\n"), ElementsAre("avx")) << "Features only where there are no flags";
  EXPECT_THAT(sets_of("flags : avx\nflags : avx2\n"), ElementsAre("avx")) << "of the first processor";
}

TEST(MachineClass, memory_that_no_machine_has_is_not_told) {
  const auto gib = [](const std::string& kib) {
    return parse_machine_class({"", "MemFree: 7 kB\nMemTotal: " + kib + " kB\n", "", 1}).memory_gib;
  };
  EXPECT_EQ(gib("999999999999999"), 953'674'316);
  EXPECT_EQ(gib("1000000000000000"), std::nullopt);
  EXPECT_EQ(gib("-1048576"), std::nullopt);
}

TEST(MachineClass, in_words_leaves_out_what_there_is_not) {
  EXPECT_EQ(to_string(MachineClass{"Some CPU", 3, std::nullopt, {}, ""}), "Some CPU, 3 cores, unknown memory");
  EXPECT_EQ(to_string(MachineClass{"Some CPU", 1, 8, {}, "powersave"}), "Some CPU, 1 core, 8 GiB, governor powersave");
}

TEST(Caches, are_data_and_unified_ones_nearest_first) {
  const auto caches = parse_caches({{"3\n", "Unified\n", "32768K\n", "0-7\n"},
                                    {"1\n", "Instruction\n", "32K\n", "0\n"},
                                    {"1\n", "Data\n", "32K\n", "0,8\n"}});
  ASSERT_EQ(caches.size(), 2U);
  EXPECT_EQ(caches[0].bytes, 32 << 10);
  EXPECT_EQ(caches[0].shared_by, 2);
  EXPECT_EQ(caches[1].level, 3);
  EXPECT_EQ(caches[1].bytes, 32 << 20);
  EXPECT_EQ(caches[1].shared_by, 8);
}

/// Of one cache, in the words of the system.
std::string told_by_the_system(int index, const std::string& file) {
  return std::string(
      trim(text_of_system("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/" + file)));
}

TEST(Caches, of_this_machine_are_those_of_its_first_processor) {
  std::vector<CacheTexts> texts;
  for (int index = 0; index < 16; ++index)
    if (const std::string level = told_by_the_system(index, "level"); !level.empty())
      texts.push_back({level, told_by_the_system(index, "type"), told_by_the_system(index, "size"),
                       told_by_the_system(index, "shared_cpu_list")});
  const auto here = detect_caches(), expected = parse_caches(texts);
  ASSERT_EQ(here.size(), expected.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(here[i].level, expected[i].level);
    EXPECT_EQ(here[i].bytes, expected[i].bytes);
    EXPECT_EQ(here[i].shared_by, expected[i].shared_by);
  }
}

TEST(Caches, of_every_level_and_size_that_can_be_are_kept) {
  const auto bytes_of = [](const char* level, const char* size) -> std::int64_t {
    const auto caches = parse_caches({{level, "Data", size, "0"}});
    return caches.empty() ? 0 : caches[0].bytes;
  };
  EXPECT_EQ(bytes_of("1", "1024"), 1024);
  EXPECT_EQ(bytes_of("1", "1023"), 0);
  EXPECT_EQ(bytes_of("1", "1K"), 1024);
  EXPECT_EQ(bytes_of("9", "3M"), 3 << 20);
  EXPECT_EQ(bytes_of("1", "1099511627775"), 1'099'511'627'775) << "a byte below a tebibyte";
  EXPECT_EQ(bytes_of("1", "1099511627776"), 0);
  EXPECT_EQ(bytes_of("1", "1099511627775M"), 1'099'511'627'775 << 20);
  EXPECT_EQ(bytes_of("1", "32k"), 0);
  EXPECT_EQ(bytes_of("0", "32K"), 0);
  EXPECT_EQ(bytes_of("10", "32K"), 0);
  EXPECT_EQ(bytes_of("2", "-32K"), 0);
  EXPECT_EQ(parse_caches({{"1", "Data", "32K", ""}})[0].shared_by, 1);
}

TEST(Caches, nonsense_is_left_out) {
  EXPECT_THAT(parse_caches({{"x", "Data", "32K", "0"}, {"1", "Data", "", "0"}, {"2", "Data", "99999999999999T", "0"}}),
              IsEmpty());
  EXPECT_EQ(count_cpus("0-3,8"), 5);
  EXPECT_EQ(count_cpus("2-2"), 1);
  EXPECT_EQ(count_cpus("0,2,4-5\n"), 4);
  EXPECT_EQ(count_cpus("0-1000000"), 1'000'000);
  EXPECT_EQ(count_cpus("0-1000001"), 0);
  EXPECT_EQ(count_cpus("1-1000000"), 1'000'000);
  EXPECT_EQ(count_cpus("0-999999,5-6"), 1'000'000) << "at most so many";
  EXPECT_EQ(count_cpus("1-2,x"), 0);
  EXPECT_EQ(count_cpus("1-"), 0);
  EXPECT_EQ(count_cpus("3-1"), 0);
  EXPECT_EQ(count_cpus("0-99999999999999999999"), 0);
  EXPECT_EQ(count_cpus(""), 0);
}

}  // namespace
}  // namespace takt
