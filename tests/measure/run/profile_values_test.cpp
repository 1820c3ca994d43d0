// What a profile makes of samples: whole rows and times, with values worked out by hand.
#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "measure/open/output_checks.h"
#include "measure/operators/fusion.h"
#include "measure/operators/op_profile.h"
#include "measure/operators/stretches.h"
#include "measure/run/fake_session.h"
#include "measure/run/results.h"
#include "measure/timing/closed_loop.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using Names = std::vector<std::string>;

TEST(OpProfile, a_row_has_what_the_runtime_says_of_its_node) {
  RunResult result = profiled_result({{100, {with(sample("node", "Type", 0, 30), [](ExecutedNode& node) {
                                         node.kernel = "kernel", node.node_type = "word", node.provider = "provider";
                                         node.model_ops = {"one", "two"}, node.leader = "two", node.is_settled = true;
                                         node.inputs = {"in"}, node.outputs = {"out", "more"};
                                         node.input_shapes = {{2, 3}}, node.output_shapes = {{5}, {7}};
                                       })}}});
  result.runtime = "runtime", result.device = "device";
  const OpProfile profile = profile_ops(result);
  ASSERT_EQ(profile.ops.size(), 1u);
  const OpRow& row = profile.ops[0];
  EXPECT_EQ((Names{row.name, row.type, row.node, row.kernel, row.node_type, row.provider, row.leader, row.runtime,
                   row.device}),
            (Names{"node", "Type", "node", "kernel", "word", "provider", "two", "runtime", "device"}));
  EXPECT_THAT(row.model_ops, ElementsAre("one", "two"));
  EXPECT_TRUE(row.is_settled);
  EXPECT_THAT(row.inputs, ElementsAre("in"));
  EXPECT_THAT(row.outputs, ElementsAre("out", "more"));
  EXPECT_THAT(row.input_shapes, ElementsAre(Shape{2, 3}));
  EXPECT_THAT(row.output_shapes, ElementsAre(Shape{5}, Shape{7}));
}

TEST(OpProfile, of_two_rows_that_claim_an_operator_the_one_that_computes_it_keeps_it) {
  for (const bool has_model : {false, true}) {
    RunResult result = profiled_result(
        {{100, {sample("reorder", "Reorder", 0, 10, {"conv"}), sample("kernel", "Conv", 10, 30, {"conv"})}}});
    if (has_model) result.graph = GraphSketch().op("conv", "Conv", {"x"}).graph("conv");
    const OpProfile profile = profile_ops(result);
    EXPECT_THAT(profile.ops[0].model_ops, IsEmpty()) << has_model;
    EXPECT_THAT(profile.ops[1].model_ops, ElementsAre("conv")) << has_model;
  }
}

TEST(OpProfile, what_a_node_spends_in_its_body_is_told_of_the_body) {
  OpSample loop = sample("loop", "Loop", 0, 50), inner = sample("inner", "Add", 10, 20);
  loop.inside = ns(20), inner.in_body = true;
  const OpProfile profile = profile_ops(profiled_result({{100, {loop, inner}}}));
  EXPECT_EQ(profile.ops[0].total, ns(30));
  EXPECT_EQ(profile.ops[1].total, ns(20));
  EXPECT_EQ(profile.unattributed, ns(50));
}

TEST(OpProfile, work_in_a_body_is_of_as_many_calls_as_a_run_makes) {
  GraphSketch inner({2, 8});
  auto body = std::make_shared<Graph>(inner.op("inner", "Add", {"x", "y"}).graph("inner"));
  Graph graph = GraphSketch({2, 8}).op("loop", "Loop", {"x"}).graph("loop");
  graph.ops[0].subgraphs = {{"body", body}};
  const OpSample one = sample("n", "Add", 0, 10, {"loop > inner"});
  RunResult result = profiled_result({{100, {one, one, one}}, {100, {one, one}}});
  result.graph = graph;
  const OpProfile profile = profile_ops(result);
  EXPECT_EQ(profile.ops[0].calls, 5);
  EXPECT_EQ(profile.ops[0].flops, 2.5 * 16);
  EXPECT_EQ(profile.ops[0].sfu_ops, 0);
  EXPECT_EQ(profile.ops[0].bytes, 5 * 3 * 64 / 2);
}

