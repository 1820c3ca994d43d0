// Names that say of stretches that come again what they are parts of: calls of the optimizer, and annotations.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "training/steps/steps.h"

namespace takt {
namespace {

/// A thread that trains, and one beside it.
class NamedProgram {
 public:
  NamedProgram() { span("aten::add", 3, 5, "cpu_op"); }

  void span(const char* name, std::int64_t start, std::int64_t end, const char* category = "user_annotation") {
    add(row_, name, start, end, category);
  }
  void beside(const char* name, std::int64_t start, std::int64_t end) {
    add(other_, name, start, end, "user_annotation");
  }
  void call(std::int64_t start, std::int64_t end) { span("Optimizer.step#SGD.step", start, end); }

  /// "annotation forward 0-20 20-40": of this many stretches of 10 ns, one behind the other.
  std::string steps_of(int stretches) const {
    Steps repeated;
    repeated.source = StepSource::kernels;
    for (std::int64_t i = 0; i < stretches; ++i) repeated.list.push_back({i, {10 * i, 10 * i + 10}, {}});
    const Steps steps = steps_by_names(activity_of(trace_), repeated);
    std::string text(name_of(steps.source));
    if (steps.pass) text += " " + trace_.text(*steps.pass);
    if (steps.source == StepSource::kernels) return text;
    for (std::size_t i = 0; i < steps.list.size(); ++i) {
      EXPECT_EQ(steps.list[i].number, static_cast<std::int64_t>(i));
      text += " " + std::to_string(steps.list[i].span.start) + "-" + std::to_string(steps.list[i].span.end);
    }
    return text;
  }

 private:
  void add(RowId row, const char* name, std::int64_t start, std::int64_t end, const char* category) {
    trace_.add_event(row, name, category, Nanoseconds(start), Nanoseconds(end - start));
  }

  Trace trace_;
  RowId row_ = trace_.add_row(trace_.add_process("python", 1), "main", 1);
  RowId other_ = trace_.add_row(ProcessId{0}, "worker", 2);
};

TEST(NamedSteps, end_where_the_outermost_calls_of_the_optimizer_end) {
  NamedProgram program;
  program.call(36, 40), program.call(37, 39);  // one in the other
  program.call(60, 60);
  program.call(78, 80), program.call(118, 120);
  EXPECT_EQ(program.steps_of(12), "optimizer 3-40 40-80 80-120");
}

TEST(NamedSteps, are_those_of_the_optimizer_where_its_calls_are_no_multiple_of_the_stretches) {
  struct Case {
    int stretches, calls;
    bool is_other;
  };
  for (const Case& one : std::vector<Case>{{0, 0, false},
                                           {0, 1, false},
                                           {0, 2, true},
                                           {3, 1, false},
                                           {3, 2, false},
                                           {4, 2, true},
                                           {4, 3, false},
                                           {4, 5, false},
                                           {4, 6, true},
                                           {4, 8, false},
                                           {4, 11, true},
                                           {4, 12, false}}) {
    NamedProgram program;
    for (int call = 0; call < one.calls; ++call) program.call(10 * call + 8, 10 * call + 9);
    EXPECT_EQ(program.steps_of(one.stretches).starts_with("optimizer"), one.is_other)
        << one.stretches << " stretches, " << one.calls << " calls";
  }
}

using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;

std::string named_steps_with(const Spans& spans, int calls = 0) {
  NamedProgram program;
  for (const auto& [start, end] : spans) program.span("forward", start, end);
  for (int call = 0; call < calls; ++call) program.call(50 * call + 8, 50 * call + 9);
  return program.steps_of(6);
}

TEST(NamedSteps, are_annotations_that_have_several_of_nearly_all_stretches) {
  EXPECT_EQ(named_steps_with({{0, 20}, {20, 40}, {40, 60}}), "annotation forward 0-20 20-40 40-60");
  EXPECT_EQ(named_steps_with({{0, 20}, {20, 50}}), "annotation forward 0-20 20-50") << "five of six";
  EXPECT_EQ(named_steps_with({{0, 20}, {20, 40}}), "kernels") << "four of six";
  EXPECT_EQ(named_steps_with({{0, 30}, {30, 40}, {40, 60}}), "kernels") << "one in the middle one";
  EXPECT_EQ(named_steps_with({{0, 20}, {20, 40}, {40, 50}, {50, 60}}), "kernels") << "four of six have several";
  EXPECT_EQ(named_steps_with({{0, 20}, {1, 19}, {20, 40}, {40, 60}, {60, 60}}), "annotation forward 0-20 20-40 40-60")
      << "neither one in another nor an empty one";
  EXPECT_EQ(named_steps_with({{0, 120}}), "annotation forward 0-120");
  EXPECT_EQ(named_steps_with({{0, 121}}), "kernels") << "more than twice as long as the stretches";
  EXPECT_EQ(named_steps_with({{0, 20}, {20, 40}, {40, 60}}, 1), "annotation forward 0-20 20-40 40-60") << "one call";
  EXPECT_EQ(named_steps_with({{0, 20}, {20, 40}, {40, 60}}, 2), "optimizer 3-9 9-59");
}

TEST(NamedSteps, of_several_annotations_are_those_that_come_most_often_on_the_thread_that_trains) {
  NamedProgram program;
  for (const std::int64_t start : {0, 30}) program.span("whole", start, start + 30);
  for (const std::int64_t start : {0, 20, 40}) program.beside("loading", start, start + 20);
  EXPECT_EQ(program.steps_of(6), "annotation whole 0-30 30-60");
  for (const std::int64_t start : {0, 20, 40}) program.span("part", start, start + 20);
  EXPECT_EQ(program.steps_of(6), "annotation part 0-20 20-40 40-60");
}

}  // namespace
}  // namespace takt
