// What ran in a stretch of the program's time, by name.
#include "training/diagnosis/host_names.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

namespace takt {
namespace {

/// Every place of one thread, one behind the other, and a thread beside it that does not train.
Trace places() {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("python", 1), "main", 1);
  const RowId other = trace.add_row(ProcessId{0}, "worker", 2);
  const auto add = [&](RowId of, const char* name, const char* category, std::int64_t start, std::int64_t end) {
    trace.add_event(of, name, category, Nanoseconds(start), Nanoseconds(end - start));
  };
  add(row, "aten::linear", "cpu_op", 100, 110), add(row, "aten::mm", "cpu_op", 102, 108);
  add(row, "train.py: step", "python_function", 100, 1100);
  add(row, "preprocess", "user_annotation", 120, 160), add(row, "decode", "user_annotation", 130, 150);
  add(other, "elsewhere", "user_annotation", 171, 184), add(other, "aten::div", "cpu_op", 172, 183);
  add(row, "cudaMemcpyAsync", "cuda_runtime", 171, 189);
  add(row, "enumerate(DataLoader)#x", "user_annotation", 200, 220);
  add(row, "aten::add_", "cpu_op", 300, 310);
  return trace;
}

TEST(PlaceNames, are_of_what_has_most_of_a_stretch_or_lies_around_it) {
  const Trace trace = places();
  const Activity activity = activity_of(trace);
  struct Case {
    TimeInterval stretch;
    bool is_operator;
    const char *key, *shown;
  };
  const std::vector<Case> cases = {
      {{50, 90}, false, "after the start", "between the start and the end"},
      {{60, 101}, false, "after the start", "between the start and aten::linear"},
      {{100, 110}, true, "op aten::linear", "aten::linear"},
      {{102, 108}, true, "op aten::linear", "aten::linear"},  // the operator of the program, not one inside
      {{120, 160}, false, "label decode", "'decode'"},        // half of it; of two the inner one
      {{120, 161}, false, "label preprocess", "'preprocess'"},
      {{130, 150}, false, "label decode", "'decode'"},
      {{170, 190}, false, "call cudaMemcpyAsync", "cudaMemcpyAsync"},
      {{172, 210}, false, "after aten::linear", "between aten::linear and enumerate(DataLoader)#x"},
      {{200, 220}, true, "op enumerate(DataLoader)#x", "enumerate(DataLoader)#x"},
      {{230, 301}, false, "after enumerate(DataLoader)#x", "between enumerate(DataLoader)#x and aten::add_"},
      {{330, 579}, false, "after aten::add_", "between aten::add_ and the end"},
      {{330, 580}, false, "label train.py: step", "'train.py: step'"},  // a quarter as long as the function
  };
  std::vector<TimeInterval> stretches;
  for (const Case& one : cases) stretches.push_back(one.stretch);
  const auto names = names_of_places(trace, activity, stretches);
  ASSERT_EQ(names.size(), cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(std::tuple(names[i].is_operator, names[i].key, names[i].shown),
              std::tuple(cases[i].is_operator, std::string(cases[i].key), std::string(cases[i].shown)))
        << cases[i].stretch.start << " to " << cases[i].stretch.end;
}

}  // namespace
}  // namespace takt