TEST(OpProfile, changes_of_layout_move_what_they_read_and_write) {
  GraphSketch sketch({2, 8});
  const Graph graph = sketch.op("a", "Relu", {"x"}).graph("a");
  const auto row_of_type = [&](const char* type, Names inputs, Names outputs, std::vector<Shape> in,
                               std::vector<Shape> out) {
    RunResult result = profiled_result({{100, {with(sample("n", type, 0, 10), [&](ExecutedNode& node) {
                                           node.inputs = inputs, node.outputs = outputs;
                                           node.input_shapes = in, node.output_shapes = out;
                                         })}}});
    result.graph = graph;
    return profile_ops(result).ops.at(0);
  };
  for (const char* type : {"Reorder", "ReorderInput", "ReorderOutput", "Transpose", "Reshape", "Unsqueeze", "Squeeze",
                           "Cast", "Identity"}) {
    const OpRow by_model = row_of_type(type, {"x"}, {"other"}, {}, {});
    EXPECT_EQ(by_model.flops, 0) << type;
    EXPECT_EQ(by_model.sfu_ops, 0) << type;
    EXPECT_EQ(by_model.bytes, 2 * 64) << type;
    EXPECT_THAT(by_model.input_shapes, ElementsAre(Shape{2, 8})) << type;
    EXPECT_THAT(by_model.output_shapes, ElementsAre(Shape{2, 8})) << type;
  }
  EXPECT_EQ(row_of_type("Reorder", {"other"}, {"a"}, {}, {}).bytes, 2 * 64) << "by the side that is of the model";
  EXPECT_EQ(row_of_type("Reorder", {"x", "a"}, {"other"}, {}, {}).bytes, std::nullopt) << "which of the two?";
  EXPECT_EQ(row_of_type("Reorder", {"u"}, {"v"}, {{3, 5}}, {{3, 8}}).bytes, 4 * (15 + 24)) << "of floats";
  EXPECT_EQ(row_of_type("Reorder", {"u"}, {"v"}, {{3, 5}}, {}).bytes, std::nullopt);
  EXPECT_EQ(row_of_type("Reorder", {"u"}, {"v"}, {}, {{3, 5}}).bytes, std::nullopt);
  const OpRow sum = row_of_type("Add", {"u"}, {"v"}, {{3, 5}, {3, 5}}, {{3, 5}});
  EXPECT_EQ(sum.flops, 15) << "a part without an operator of the model, by its shapes";
  EXPECT_EQ(sum.bytes, 4 * 45);
  EXPECT_EQ(row_of_type("Add", {"u"}, {"v"}, {{3, 5}, {3, 5}}, {}).flops, std::nullopt);
  EXPECT_EQ(row_of_type("Unheard", {"u"}, {"v"}, {{3, 5}}, {{3, 5}}).bytes, std::nullopt);
}

TEST(OpProfile, a_fused_kernel_has_the_name_of_whom_the_runtime_says_or_of_most_work) {
  const auto named = [](const std::string& leader, Names ops) {
    RunResult result = profiled_result({{100, {with(takt::sample("k", "Fused", 0, 10, ops), [&](ExecutedNode& node) {
                                           node.leader = leader, node.is_settled = true;
                                         })}}});
    result.graph = GraphSketch({2, 8})
                       .op("one", "Relu", {"x"})          // 16 FLOPs
                       .op("two", "Softplus", {"one"})    // 16 and 32 of another kind
                       .op("most", "LeakyRelu", {"two"})  // 32
                       .op("odd", "Unheard", {"most"})
                       .op("wide", "DequantizeLinear", {"odd"})  // 32
                       .op("end", "Unheard", {"wide"})
                       .graph("end");
    const OpRow row = profile_ops(result).ops.at(0);
    return row.name + " " + row.type;
  };
  EXPECT_EQ(named("", {"one", "two", "most"}), "most LeakyRelu");
  EXPECT_EQ(named("", {"one", "two"}), "one Relu") << "of equals the first";
  EXPECT_EQ(named("", {"odd"}), "odd Unheard");
  EXPECT_EQ(named("two", {"one", "two", "most"}), "two Fused");
  EXPECT_EQ(named("", {"one", "wide"}), "one Relu") << "numbers are made wider for what computes with them";
  EXPECT_EQ(named("", {"odd", "wide"}), "wide DequantizeLinear");
}

