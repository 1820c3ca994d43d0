// Which kernels use matrix units, by names that libraries give them.
#include "training/figures/tensor_cores.h"

#include <gtest/gtest.h>

#include "training/figures/made_work.h"

namespace takt {
namespace {

TEST(MatrixUnits, are_told_by_the_names_of_kernels) {
  for (const char* name :
       {"volta_fp16_s884gemm_fp16_256x128_ldg8_f2f_tn", "turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_stages_32x1_tn",
        "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn",
        "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>()",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel",
        "nvjet_tst_128x256_64x4_1x2_h_bz_TNT", "void pytorch_flash::flash_fwd_kernel<>()",
        "Cijk_Alik_Bljk_HHS_BH_MT128x128x32_MI16x16x4x1_SN_1LDSB0", "ampere_fp16_i16832gemm_int8_hmma_tn",
        "_ZN2ck27kernel_gemm_xdl_cshuffle_v1INS"})
    EXPECT_TRUE(uses_matrix_unit(name)) << name;
  for (const char* name :
       {"ampere_sgemm_32x32_sliced1x4_tn", "sm80_xmma_gemm_f32f32_f32f32_f32_nt_n_tilesize32x32x8_stage3_ffma_cublas",
        "void cutlass::Kernel<cutlass_80_simt_sgemm_128x64_8x5_nt_align1>()",
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>()",
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp_min>()", "_min", "", "implicit_convolve_sgemm"})
    EXPECT_FALSE(uses_matrix_unit(name)) << name;
}

TEST(MatrixUnits, could_be_used_by_operators_of_all_years) {
  for (const char* op : {"aten::mm", "aten::addmm", "aten::cudnn_convolution_backward_weight", "aten::conv2d",
                         "aten::miopen_convolution", "aten::_cudnn_rnn"})
    EXPECT_TRUE(could_use_matrix_unit(op)) << op;
  for (const char* op : {"aten::relu", "aten::add", "myconv", "mm", ""}) EXPECT_FALSE(could_use_matrix_unit(op)) << op;
}

TEST(MatrixUnits, have_all_time_of_kernels_in_one_of_four_kinds) {
  MadeWork made;
  made.add(made.loop, "aten::linear", "cpu_op", 10, 30);
  made.add(made.loop, "aten::addmm", "cpu_op", 11, 20);
  made.launch(made.loop, 12, "ampere_sgemm_32x32_tn", 20, 30);
  made.launch(made.loop, 13, "ampere_s16816gemm_tn", 50, 7);
  made.launch(made.loop, 14, "splitKreduce_kernel", 60, 2);  // adds what products gave
  made.add(made.loop, "aten::relu", "cpu_op", 50, 10);
  made.launch(made.loop, 51, "elementwise_kernel", 70, 5);
  made.launch(made.loop, 52, "elementwise_kernel", 75, 6);
  made.launch(made.loop, 90, "by the program", 95, 4);
  made.add(made.stream, "ncclDevKernel_AllReduce", "kernel", 100, 50);
  const auto figures = matrix_unit_figures(made.trace, activity_of(made.trace));
  const auto of = [&](MatrixUnit unit) { return figures[static_cast<std::size_t>(unit)]; };
  EXPECT_EQ(of(MatrixUnit::used).time_ns, 7'000);
  EXPECT_EQ(of(MatrixUnit::eligible).time_ns, 30'000);
  EXPECT_EQ(of(MatrixUnit::none).time_ns, 13'000);
  EXPECT_EQ(of(MatrixUnit::none).kernels, 3);
  EXPECT_EQ(made.trace.text(of(MatrixUnit::none).longest.value()), "elementwise_kernel");
  EXPECT_EQ(of(MatrixUnit::not_told).time_ns, 4'000);
}

}  // namespace
}  // namespace takt
