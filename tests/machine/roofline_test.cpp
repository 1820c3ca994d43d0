#include "base/machine/roofline.h"

#include <gmock/gmock.h>

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
}

TEST(Intensity, is_operations_per_byte) {
  EXPECT_DOUBLE_EQ(*intensity({6.0, 4.0, {}}), 1.5);
  EXPECT_FALSE(intensity({6.0, 0.0, {}}));
  EXPECT_FALSE(intensity({std::nullopt, 4.0, {}}));
}

}  // namespace
}  // namespace takt