TEST(OpProfile, shapes_of_a_side_are_told_all_or_none) {
  RunResult result = profiled_result({{100, {sample("k", "Sum", 0, 10, {"sum"})}}});
  result.graph = GraphSketch({2, 8}).op("sum", "Sum", {"x", "y"}).graph("sum");
  const OpRow known = profile_ops(result).ops.at(0);
  EXPECT_THAT(known.input_shapes, ElementsAre(Shape{2, 8}, Shape{2, 8}));
  result.graph->tensors[1].shape->at(0) = {std::nullopt, "open"};
  const OpRow half = profile_ops(result).ops.at(0);
  EXPECT_THAT(half.inputs, ElementsAre("x", "y"));
  EXPECT_THAT(half.input_shapes, IsEmpty());
  EXPECT_THAT(half.output_shapes, ElementsAre(Shape{2, 8}));
}

TEST(SettleOwnership, types_that_only_put_data_elsewhere_lose_to_those_that_compute) {
  const auto keeps = [](const std::string& type, const std::string& node_type) {
    std::vector<OpRow> rows(2);
    rows[0].type = type, rows[0].node_type = node_type, rows[1].type = "Conv";
    for (OpRow& row : rows) row.model_ops = {"op"};
    settle_ownership(rows);
    EXPECT_NE(rows[0].model_ops.empty(), rows[1].model_ops.empty());
    return !rows[0].model_ops.empty();
  };
  for (const char* type : {"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Concat", "Split", "VariadicSplit", "Gather",
                           "StridedSlice", "Broadcast", "ShapeOf", "Tile", "Pad", "Reorder"}) {
    EXPECT_FALSE(keeps(type, "")) << type;
    EXPECT_FALSE(keeps("Relu", type)) << type << ": the runtime's word says more";
    EXPECT_TRUE(keeps(type, "Eltwise")) << type;
  }
  EXPECT_TRUE(keeps("Relu", ""));
}

TEST(AdoptUnclaimed, which_types_are_heavy) {
  const auto joins_what_reads_it = [](const std::string& type) {
    const Graph graph =
        GraphSketch().op("first", "Relu", {"x"}).op("op", type, {"first"}).op("last", "Relu", {"op"}).graph("last");
    std::vector<OpRow> rows(2);
    rows[0].model_ops = {"first"}, rows[1].model_ops = {"last"};
    adopt_unclaimed(graph, rows);
    EXPECT_EQ(rows[0].model_ops.size() + rows[1].model_ops.size(), 3u);
    return rows[1].model_ops.size() == 2;
  };
  for (const char* type : {"Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "Gemm", "MatMul", "MatMulInteger",
                           "QLinearMatMul", "LSTM", "GRU", "RNN"})
    EXPECT_TRUE(joins_what_reads_it(type)) << type;
  for (const char* type : {"Add", "Softmax", "Einsum"}) EXPECT_FALSE(joins_what_reads_it(type)) << type;
}

TEST(AdoptUnclaimed, nothing_where_the_runtime_has_settled_it) {
  std::vector<OpRow> rows(1);
  rows[0].model_ops = {"a"};
  const Graph graph = GraphSketch().op("a", "Conv", {"x"}).op("b", "Relu", {"a"}).graph("b");
  rows[0].is_settled = true;
  adopt_unclaimed(graph, rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("a"));
  rows[0].is_settled = false;
  adopt_unclaimed(graph, rows);
  EXPECT_THAT(rows[0].model_ops, ElementsAre("a", "b"));
}

