// What stands in which cell of the tables of `takt diagnose --show` about the program's work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "table_cells.h"
#include "training/figures/made_work.h"
#include "training/figures/work_tables.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// Two steps of 100 us, the second like the first: mm in module Net_0 takes 10 (its kernel 40), its backward pass 8
/// (its kernel 20), and a product of 2 x 3 by 3 x 5. Memory only in the first.
std::vector<NamedTrace> traces() {
  std::vector<NamedTrace> list(1);
  list[0].file = "a.json";
  MadeWork made;
  for (std::int64_t at : {0, 100}) {
    const TraceValues args{{"Sequence number", at + 1}, {"Input Dims", TraceJsonText{"[[2,3],[3,5]]"}}};
    made.add(made.loop, "ProfilerStep#" + std::to_string(3 + at / 100), "user_annotation", at, 100);
    made.add(made.loop, "nn.Module: Net_0", "python_function", at + 8, 14);
    made.add(made.loop, "aten::mm", "cpu_op", at + 10, 10, args);
    made.launch(made.loop, at + 12, "ampere_sgemm", at + 20, 40);
    made.add(made.autograd, "MmBackward0", "cpu_op", at + 30, 8, {{"Sequence number", at + 1}});
    made.launch(made.autograd, at + 32, "h884gemm", at + 60, 20);
  }
  made.memory(made.loop, 11, 0xA0, 3'000'000, 4'000'000);
  made.memory(made.autograd, 31, 0xB0, 1'000'000, 5'000'000);
  list[0].read.trace = std::move(made.trace);
  return list;
}

Table table(const char* name) {
  const auto list = traces();
  const std::vector<Activity> activities{activity_of(list[0].read.trace)};
  return work_table(name, list, activities).value();
}

// Steps are settled on the device: 100 us each, but the last one of the program.
TEST(Cells, of_diagnose_phases) {
  const Table phases = table("phases");
  expect_cells(some_columns(phases, {"file", "phase", "phase_host_us", "launches_per_step", "gflop_per_step"}),
               {{"file", std::vector<std::string>(6, "a.json")},
                {"phase", {"forward", "backward", "optimizer", "data_wait", "other", "idle"}},
                {"phase_host_us", {"10", "8", "0", "0", "82", ""}},
                {"launches_per_step", {"1", "1", "0", "0", "0", ""}},
                {"gflop_per_step", {"0.00000006", "", "", "", "", ""}}});
  expect_cells(some_columns(phases, {"phase_device_us", "counted_gflops_per_s"}),
               {{"phase_device_us", {"40", "20", "0", "0", "0", "40"}},
                {"counted_gflops_per_s", {"0.0015", "", "", "", "", ""}}});
}

TEST(Cells, of_diagnose_operators) {
  expect_cells(table("operators"), {{"file", {"a.json", "a.json"}},
                                    {"op", {"aten::mm", "MmBackward0"}},
                                    {"call_count", {"2", "2"}},
                                    {"self_host_us", {"20", "16"}},
                                    {"self_device_us", {"80", "40"}},
                                    {"total_gflop", {"0.00000012", ""}},
                                    {"counted_gflops_per_s", {"0.0015", ""}}});
}

TEST(Cells, of_diagnose_modules) {
  expect_cells(table("modules"), {{"file", {"a.json"}},
                                  {"module", {"Net_0"}},
                                  {"inside_module", {""}},
                                  {"call_count", {"2"}},
                                  {"forward_us", {"80"}},
                                  {"backward_us", {"40"}},
                                  {"module_share", {"1"}},
                                  {"with_inner_us", {"120"}},
                                  {"module_host_us", {"28"}}});
}

TEST(Cells, of_diagnose_memory) {
  expect_cells(table("memory"), {{"file", {"a.json", "a.json", "a.json"}},
                                 {"memory_of", {"device 0", "device 0", "device 0"}},
                                 {"phase", {"forward", "backward", ""}},
                                 {"taken_by", {"aten::mm", "MmBackward0", "[before]"}},
                                 {"held_blocks", {"1", "1", ""}},
                                 {"held_mb", {"3", "1", "1"}},
                                 {"memory_share", {"0.6", "0.2", "0.2"}},
                                 {"peak_at_us", {"31", "31", "31"}},
                                 {"peak_step", {"3", "3", "3"}},
                                 {"grown_mb", {"4", "4", "4"}}});
  EXPECT_EQ(peak_sentences(table("memory")),
            "device 0: peak 5 MB, 31.0 µs after the first event in step 3; 4 MB more in use at the end than at the "
            "beginning\n");
}

TEST(Cells, of_diagnose_matrix_units) {
  expect_cells(table("matrix_units"), {{"file", {"a.json", "a.json"}},
                                       {"matrix_unit", {"used", "eligible"}},
                                       {"unit_kernels", {"2", "2"}},
                                       {"kernel_time_us", {"40", "80"}},
                                       {"kernel_share", {"0.33333333333333", "0.66666666666667"}},
                                       {"longest_kernel", {"h884gemm", "ampere_sgemm"}}});
}

TEST(WorkTables, have_phases_of_a_program_without_marks_and_device) {
  std::vector<NamedTrace> list(1);
  MadeWork made;
  made.add(made.loop, "aten::mm", "cpu_op", 0, 10);
  list[0].read.trace = std::move(made.trace);
  const std::vector<Activity> activities{activity_of(list[0].read.trace)};
  EXPECT_EQ(work_table("phases", list, activities)->rows.size(), 5u);
  EXPECT_TRUE(work_table("phases", std::vector<NamedTrace>(1), std::vector<Activity>(1))->rows.empty());
}

TEST(WorkTables, say_what_to_record_where_they_are_empty) {
  EXPECT_THAT(std::string(what_to_record("modules")), HasSubstr("with_stack=True"));
  EXPECT_THAT(std::string(what_to_record("memory")), HasSubstr("profile_memory=True"));
  EXPECT_EQ(what_to_record("operators"), "");
  const std::vector<NamedTrace> none(1);
  const std::vector<Activity> activities(1);
  for (const std::string& name : work_table_names())
    EXPECT_TRUE(work_table(name, none, activities).has_value()) << name;
  EXPECT_FALSE(work_table("kernels", none, activities).has_value());
}

}  // namespace
}  // namespace takt
