#include "predict/kernels/bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "predict/kernels/real_models.h"

namespace takt {
namespace {

BenchSettings few(BenchPlace place) {
  BenchSettings settings;
  settings.place = place;
  settings.iterations = 4, settings.warmup = 1;
  return settings;
}

TEST(Bench, every_record_has_its_runs_alone_and_behind_its_producers) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"resnet", 10, 0.25, 1, 64}), {});
  for (const BenchPlace place : {BenchPlace::alone, BenchPlace::chain}) {
    const auto times = bench_kernels(kernels, few(place));
    EXPECT_EQ(times.size(), kernels.records.size());
    for (const KernelTimes& one : times) {
      EXPECT_EQ(one.problem.value_or(""), "") << one.id;
      EXPECT_EQ(one.samples.size(), 4u) << one.id << " " << bench_place_name(place);
      EXPECT_LT(one.started, one.ended);
    }
  }
}

TEST(Bench, places_have_names_and_no_other) {
  for (const auto& [place, name] :
       {std::pair(BenchPlace::alone, "alone"), {BenchPlace::chain, "chain"}, {BenchPlace::model, "model"}}) {
    EXPECT_EQ(bench_place_name(place), name);
    EXPECT_EQ(bench_place_named(name), place);
  }
  EXPECT_EQ(bench_place_named("models"), std::nullopt);
}

TEST(Bench, a_row_says_what_was_timed_and_where_and_each_step_is_told) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"mlp", 3, 0.5, 1, 100}), {});
  for (const BenchPlace place : {BenchPlace::alone, BenchPlace::chain}) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> told, expected;
    BenchSettings settings = few(place);
    settings.progress = [&](auto done, auto all) { told.emplace_back(done, all); };
    const auto times = bench_kernels(kernels, settings);
    std::set<std::string> seen;
    std::size_t at = 0;
    for (const KernelInstance& kernel : kernels.graph.kernels) {
      if (!seen.insert(kernel.record).second) continue;
      ASSERT_LT(at, times.size());
      EXPECT_EQ(times[at].id, kernel.record);
      EXPECT_EQ(times[at].kernel, kernel.name) << "the first of its record";
      EXPECT_EQ(times[at].name, kernels.records.at(kernel.record).name);
      EXPECT_EQ(times[at].place, place);
      expected.emplace_back(at++, seen.size());
    }
    for (auto& one : expected) one.second = at;
    EXPECT_EQ(times.size(), at);
    EXPECT_EQ(told, expected);
    settings = few(place), settings.record = times.back().id;
    const auto one = bench_kernels(kernels, settings);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].id, times.back().id);
  }
}

TEST(Bench, records_of_a_file_are_timed_one_by_one) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"mlp", 3, 0.5, 1, 100}), {});
  KernelFile file;
  add(file, kernels.graph, kernels.records);
  const auto times = bench_records(file, "CPU", few(BenchPlace::alone));
  ASSERT_EQ(times.size(), file.records.size());
  std::size_t at = 0;
  for (const auto& [id, record] : file.records) {
    EXPECT_EQ(times[at].id, id);
    EXPECT_EQ(times[at].name, record.name);
    EXPECT_EQ(times[at].kernel, "");
    EXPECT_EQ(times[at].samples.size(), 4u) << times[at].problem.value_or("");
    EXPECT_LT(times[at].started, times[at].ended);
    ++at;
  }
}

TEST(Bench, in_the_model_every_kernel_has_a_time_for_every_run) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"inception", 5, 0.5, 1, 64}), {});
  const auto times = bench_kernels(kernels, few(BenchPlace::model));
  ASSERT_EQ(times.size(), kernels.graph.kernels.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(times[i].kernel, kernels.graph.kernels[i].name);
    EXPECT_EQ(times[i].samples.size(), 4u) << times[i].kernel;
  }
}

TEST(Bench, a_chain_is_the_kernel_with_those_that_feed_it) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  const OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"resnet", 10, 0.25, 1, 64}), {});
  for (std::size_t i = 0; i < kernels.graph.kernels.size(); ++i) {
    const KernelInstance& kernel = kernels.graph.kernels[i];
    const OnnxModel chain = chain_model(kernels, i);
    EXPECT_EQ(chain.graph.ops.size(), kernel.producers.size() + 1);
    EXPECT_EQ(chain.graph.ops.back().name, kernel.name);
  }
}

TEST(Bench, one_model_file_is_timed_as_it_is_written) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  ModelBuilder b;
  b.output(b.node("Relu", {b.input("x", ElementType::f32, {8})}), ElementType::f32, {8});
  EXPECT_EQ(bench_model_file(folder.write("relu.onnx", b.serialize()), "CPU", few(BenchPlace::alone)).samples.size(),
            4u);
  EXPECT_THROW(bench_model_file(folder / "missing.onnx", "CPU", few(BenchPlace::alone)), Error);
}

TEST(Bench, refuses_what_cannot_be_timed_inside_and_stops_when_it_is_asked_to) {
  if (!has_onnxruntime()) GTEST_SKIP() << "this binary lacks ONNX Runtime";
  const TestFolder folder;
  OptimisedKernels kernels = kernels_of(write_zoo_model(folder, {"mlp", 3, 0.5, 1, 100}), {});
  const auto refusal = [&](const BenchSettings& settings) {
    try {
      bench_kernels(kernels, settings);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  BenchSettings settings = few(BenchPlace::alone);
  const std::atomic<bool> stop = true;
  settings.stop = &stop;
  EXPECT_THAT(refusal(settings), testing::MatchesRegex("stopped after [0-9]+ of [0-9]+ kernels"));
  kernels.is_saved = false;
  for (const BenchPlace place : {BenchPlace::chain, BenchPlace::model})
    EXPECT_THAT(refusal(few(place)), testing::HasSubstr("cannot save its graph, so its kernels are only timed alone"));
}

}  // namespace
}  // namespace takt