TEST(LoopRecord, without_time_has_no_rate) {
  LoopRecord record;
  EXPECT_EQ(record.window(), ns(0));
  EXPECT_EQ(record.per_second(), 0);
  record.began = ns(500), record.counted = {{ns(0), ns(500)}};
  EXPECT_EQ(record.per_second(), 0);
  record.counted.push_back({ns(300), ns(2500)});
  EXPECT_EQ(record.window(), ns(2000));
  EXPECT_DOUBLE_EQ(record.per_second(), 1e6);
}

/// Two requests on a device that takes 90 ns each.
LoopRecord virtual_loop(LoopLimit limit, const LoopWatch& watch = {}) {
  FakeSession session;
  session.next_time = [] { return Nanoseconds(90); };
  return run_virtual_loop(session, 2, limit, watch);
}

TEST(VirtualLoop, ends_by_a_number_or_by_a_time_after_the_fewest) {
  const auto counted = [](std::optional<std::size_t> most, std::optional<Nanoseconds> time, std::size_t fewest) {
    LoopLimit limit;
    limit.warmup = 1, limit.most = most, limit.time = time, limit.fewest = fewest;
    return virtual_loop(limit).counted.size();
  };
  EXPECT_EQ(counted(4, {}, 1), 4u);
  EXPECT_EQ(counted({}, 180ns, 1), 2u);
  EXPECT_EQ(counted({}, 181ns, 1), 3u);
  EXPECT_EQ(counted({}, 180ns, 5), 5u);
  EXPECT_EQ(counted(4, 180ns, 1), 2u);
  EXPECT_EQ(counted(4, 900ns, 1), 4u);
  EXPECT_EQ(counted(4, 180ns, 9), 4u);
}

TEST(VirtualLoop, warm_up_is_a_completion_of_every_request) {
  LoopLimit limit;
  limit.most = 3;
  const auto cold = virtual_loop(limit);
  EXPECT_EQ(cold.began, ns(0));
  EXPECT_THAT(cold.warmup, IsEmpty());
  limit.warmup = 2;
  const auto warm = virtual_loop(limit);
  EXPECT_EQ(warm.began, ns(360));
  EXPECT_THAT(warm.warmup, ElementsAre(ns(90), ns(180), ns(180), ns(180)));
  std::vector<std::int64_t> started;
  for (const auto& one : warm.counted) started.push_back(one.started.count());
  EXPECT_THAT(started, ElementsAre(270, 360, 450));
  EXPECT_EQ(warm.window(), ns(270));
}

TEST(VirtualLoop, its_watch_is_told_what_counts_and_ends_it) {
  LoopLimit limit;
  limit.warmup = 1, limit.most = 9;
  std::vector<std::string> told;
  const auto record = virtual_loop(limit, [&](std::size_t counted, Nanoseconds spent) {
    told.push_back(std::to_string(counted) + " in " + std::to_string(spent.count()));
    return counted < 2;
  });
  EXPECT_THAT(told, ElementsAre("0 in 0", "0 in 0", "1 in 90", "2 in 180"));
  EXPECT_EQ(record.counted.size(), 2u);
}

/// `runs` alternating blocks of one run each, all alike: 1000 ns plain, `profiled` with two operators and the rest.
RunResult even_passes(int runs, std::int64_t profiled, std::int64_t a, std::int64_t b) {
  std::vector<std::pair<std::int64_t, std::vector<OpSample>>> all;
  RunPass plain;
  for (int run = 0; run < runs; ++run) {
    all.push_back({profiled, {sample("a", "Conv", 0, a), sample("b", "Relu", a, b)}});
    plain.samples.push_back(ns(1000)), plain.host_samples.push_back(ns(1000));
    plain.block_starts.push_back(plain.samples.size() - 1);
  }
  RunResult result = profiled_result(all);
  result.profiled->block_starts = plain.block_starts;
  result.plain = plain;
  return result;
}

struct Plain {
  double a, b, rest;                // us
  std::int64_t records_a, records;  // ns, of all runs
};

