#include "base/machine/roofline.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <memory>

#include "base/machine/op_figures.h"

namespace takt {
namespace {

/// 100 GFLOP/s, a cache of 1 MB with 50 GB/s, memory with 10 GB/s; with one thread half of all.
Peaks machine() {
  const auto pair = [](double all) { return PeakPair{{all / 2, all / 2}, {all, all}}; };
  Peaks peaks;
  peaks.compute.push_back({NumberType::f32, "AVX2", pair(80e9)});
  peaks.compute.push_back({NumberType::f32, "AVX-512", pair(100e9)});
  peaks.compute.push_back({NumberType::int8, "AMX", pair(800e9)});
  peaks.levels.push_back({"L2", 1'000'000, 1'000'000, pair(50e9), pair(40e9)});
  peaks.levels.push_back({"DRAM", std::nullopt, std::nullopt, pair(10e9), pair(8e9)});
  return peaks;
}

Duration us(double count) { return Duration(count); }

TEST(Roofline, much_arithmetic_on_few_bytes_is_compute_bound) {
  // 1e9 FLOP take 10 ms at least, 1e6 bytes 20 us.
  const auto found = roofline({1e9, 1e6, us(20'000)}, {}, machine());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bound, Bound::compute);
  EXPECT_DOUBLE_EQ(found->peak_share, 0.5);
}

TEST(Roofline, a_large_copy_is_memory_bound) {
  const auto found = roofline({0.0, 1e8, us(12'500)}, {}, machine());  // 10 ms at 10 GB/s
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bound, Bound::memory);
  EXPECT_DOUBLE_EQ(found->peak_share, 0.8);
}

TEST(Roofline, what_fits_a_cache_is_held_to_its_bandwidth) {
  const auto found = roofline({0.0, 1e6, us(40)}, {}, machine());  // 20 us at 50 GB/s
  ASSERT_TRUE(found);
  EXPECT_DOUBLE_EQ(found->peak_share, 0.5);
}

TEST(Roofline, a_level_is_no_slower_than_the_one_behind_it) {
  Peaks disturbed = machine();
  disturbed.levels[0].read = disturbed.levels[0].copy = {{1e9, 1e9}, {1e9, 1e9}};
  EXPECT_DOUBLE_EQ(roofline({0.0, 1e6, us(200)}, {}, disturbed)->peak_share, 0.5);  // 100 us at 10 GB/s
}

TEST(Roofline, far_below_both_roofs_is_overhead) {
  const auto found = roofline({1e3, 1e3, us(10)}, {}, machine());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bound, Bound::overhead);
}

TEST(Roofline, borders_belong_to_the_faster_verdict) {
  // 1e6 FLOP take 10 us at least. Ten times as long as it could be is not yet overhead.
  const auto at = [](double times) { return roofline({1e6, 8, us(10 * times)}, {}, machine())->bound; };
  EXPECT_EQ(at(overhead_factor), Bound::compute);
  EXPECT_EQ(at(overhead_factor * 1.0001), Bound::overhead);
  // 1e6 FLOP and 5e5 bytes from L2 take 10 us each.
  EXPECT_EQ(roofline({1e6, 5e5, us(20)}, {}, machine())->bound, Bound::compute);
  // What fills a level is in it; a byte of activations more is two bytes that pass.
  EXPECT_EQ(roofline({0.0, 2e6, us(400)}, {}, machine())->memory_level, "L2");
  EXPECT_EQ(roofline({0.0, 2e6 + 2, us(400)}, {}, machine())->memory_level, "DRAM");
  EXPECT_FALSE(roofline({0.0, 0.0, us(1)}, {}, machine())) << "nothing to do";
  EXPECT_TRUE(roofline({0.0, 1.0, us(1)}, {}, machine()));
}

TEST(Roofline, one_thread_is_held_to_the_peaks_of_one) {
  OpRate rate{1e9, 1e6, us(20'000)};
  rate.one_thread = true;
  EXPECT_DOUBLE_EQ(roofline(rate, {}, machine())->peak_share, 1.0);
}

TEST(Roofline, missing_figures_have_no_verdict) {
  EXPECT_FALSE(roofline({std::nullopt, 1e6, us(10)}, {}, machine()));
  EXPECT_FALSE(roofline({1e6, std::nullopt, us(10)}, {}, machine()));
  EXPECT_FALSE(roofline({1e6, 1e6, us(0)}, {}, machine()));
  OpRate rate{1e6, 1e6, us(10)};
  rate.numbers = NumberType::bf16;
  EXPECT_FALSE(roofline(rate, {}, machine()));  // this CPU has no bfloat16
}

TEST(Roofline, int8_has_a_roof_of_its_own) {
  OpRate rate{8e9, 1e6, us(20'000)};  // 10 ms at 800 GOP/s, 80 ms at float32's peak
  rate.numbers = NumberType::int8;
  EXPECT_DOUBLE_EQ(roofline(rate, {}, machine())->peak_share, 0.5);
  EXPECT_EQ(roofline(rate, {}, machine())->bound, Bound::compute);
}

/// Matrix times vector: as many operations as half the bytes of the weights, which are nearly all that it moves.
OpRate gemv(double weights, Duration time) {
  OpRate rate{weights / 2, weights + 6144, time};
  rate.constants = weights;
  return rate;
}

WorkingSet layers(int count, const OpRate& layer) {
  WorkingSet model;
  for (int i = 0; i < count; ++i) model.add(*moved_bytes_of(layer));
  return model;
}

TEST(Roofline, weights_that_other_layers_push_out_come_from_memory) {
  const OpRate layer = gemv(900e3, us(100));  // alone it would fit the cache; 90 us at 10 GB/s, 18 at 50
  const auto alone = roofline(layer, layers(1, layer), machine());
  EXPECT_EQ(alone->memory_level, "L2");
  EXPECT_NEAR(alone->peak_share, 0.18, 0.01);
  const auto one_of_many = roofline(layer, layers(24, layer), machine());
  EXPECT_EQ(one_of_many->memory_level, "DRAM");
  EXPECT_EQ(one_of_many->bound, Bound::memory);
  EXPECT_NEAR(one_of_many->peak_share, 0.9, 0.01);
}

TEST(Roofline, what_was_just_written_is_near_however_large_the_model) {
  OpRate layer = gemv(900e3, us(100));
  const WorkingSet model = layers(24, layer);
  const auto relu = roofline({0.0, 1e6, us(40)}, model, machine());  // 20 us at 50 GB/s
  EXPECT_EQ(relu->memory_level, "L2");
  EXPECT_DOUBLE_EQ(relu->peak_share, 0.5);
}

TEST(Roofline, a_time_that_memory_does_not_allow_shows_that_the_weights_were_nearer) {
  const OpRate layer = gemv(900e3, us(45));  // 20 GB/s, twice what main memory gives
  const auto found = roofline(layer, layers(24, layer), machine());
  EXPECT_EQ(found->memory_level, "L2");
  EXPECT_LT(found->peak_share, 1);
}

TEST(Roofline, is_about_the_usual_time_and_not_about_a_few_preempted_runs) {
  OpRate rate{0.0, 1e8, us(100'000)};  // 10 ms at 10 GB/s
  EXPECT_EQ(roofline(rate, {}, machine())->bound, Bound::overhead);
  rate.usual_time = us(12'500);
  EXPECT_EQ(roofline(rate, {}, machine())->bound, Bound::memory);
  EXPECT_DOUBLE_EQ(roofline(rate, {}, machine())->peak_share, 0.8);
}

TEST(Roofline, activations_of_all_operators_are_one_memory) {
  WorkingSet model;
  for (int i = 0; i < 100; ++i) model.add({1e3, 5e5});
  EXPECT_DOUBLE_EQ(model.bytes(), 1e5 + 5e5);
}

TEST(Roofline, verdicts_have_names) {
  EXPECT_EQ(bound_name(Bound::compute), "compute bound");
  EXPECT_EQ(bound_name(Bound::memory), "memory bound");
  EXPECT_EQ(bound_name(Bound::overhead), "overhead bound");
  EXPECT_EQ(overhead_factor, 5);
}

TEST(Roofline, weights_are_a_part_of_the_bytes_and_no_more) {
  const auto moved = [](std::optional<double> bytes, std::optional<double> constants) {
    OpRate rate{1.0, bytes, us(1)};
    rate.constants = constants;
    const auto found = moved_bytes_of(rate);
    return found ? std::pair(found->constants, found->activations) : std::pair(-1.0, -1.0);
  };
  EXPECT_EQ(moved(10, 4), std::pair(4.0, 6.0));
  EXPECT_EQ(moved(10, std::nullopt), std::pair(0.0, 10.0));
  EXPECT_EQ(moved(10, 12), std::pair(10.0, 0.0));
  EXPECT_EQ(moved(10, -3), std::pair(0.0, 10.0));
  EXPECT_EQ(moved(std::nullopt, 4), std::pair(-1.0, -1.0));
}

/// Three levels: 1 KB with 100 GB/s, 1 MB with 50 and memory with 10; one thread has half of the rooms and rates.
Peaks three_levels() {
  const auto pair = [](double all) { return PeakPair{{all / 2, all / 2}, {all, all}}; };
  Peaks peaks;
  peaks.compute.push_back({NumberType::f32, "AVX2", pair(100e9)});
  peaks.levels.push_back({"L1", 500, 1'000, pair(100e9), pair(1e9)});
  peaks.levels.push_back({"L2", 500'000, 1'000'000, pair(50e9), pair(1e9)});
  peaks.levels.push_back({"DRAM", std::nullopt, std::nullopt, pair(10e9), pair(1e9)});
  return peaks;
}

/// "L2 20": the level that a roof is of, and its time in us.
std::string roof_in_words(const MovedBytes& op, const WorkingSet& model, double time, bool one_thread = false) {
  const auto roof = memory_roof(op, model, us(time), one_thread, three_levels());
  char words[64] = "none";
  if (roof) std::snprintf(words, sizeof words, "%s %.6g", roof->level.c_str(), roof->least.count());
  return words;
}

TEST(MemoryRoof, is_that_of_the_level_which_is_busy_longest) {
  WorkingSet large;
  large.add({1e9, 0});
  // Activations come from the nearest level with room for half of them: 2 KB from L1, 2 MB from L2.
  EXPECT_EQ(roof_in_words({0, 2'000}, large, 1e9), "L1 0.02");
  EXPECT_EQ(roof_in_words({0, 2'001}, large, 1e9), "L2 0.04002");
  EXPECT_EQ(roof_in_words({0, 2e6}, large, 1e9), "L2 40");
  EXPECT_EQ(roof_in_words({0, 2e6 + 1}, large, 1e9), "DRAM 200");
  EXPECT_EQ(roof_in_words({0, 1'000}, large, 1e9, true), "L1 0.02");
  EXPECT_EQ(roof_in_words({0, 1'001}, large, 1e9, true), "L2 0.04004");
  // Weights from where all of the model is; alone they are a model of their own.
  EXPECT_EQ(roof_in_words({1e6, 0}, large, 1e9), "DRAM 100");
  EXPECT_EQ(roof_in_words({1e6, 0}, {}, 1e9), "L2 20");
  EXPECT_EQ(roof_in_words({1e6, 1}, {}, 1e9), "DRAM 100");
  // 1e5 bytes of weights take 10 us from memory; 9e5 of activations, with them, 20 us from L2.
  EXPECT_EQ(roof_in_words({1e5, 9e5}, large, 1e9), "L2 20");
  EXPECT_EQ(roof_in_words({3e5, 9e5}, large, 1e9), "DRAM 30");
}

TEST(MemoryRoof, a_shorter_time_brings_the_farther_of_the_two_kinds_a_step_nearer) {
  WorkingSet large;
  large.add({1e9, 0});
  EXPECT_EQ(roof_in_words({3e5, 9e5}, large, 30), "DRAM 30") << "just possible";
  EXPECT_EQ(roof_in_words({3e5, 9e5}, large, 29.9), "L2 24") << "the weights were in L2";
  EXPECT_EQ(roof_in_words({3e5, 9e5}, large, 23.9), "L2 18") << "of both equally far the weights step first";
  EXPECT_EQ(roof_in_words({3e5, 9e5}, large, 17.9), "L1 12") << "then the activations";
  EXPECT_EQ(roof_in_words({3e5, 9e5}, large, 1), "L1 12") << "nothing is nearer";
  EXPECT_FALSE(memory_roof({1, 1}, {}, us(1), false, Peaks()));
}

TEST(MemoryRoof, of_a_level_without_a_bandwidth_is_none) {
  Peaks peaks = three_levels();
  peaks.levels[2].read = peaks.levels[2].copy = {};
  EXPECT_TRUE(memory_roof({0, 1'000}, {}, us(1), false, peaks));
  EXPECT_FALSE(memory_roof({0, 1e9}, {}, us(1), false, peaks));
}

TEST(WorkingSet, is_all_weights_and_the_largest_activations) {
  WorkingSet model;
  EXPECT_EQ(model.bytes(), 0);
  model.add({10, 3}), model.add({20, 7}), model.add({40, 5});
  EXPECT_EQ(model.bytes(), 77);
  EXPECT_EQ((MovedBytes{3, 4}).bytes(), 7);
}

TEST(Roofline, arithmetic_alone_needs_no_bytes_and_a_peak_of_nothing_has_no_verdict) {
  const auto found = roofline({1e6, 0.0, us(20)}, {}, machine());
  ASSERT_TRUE(found);
  EXPECT_EQ(found->bound, Bound::compute);
  EXPECT_DOUBLE_EQ(found->peak_share, 0.5);
  Peaks without = machine();
  for (ComputePeaks& compute : without.compute) compute.rate.all = {};
  EXPECT_FALSE(roofline({1e6, 1e3, us(20)}, {}, without));
  EXPECT_FALSE(roofline({1e6, 1e3, us(20)}, {}, Peaks()));
}

TEST(ImpossibleRates, of_bytes_are_above_the_border_of_five_per_cent_too) {
  EXPECT_EQ(impossible_rates({std::nullopt, 52.4e3, us(1)}, machine()), "");
  EXPECT_EQ(impossible_rates({std::nullopt, 52.6e3, us(1)}, machine()), "GB/s");
  EXPECT_EQ(impossible_rates({std::nullopt, 52.6e3, us(1)}, Peaks()), "") << "nothing is known";
}

TEST(ImpossibleRates, are_explained_with_every_peak) {
  EXPECT_EQ(
      explain_impossible_rates(machine(), false),
      "Rates marked as above peak exceed the measured peaks of this CPU (100 GFLOP/s in float32, 800 GFLOP/s in int8, "
      "50 GB/s): the time is not that of the row's operators, or the machine was busy when its peaks were measured "
      "(takt devices --measure).");
}

TEST(ImpossibleRates, are_above_the_peak_of_the_numbers_or_of_the_nearest_memory) {
  EXPECT_EQ(impossible_rates({1e9, 1e6, us(10'000)}, machine()), "");                 // the peak itself
  EXPECT_EQ(impossible_rates({1e9, 1e6, us(9'600)}, machine()), "");                  // the clock may differ
  EXPECT_EQ(impossible_rates({104.9, std::nullopt, Duration(1e-3)}, machine()), "");  // by 5 %
  EXPECT_EQ(impossible_rates({105.1, std::nullopt, Duration(1e-3)}, machine()), "GFLOP/s");
  EXPECT_EQ(impossible_rates({1e9, 1e6, us(0)}, machine()), "");
  EXPECT_EQ(impossible_rates({1e9, 1e6, us(5'000)}, machine()), "GFLOP/s");  // 200 GFLOP/s
  EXPECT_EQ(impossible_rates({1e6, 1e6, us(15)}, machine()), "GB/s");        // 67 GB/s
  EXPECT_EQ(impossible_rates({1e9, 1e9, us(1)}, machine()), "GFLOP/s, GB/s");
  EXPECT_EQ(impossible_rates({std::nullopt, std::nullopt, us(1)}, machine()), "");
  OpRate quantised{1e9, 1e6, us(5'000)};
  quantised.numbers = NumberType::int8;
  EXPECT_EQ(impossible_rates(quantised, machine()), "");
  quantised.numbers = NumberType::bf16;  // this CPU has no bfloat16: nothing is known
  EXPECT_EQ(impossible_rates(quantised, machine()), "");
}

TEST(ImpossibleRates, of_one_thread_are_above_the_peak_of_one) {
  OpRate rate{1e9, 1e6, us(15'000)};  // 67 GFLOP/s
  EXPECT_EQ(impossible_rates(rate, machine()), "");
  rate.one_thread = true;
  EXPECT_EQ(impossible_rates(rate, machine()), "GFLOP/s");
  EXPECT_EQ(explain_impossible_rates(machine(), true).find("(50 GFLOP/s in float32, 400 GFLOP/s in int8, 25 GB/s)") !=
                std::string::npos,
            true)
      << explain_impossible_rates(machine(), true);
}

TEST(OpFigures, numbers_are_told_by_the_name_of_the_kernel_or_the_type) {
  EXPECT_EQ(numbers_of("brgconv_avx512_amx_bf16", "Conv"), NumberType::bf16);
  EXPECT_EQ(numbers_of("brgemm_avx512_amx_I8", "MatMul"), NumberType::int8);
  EXPECT_EQ(numbers_of("jit_avx512_core_x8s8s32x_u8", "Conv"), NumberType::int8);
  EXPECT_EQ(numbers_of("brgemm_avx512_f16", "MatMul"), NumberType::f16);
  EXPECT_EQ(numbers_of("CPUExecutionProvider", "QLinearConv"), NumberType::int8);
  EXPECT_EQ(numbers_of("DynamicQuantizeMatMul", "MatMul"), NumberType::int8);
  EXPECT_EQ(numbers_of("", "MatMulIntegerToFloat"), NumberType::int8);
  EXPECT_EQ(numbers_of("brgemm_avx512_f32", "MatMul"), NumberType::f32);
  EXPECT_EQ(numbers_of("", "DynamicQuantizeLinear"), NumberType::f32);
}

TEST(OpFigures, every_word_for_a_type_is_known_in_any_case) {
  for (const char* kernel : {"gemm_u8", "GEMM_I8", "conv_int8", "conv_uint8"})
    EXPECT_EQ(numbers_of(kernel, "Conv"), NumberType::int8) << kernel;
  for (const char* kernel : {"conv_f16", "CONV_FP16"}) EXPECT_EQ(numbers_of(kernel, "Conv"), NumberType::f16) << kernel;
  for (const char* word :
       {"QLinearMatMul", "QGemm", "QAttention", "ConvInteger", "DynamicQuantizeMatMul", "DynamicQuantizeLSTM"}) {
    EXPECT_EQ(numbers_of(word, "x"), NumberType::int8) << word;
    EXPECT_EQ(numbers_of("x", word), NumberType::int8) << word;
  }
  EXPECT_EQ(numbers_of("conv_bf16_i8", "Conv"), NumberType::bf16);
  EXPECT_EQ(numbers_of("conv_i8_f16", "Conv"), NumberType::int8);
  EXPECT_EQ(numbers_of("f16_qgemm", "Conv"), NumberType::int8) << "float16 only where a name ends in it";
  EXPECT_EQ(numbers_of("x", "conv_i8"), NumberType::f32) << "endings are those of kernels";
}

TEST(OpFigures, are_those_of_the_samples_the_rate_and_the_peaks) {
  std::vector<Duration> samples;
  for (const double one : {30, 10, 50, 20, 40}) samples.push_back(us(one));
  OpRate rate{1e6, 8e5, us(20)};
  const Peaks peaks = machine();
  const OpFigures figures = figures_of(samples, rate, {}, &peaks);
  EXPECT_EQ(figures.samples, 5);
  EXPECT_DOUBLE_EQ(figures.mean->count(), 30);
  EXPECT_NEAR(figures.stddev->count(), 15.811388300841896, 1e-9);  // the root of 1000 / 4
  EXPECT_EQ(figures.min, us(10));
  EXPECT_EQ(figures.p50, us(30));
  EXPECT_NEAR(figures.p90->count(), 46, 1e-9);  // between the fourth and the fifth
  EXPECT_FALSE(figures.p99) << "five runs carry none";
  const std::vector<Duration> many(300, us(10));
  EXPECT_EQ(figures_of(many, rate, {}, &peaks).p99, us(10));
  EXPECT_EQ(figures.max, us(50));
  EXPECT_DOUBLE_EQ(*figures.intensity, 1.25);
  ASSERT_TRUE(figures.roofline);
  EXPECT_EQ(figures.roofline->bound, Bound::memory);
  EXPECT_DOUBLE_EQ(figures.roofline->peak_share, 0.8);  // 16 us at 50 GB/s
  EXPECT_EQ(figures.roofline->memory_level, "L2");
  EXPECT_EQ(figures.impossible, "");
  rate.time = us(1);
  EXPECT_EQ(figures_of(samples, rate, {}, &peaks).impossible, "GFLOP/s, GB/s");

  const OpFigures unmeasured = figures_of({}, rate, {}, nullptr);
  EXPECT_FALSE(unmeasured.roofline || unmeasured.samples || unmeasured.mean || unmeasured.p99);
  EXPECT_EQ(unmeasured.impossible, "");
  EXPECT_DOUBLE_EQ(*unmeasured.intensity, 1.25);
  const OpFigures one = figures_of(std::vector{us(7)}, rate, {}, nullptr);
  EXPECT_EQ(one.samples, 1);
  EXPECT_FALSE(one.stddev);
}

TEST(OpFigures, columns_that_need_peaks_are_known) {
  const auto needs = [](std::vector<std::string> names) { return needs_peaks(names); };
  for (const char* name : {"all", "roofline", "memory_level", "peak_share", "peak_share_percent"})
    EXPECT_TRUE(needs({"name", name})) << name;
  EXPECT_FALSE(needs({"name", "gflops_per_s", "peak", "rooflines"}));
  EXPECT_FALSE(needs({}));
}

struct FigureRow {
  OpFigures figures;
};

TEST(OpFigures, a_rate_that_cannot_be_brings_its_column_along) {
  constexpr Column<FigureRow> columns[] = {impossible_rate_column<FigureRow>};
  const TableDefinition<FigureRow> definition{"t", "", columns};
  FigureRow good, bad;
  bad.figures = figures_of({}, {1e9, 1e6, us(1)}, {}, &*std::make_unique<Peaks>(machine()));
  using testing::ElementsAre;
  EXPECT_THAT(with_impossible_rates({"name", "gflops_per_s"}, definition.make(std::vector{good})),
              ElementsAre("name", "gflops_per_s"));
  const Table table = definition.make(std::vector{good, bad});
  EXPECT_THAT(with_impossible_rates({"name", "gflops_per_s"}, table),
              ElementsAre("name", "gflops_per_s", "impossible"));
  EXPECT_THAT(with_impossible_rates({"name", "mean_us"}, table), ElementsAre("name", "mean_us"));
  EXPECT_THAT(with_impossible_rates({"all"}, table), ElementsAre("all"));
  EXPECT_THAT(with_impossible_rates({"impossible", "roofline"}, table), ElementsAre("impossible", "roofline"));
  for (const char* rate : {"gflops_per_s", "gbytes_per_s", "flops", "bandwidth", "roofline", "peak_share_percent"})
    EXPECT_THAT(with_impossible_rates({rate}, table), ElementsAre(rate, "impossible"));
  EXPECT_TRUE(has_impossible_rates(table));
  EXPECT_FALSE(has_impossible_rates(definition.make(std::vector{good})));
  EXPECT_FALSE(has_impossible_rates(definition.make(std::vector<FigureRow>{})));
  EXPECT_FALSE(has_impossible_rates(Table()));
}

TEST(Intensity, is_operations_per_byte) {
  EXPECT_DOUBLE_EQ(*intensity({6.0, 4.0, {}}), 1.5);
  EXPECT_FALSE(intensity({6.0, 0.0, {}}));
  EXPECT_FALSE(intensity({std::nullopt, 4.0, {}}));
}

}  // namespace
}  // namespace takt
