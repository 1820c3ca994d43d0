// Times of modules, forward and backward.
#include "training/figures/modules.h"

#include <gtest/gtest.h>

#include <numeric>

#include "places.h"
#include "trace/read/reader.h"
#include "training/figures/made_work.h"

namespace takt {
namespace {

std::vector<ModuleFigure> modules_in(const Trace& trace) { return module_figures(trace, activity_of(trace)); }

const ModuleFigure& named(const std::vector<ModuleFigure>& list, const std::string& name) {
  for (const ModuleFigure& one : list)
    if (one.name == name) return one;
  throw std::out_of_range(name);
}

struct Expected {
  const char* name;
  std::int64_t forward, backward;
};

// Worked out apart from this program, from the trace's JSON: own time of each operator, the frame around it, and
// autograd's sequence numbers.
TEST(Modules, of_a_real_trace_have_their_operators_to_the_nanosecond) {
  const TraceRead read = read_trace(source_dir() / "tests/training/figures/traces/modules.json.gz");
  const auto figures = modules_in(read.trace);
  const std::vector<Expected> expected{{"Conv2d_2", 315791, 1920576}, {"Attention_0", 518244, 1291553},
                                       {"Conv2d_1", 392369, 1255869}, {"ConvTranspose2d_0", 776892, 760017},
                                       {"Net_0", 414503, 497901},     {"Conv2d_0", 431062, 315958},
                                       {"Linear_0", 223235, 219768},  {"Linear_1", 106767, 145845},
                                       {"Linear_2", 54252, 139615},   {"", 935952, 71155}};
  ASSERT_EQ(figures.size(), expected.size());
  std::int64_t network = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(figures[i].name, expected[i].name);
    EXPECT_EQ(figures[i].forward_ns, expected[i].forward) << expected[i].name;
    EXPECT_EQ(figures[i].backward_ns, expected[i].backward) << expected[i].name;
    EXPECT_EQ(figures[i].calls, figures[i].name.empty() ? 0 : 2);
    if (!figures[i].name.empty()) network += expected[i].forward + expected[i].backward;
  }
  EXPECT_EQ(named(figures, "Net_0").all_ns, network);
  EXPECT_EQ(named(figures, "Net_0").inside, "");
  EXPECT_EQ(named(figures, "Linear_1").inside, "Attention_0");
}

/// outer 10-50 calls inner 20-30; each launches, autograd runs both again, last of all something of nobody.
MadeWork two_modules() {
  MadeWork made;
  const auto number = [](std::int64_t n) { return TraceValues{{"Sequence number", n}}; };
  made.add(made.loop, "nn.Module: Outer_0", "python_function", 10, 40);
  made.add(made.loop, "nn.Module: Inner_0", "python_function", 20, 10);
  made.add(made.loop, "aten::mul", "cpu_op", 12, 4, number(1));
  made.add(made.loop, "aten::mm", "cpu_op", 21, 4, number(2));
  made.add(made.loop, "aten::no_gradient", "cpu_op", 5, 2, number(1));  // has the number of the next one that has one
  made.launch(made.loop, 13, "mul", 30, 3);
  made.launch(made.loop, 22, "mm", 40, 20);
  made.launch(made.loop, 28, "by a call alone", 60, 2);
  made.add(made.autograd, "autograd::engine::evaluate_function: MmBackward0", "cpu_op", 60, 8, number(2));
  made.add(made.autograd, "aten::mm", "cpu_op", 61, 5);
  made.launch(made.autograd, 62, "mm back", 70, 41);
  made.add(made.autograd, "autograd::engine::evaluate_function: MulBackward0", "cpu_op", 70, 8, number(1));
  made.launch(made.autograd, 72, "mul back", 120, 7);
  made.launch(made.loop, 90, "of nobody", 130, 1);
  return made;
}

TEST(Modules, have_the_work_of_the_device_that_they_launched_themselves) {
  const auto figures = modules_in(two_modules().trace);
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[0].name, "Inner_0");
  EXPECT_EQ(figures[0].forward_ns, 22'000);
  EXPECT_EQ(figures[0].backward_ns, 41'000);
  EXPECT_EQ(figures[0].all_ns, 63'000);
  EXPECT_EQ(figures[0].host_ns, 10'000);
  EXPECT_EQ(figures[0].inside, "Outer_0");
  EXPECT_EQ(figures[1].name, "Outer_0");
  EXPECT_EQ(figures[1].forward_ns, 3'000);
  EXPECT_EQ(figures[1].backward_ns, 7'000);
  EXPECT_EQ(figures[1].all_ns, 73'000);
  EXPECT_EQ(figures[1].host_ns, 40'000);
  EXPECT_EQ(figures[2].name, "");
  EXPECT_EQ(figures[2].forward_ns, 1'000);
}

TEST(Modules, that_call_themselves_have_their_time_once) {
  MadeWork made;
  made.add(made.loop, "nn.Module: Tree_0", "python_function", 10, 40);
  made.add(made.loop, "nn.Module: Tree_0", "python_function", 20, 10);
  made.add(made.loop, "aten::mm", "cpu_op", 21, 4);
  made.launch(made.loop, 22, "mm", 40, 20);
  const auto figures = modules_in(made.trace);
  EXPECT_EQ(figures[0].all_ns, 20'000);
  EXPECT_EQ(figures[0].host_ns, 40'000);
  EXPECT_EQ(figures[0].calls, 2);
}

TEST(Modules, with_several_callers_name_none) {
  MadeWork made = two_modules();
  made.add(made.loop, "nn.Module: Inner_0", "python_function", 80, 2);
  EXPECT_EQ(named(modules_in(made.trace), "Inner_0").inside, "");
}

TEST(Modules, of_a_trace_without_frames_are_none) {
  MadeWork made;
  made.add(made.loop, "aten::mm", "cpu_op", 21, 4);
  made.add(made.loop, "torch/nn/modules/module.py(1500): _call_impl", "python_function", 10, 40);
  EXPECT_TRUE(modules_in(made.trace).empty());
}

}  // namespace
}  // namespace takt