void expect_plain(const RunResult& result, const Plain& expected) {
  const OpProfile profile = profile_ops(result);
  EXPECT_NEAR(profile.ops[0].plain_mean->count(), expected.a, 1e-9);
  EXPECT_NEAR(profile.ops[1].plain_mean->count(), expected.b, 1e-9);
  EXPECT_NEAR(profile.plain_unattributed->count(), expected.rest, 1e-9);
  EXPECT_NEAR(profile.plain_mean->count(), 1, 1e-12);
  EXPECT_EQ(profile.ops[0].record_cost, ns(expected.records_a));
  EXPECT_EQ(profile.recording, ns(expected.records));
}

TEST(PlainTimes, each_record_costs_the_same_and_what_is_left_fills_a_plain_run) {
  // 600 + 400 less two records fill the 800 that nobody else has: each record costs 100.
  expect_plain(even_passes(5, 1200, 600, 400), {0.5, 0.3, 0.2, 500, 1000});
  // An operator does not take less than nothing: 700 + 50 - 50 fill 600 at 100 a record.
  expect_plain(even_passes(5, 1150, 700, 50), {0.6, 0, 0.4, 500, 750});
}

TEST(PlainTimes, where_records_cost_nothing_that_can_be_told_all_shrink_in_proportion) {
  expect_plain(even_passes(2, 1040, 600, 400), {0.576, 0.384, 0.04, 0, 0});
  expect_plain(even_passes(2, 1050, 600, 400), {0.575, 0.375, 0.05, 50, 100});
  expect_plain(even_passes(5, 1000, 600, 300), {0.6, 0.3, 0.1, 0, 0});
  // Without an interval a twentieth counts, with one what is surely more than nothing does.
  expect_plain(even_passes(5, 1040, 600, 400), {0.58, 0.38, 0.04, 100, 200});
}

TEST(PlainTimes, a_devices_own_clock_is_believed_unless_it_tells_of_more_than_the_run) {
  RunResult less = even_passes(5, 1200, 300, 200), more = even_passes(5, 2000, 900, 600);
  less.profiled->device_clock = more.profiled->device_clock = true;
  expect_plain(less, {0.3, 0.2, 0.5, 0, 0});
  expect_plain(more, {0.6, 0.4, 0, 0, 0});
}

TEST(PlainTimes, their_intervals_come_from_the_blocks) {
  const OpProfile profile = profile_ops(even_passes(5, 1200, 600, 400));
  EXPECT_NEAR(profile.ops[0].plain_interval.low, 0.5, 1e-9) << "all blocks say the same";
  EXPECT_NEAR(profile.ops[0].plain_interval.high, 0.5, 1e-9);
  EXPECT_EQ(profile.ops[0].plain_interval.confidence, 0.95);
  // In two blocks nothing is known of how sure it is.
  const OpProfile two = profile_ops(even_passes(2, 1200, 600, 400));
  EXPECT_NEAR(two.ops[1].plain_interval.low, 0.3, 1e-9);
  EXPECT_NEAR(two.ops[1].plain_interval.high, 0.3, 1e-9);
}

/// Heads of operators that take 60 and 40 us, beside nothing else.
struct TwoHeads : FakeSession {
  std::unique_ptr<Head> head(std::size_t operators) override {
    struct Fixed : Head {
      explicit Fixed(Nanoseconds time) : took(time) {}
      Nanoseconds run() override { return took; }
      Nanoseconds took;
    };
    asked.push_back(operators);
    return std::make_unique<Fixed>(operators == 1 ? 60us : 100us);
  }
  std::vector<std::size_t> asked;
};

