#include "report/timelines/work_kinds.h"

#include <gtest/gtest.h>

namespace takt {
namespace {

TEST(WorkKinds, kernels_and_operators_of_a_family_have_its_colour) {
  const struct {
    const char *category, *name, *colour;
  } cases[] = {
      {"kernel", "void cudnn::detail::dgrad_engine<float, 512>(int)", "k1"},
      {"kernel", "volta_scudnn_128x64_relu_interior_nn_v1", "k1"},
      {"kernel", "volta_sgemm_128x64_nt", "k2"},
      {"kernel", "void cudnn::bn_bw_1C11_kernel_new<float>()", "k3"},
      {"kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>", "k4"},
      {"kernel", "void at::native::reduce_kernel<512, 1, at::native::ReduceOp>", "k5"},
      {"kernel", "nchwToNhwcKernel", "k6"},
      {"kernel", "vectorized_mystery", "k0"},
      {"kernel", "ncclKernel_AllReduce_RING_LL_Sum_float", "comm"},
      {"gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", "copy"},
      {"gpu_memset", "Memset (Device)", "copy"},
      {"cpu_op", "aten::_convolution", "k1"},
      {"cpu_op", "aten::addmm", "k2"},
      {"cpu_op", "aten::batch_norm", "k3"},
      {"cpu_op", "aten::relu_", "k4"},
      {"cpu_op", "aten::max_pool2d", "k5"},
      {"cpu_op", "aten::to", "k6"},
      {"cpu_op", "autograd::engine::evaluate_function: ConvolutionBackward0", "k1"},
      {"cpu_op", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", "wait-starved"},
      {"cuda_runtime", "cudaLaunchKernel", "wait-dispatch"},
      {"cuda_runtime", "cudaStreamSynchronize", "wait-sync"},
      {"cuda_runtime", "cudaMalloc", "other"},
      {"user_annotation", "ProfilerStep#5", "host"},
      {"Conv", "conv1", "k1"},
      {"merge", "infer merge", "host"},
      {"copy", "infer copy", "copy"},
      {"", "anything", "k0"},
  };
  for (const auto& [category, name, colour] : cases) EXPECT_EQ(kind_of_work(category, name).colour, colour) << name;
}

TEST(WorkKinds, more_than_six_stages_start_the_colours_over) {
  EXPECT_EQ(kind_of_stage(0, "a").colour, "k1");
  EXPECT_EQ(kind_of_stage(2, "c").colour, "k4");
  EXPECT_EQ(kind_of_stage(6, "g").colour, "k1");
  EXPECT_EQ(kind_of_stage(6, "g").label, "g");
  EXPECT_EQ(kind_of_stage(60, "z").label, "later stages");
}

}  // namespace
}  // namespace takt