TEST(Stretches, are_measured_in_seven_to_twenty_five_rounds_of_a_budget) {
  RunResult result = even_passes(5, 1200, 600, 400);
  for (RunPass* pass : {&*result.plain, &*result.profiled})
    for (Nanoseconds& one : pass->samples) one *= 100;
  for (auto& run : result.profiled->ops)
    for (OpSample& op : run) op.start *= 100, op.duration *= 100;
  // A plain run takes 100 us, so ten fill a turn of a millisecond; a round is a turn of both heads.
  const auto rounds = [&](Duration budget) {
    TwoHeads session;
    const auto stretches = measure_stretches(session, result, budget);
    if (stretches.empty()) return std::size_t{0};
    EXPECT_THAT(session.asked, ElementsAre(1, 2));
    EXPECT_THAT(stretches[0].ops, ElementsAre("a"));
    EXPECT_THAT(stretches[1].ops, ElementsAre("b"));
    EXPECT_THAT(stretches[0].shares, testing::Each(testing::DoubleEq(0.6)));
    EXPECT_THAT(stretches[1].shares, testing::Each(testing::DoubleEq(0.4)));
    return stretches[1].shares.size();
  };
  EXPECT_EQ(rounds(14ms), 7u);
  EXPECT_EQ(rounds(Duration(13'999)), 0u);
  EXPECT_EQ(rounds(31ms), 15u);
  EXPECT_EQ(rounds(1s), 25u);
}

TEST(Stretches, are_asked_for_where_records_cost_more_than_a_tenth) {
  const auto is_asked = [](std::int64_t profiled) {
    TwoHeads session;
    return !measure_stretches(session, even_passes(5, profiled, 600, 400), 1s).empty();
  };
  EXPECT_TRUE(is_asked(1101));
  EXPECT_FALSE(is_asked(1100));
}

HostTensor wholes(const std::string& name, const Shape& shape, const std::vector<std::int32_t>& values) {
  return {name, ElementType::i32, shape, to_bytes(values), {}};
}

std::string said_of(OutputChecks& checks, Session& session, std::size_t run) {
  try {
    checks.after_run(session, run);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OutputChecks, say_what_is_wrong_where) {
  FakeSession session;
  OutputChecks in_range(3.0, std::nullopt), repeated(std::nullopt, RepeatCheck{3, 1});
  session.tensors = {wholes("n", {2}, {100, -100}),
                     {"f", ElementType::f32, {2, 2}, to_bytes(std::vector{1.f, -3.f, 0.f, 9.f}), {}}};
  EXPECT_EQ(said_of(in_range, session, 0), "output 'f' of shape {2,2} is -3 at {0,1}, but --range requires less than 3")
      << "whole numbers are not looked at";
  session.tensors = {wholes("a", {2}, {1, 2}), wholes("b", {2, 2}, {3, 4, 5, 6}), wholes("c", {1}, {7})};
  EXPECT_EQ(said_of(repeated, session, 3), "");
  session.tensors[1] = wholes("b", {2, 2}, {3, 4, 8, 9});
  session.tensors[0] = wholes("a", {2}, {0, 0});
  EXPECT_EQ(said_of(repeated, session, 5), "") << "not the run to look at";
  EXPECT_EQ(said_of(repeated, session, 6), "output 'b' of run 6 differs from the first run: 8 instead of 5 at {1,0}");
  session.tensors[1] = wholes("b", {2, 2}, {3, 4, 5, 6});
  session.tensors[2].type = ElementType::string, session.tensors[2].strings = {"other"};
  EXPECT_EQ(said_of(repeated, session, 9), "output 'c' of run 9 differs from the first run");
  OutputChecks beyond(std::nullopt, RepeatCheck{1, 3});
  EXPECT_EQ(said_of(beyond, session, 0), "--check-var-value: output 3 does not exist; the model has 3");
  OutputChecks last(std::nullopt, RepeatCheck{1, 2});
  EXPECT_EQ(said_of(last, session, 0), "");
}

TEST(OutputChecks, are_due_by_the_number_of_the_run) {
  const OutputChecks none(std::nullopt, std::nullopt), range(1.0, std::nullopt), third(std::nullopt, RepeatCheck{3, 0});
  for (std::size_t run = 0; run < 7; ++run) {
    EXPECT_FALSE(none.is_due(run)) << run;
    EXPECT_TRUE(range.is_due(run)) << run;
    EXPECT_EQ(third.is_due(run), run == 0 || run == 3 || run == 6) << run;
  }
}

}  // namespace
}  // namespace takt
