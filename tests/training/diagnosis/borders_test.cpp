// Rules on their very borders, and what an event is about by its name.
#include <gtest/gtest.h>

#include <vector>

#include "trace/events/trace.h"
#include "training/diagnosis/diagnosis.h"
#include "training/diagnosis/straggler.h"
#include "training/steps/operator_kinds.h"
#include "training/steps/ranks.h"
#include "training/steps/rise.h"
#include "training/steps/roles.h"

namespace takt {
namespace {

constexpr auto in_this_process = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
constexpr auto in_others = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";

/// Whether eight steps of `step_us` that begin with a wait of `wait_us` for a batch are called starved.
bool is_starved(std::int64_t step_us, const std::vector<std::int64_t>& wait_us, const char* loader = in_this_process) {
  Trace trace;
  const RowId row = trace.add_row(trace.add_process("python"), "main");
  const auto add = [&](const std::string& name, const char* category, std::int64_t start, std::int64_t length) {
    trace.add_event(row, name, category, Nanoseconds(start * 1000), Nanoseconds(length * 1000));
  };
  for (std::size_t step = 0; step < wait_us.size(); ++step) {
    const std::int64_t start = static_cast<std::int64_t>(step) * step_us;
    add("ProfilerStep#" + std::to_string(step), "user_annotation", start, step_us);
    add(loader, "cpu_op", start, wait_us[step]);
    add("aten::mm", "cpu_op", start + wait_us[step], step_us - wait_us[step]);
  }
  const Diagnosis one = diagnose("made", trace);
  for (const PlacedVerdict& placed : one.verdicts)
    if (placed.verdict.cause == TrainingCause::data_starvation) return true;
  return false;
}

bool is_starved(std::int64_t step_us, std::int64_t wait_us, const char* loader = in_this_process) {
  return is_starved(step_us, std::vector<std::int64_t>(8, wait_us), loader);
}

TEST(Borders, of_waits_for_batches) {
  EXPECT_TRUE(is_starved(20'000, 2'000)) << "a tenth of the step, and two milliseconds";
  EXPECT_FALSE(is_starved(20'000, 1'999));
  EXPECT_FALSE(is_starved(19'990, 1'999)) << "a tenth, but not two milliseconds";
  EXPECT_TRUE(is_starved(40'000, 4'000, in_others)) << "handing over takes longer";
  EXPECT_FALSE(is_starved(20'000, 3'999, in_others));
  EXPECT_TRUE(is_starved(10'000, {4'000, 1'000, 1'000, 1'000, 4'000, 1'000, 1'000, 1'000}, in_others));
  EXPECT_FALSE(is_starved(10'000, {3'999, 1'000, 1'000, 1'000, 4'000, 1'000, 1'000, 1'000}, in_others));
  EXPECT_TRUE(is_starved(500, 200)) << "two fifths of the step, and a fifth of a millisecond";
  EXPECT_FALSE(is_starved(500, 199));
  EXPECT_FALSE(is_starved(497, 199));
  EXPECT_TRUE(is_starved(200'000, 10'000)) << "a twentieth, and ten milliseconds";
  EXPECT_FALSE(is_starved(200'000, 9'999));
  EXPECT_FALSE(is_starved(200'001, 10'000));
  // A quarter of the steps wait for two milliseconds, and that is a twentieth of all the time, or is not.
  EXPECT_TRUE(is_starved(10'000, {2'000, 0, 0, 0, 2'000, 0, 0, 0}));
  EXPECT_FALSE(is_starved(10'000, {1'999, 0, 0, 0, 2'000, 0, 0, 0}));
  EXPECT_FALSE(is_starved(10'001, {2'000, 0, 0, 0, 2'000, 0, 0, 0}));
}

TEST(Borders, of_a_rise) {
  EXPECT_TRUE(find_rise(std::vector<double>{10, 10, 10, 11, 11})) << "five times, a tenth";
  EXPECT_FALSE(find_rise(std::vector<double>{10, 10, 11, 11}));
  EXPECT_FALSE(find_rise(std::vector<double>{10, 10, 10, 10.999, 10.999}));
  EXPECT_TRUE(find_rise(std::vector<double>{10, 10, 10, 10.999, 10.999}, 0.05));
  EXPECT_EQ(find_rise(std::vector<double>{10, 10, 20, 20, 20})->at, 2u) << "two are enough before";
  EXPECT_EQ(find_rise(std::vector<double>{10, 10, 10, 20, 20})->at, 3u) << "and two behind";
  const auto rise = find_rise(std::vector<double>{10, 10, 10, 14, 16, 18, 16});
  ASSERT_TRUE(rise);
  EXPECT_DOUBLE_EQ(rise->before, 10);
  EXPECT_DOUBLE_EQ(rise->after, 16);
}

/// Ranks whose steps take so many nanoseconds of work, and some of communication.
std::vector<Diagnosis> ranks_with(const std::vector<std::int64_t>& work) {
  std::vector<Diagnosis> all;
  for (const std::int64_t each : work) {
    Diagnosis& one = all.emplace_back();
    one.rank = static_cast<std::int64_t>(all.size()) + 6;
    one.steps.source = StepSource::marks;
    one.steps.list = {{0, {0, each + 500}}, {1, {each + 500, 2 * each + 1000}}};
    std::array<std::int64_t, step_part_count> parts{};
    parts[static_cast<std::size_t>(StepPart::communication)] = 500;
    one.breakdown.by_step.assign(2, parts);
    one.breakdown.total = 2 * (each + 500);
  }
  return all;
}

/// The rank that was called a straggler; nullopt: none.
std::optional<std::int64_t> straggler_among(std::vector<Diagnosis> all) {
  look_for_stragglers(all, std::vector<std::optional<std::int64_t>>(all.size()));
  std::optional<std::int64_t> found;
  for (const Diagnosis& one : all)
    if (!one.verdicts.empty()) {
      EXPECT_FALSE(found) << "one at most";
      found = one.rank;
    }
  return found;
}

TEST(Borders, of_stragglers) {
  EXPECT_EQ(straggler_among(ranks_with({1000, 1050})), 8) << "a twentieth longer";
  EXPECT_EQ(straggler_among(ranks_with({1000, 1049})), std::nullopt);
  EXPECT_EQ(straggler_among(ranks_with({1300, 1000, 1000})), 7);
  EXPECT_EQ(straggler_among(ranks_with({1000, 1300, 1000, 900})), 8) << "the median of the others is 1000";
  EXPECT_EQ(straggler_among(ranks_with({1000, 1300, 1300})), std::nullopt) << "most are as slow";
  EXPECT_EQ(straggler_among(ranks_with({1250, 1300, 1300})), std::nullopt);
  auto all = ranks_with({1000, 1300, 1000});
  look_for_stragglers(all, {{}, {}, {}});
  ASSERT_EQ(all[1].verdicts.size(), 1u);
  EXPECT_EQ(all[1].verdicts[0].verdict.cost, (std::vector<std::int64_t>{300, 300}));
  EXPECT_NE(all[1].verdicts[0].verdict.evidence.find("rank 8 works 1.30 µs per step, the other 2 ranks 1.00 µs"),
            std::string::npos)
      << all[1].verdicts[0].verdict.evidence;
}

TEST(Borders, of_a_share_of_values) {
  const auto at = [](std::vector<std::int64_t> values, double fraction) { return at_fraction(values, fraction); };
  EXPECT_EQ(at({7}, 0.9), 7);
  EXPECT_EQ(at({3, 1, 2}, 0.5), 2);
  EXPECT_EQ(at({4, 3, 1, 2}, 0.5), 2);
  EXPECT_EQ(at({5, 4, 3, 1, 2}, 0), 1);
  EXPECT_EQ(at({5, 4, 3, 1, 2}, 1), 5);
}

TEST(Roles, are_told_by_category_and_name) {
  struct Case {
    const char *category, *name;
    Role role;
  };
  for (const auto& [category, name, role] :
       {Case{"kernel", "gemm", Role::kernel},
        Case{"kernel", "ncclDevKernel_AllReduce_Sum", Role::communication},
        Case{"gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", Role::copy},
        Case{"gpu_memset", "Memset (Device)", Role::fill},
        Case{"cuda_runtime", "cudaLaunchKernel", Role::launch},
        Case{"cuda_driver", "cuLaunchKernel", Role::launch},
        Case{"cuda_runtime", "cudaMemcpyAsync", Role::launch},
        Case{"cuda_runtime", "cudaMemsetAsync", Role::launch},
        Case{"cuda_runtime", "cudaMemcpy", Role::synchronisation},
        Case{"hip_runtime", "hipMemcpy", Role::synchronisation},
        Case{"cuda_runtime", "cudaStreamSynchronize", Role::synchronisation},
        Case{"cuda_runtime", "cudaDeviceSynchronize", Role::synchronisation},
        Case{"cuda_runtime", "cudaMalloc", Role::allocation},
        Case{"cuda_runtime", "cudaFree", Role::allocation},
        Case{"cuda_runtime", "cudaHostAlloc", Role::allocation},
        Case{"cuda_driver", "cuMemCreate", Role::allocation},
        Case{"cuda_runtime", "cudaGetDevice", Role::runtime},
        Case{"cpu_op", "aten::mm", Role::op},
        Case{"operator", "aten::mm", Role::op},
        Case{"", "aten::mm", Role::op},
        Case{"", "AddmmBackward0", Role::op},
        Case{"", "anything", Role::none},
        Case{"cpu_op", "anything", Role::op},
        Case{"cpu_op", "aten::item", Role::scalar_read},
        Case{"cpu_op", "aten::_local_scalar_dense", Role::scalar_read},
        Case{"cpu_op", "aten::is_nonzero", Role::scalar_read},
        Case{"cpu_op", "aten::nonzero", Role::scalar_read},
        Case{"user_annotation", "ProfilerStep#3", Role::step},
        Case{"user_annotation", "Optimizer.step#SGD.step", Role::optimizer},
        Case{"user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", Role::data_wait},
        Case{"user_annotation", "enumerate(DataPipe)#x", Role::data_wait},
        Case{"user_annotation", "Data_Loading", Role::data_wait},
        Case{"user_annotation", "my data_wait", Role::data_wait},
        Case{"user_annotation", "forward", Role::annotation},
        Case{"user_annotation", "gloo:all_reduce", Role::collective},
        Case{"user_annotation", "nccl:broadcast", Role::collective},
        Case{"cpu_op", "c10d::allreduce_", Role::collective},
        Case{"cpu_instant_event", "[memory]", Role::memory},
        Case{"python_function", "train.py(3): main", Role::frame},
        Case{"python_function", "torch/utils/data/dataloader.py(633): __next__", Role::data_wait},
        Case{"user_annotation", "get_batch", Role::data_wait},
        Case{"cuda_runtime", "hipMemcpyWithStream", Role::synchronisation},
        Case{"mtia_runtime", "streamSynchronize", Role::synchronisation},
        Case{"mtia_runtime", "runFunction", Role::launch},
        Case{"xpu_runtime", "urEventWait", Role::synchronisation},
        Case{"xpu_runtime", "urEnqueueKernelLaunch", Role::launch},
        Case{"xpu_runtime", "urEnqueueEventsWait", Role::runtime},
        Case{"privateuse1_runtime", "aclrtSynchronizeStream", Role::synchronisation},
        Case{"cuda_driver", "cuModuleLoadData", Role::loading},
        Case{"kernel", "void deep_ep::internode_ll::dispatch<3>(void*)", Role::communication},
        Case{"kernel", "void vllm::cross_device_reduce_1stage<float>()", Role::communication},
        Case{"kernel", "oneccl_allreduce", Role::communication},
        Case{"", "TfrtCpuExecutable::Execute", Role::none}})
    EXPECT_EQ(role_of(category, name), role) << category << " " << name;
}

TEST(Roles, fall_into_kinds) {
  for (const Role role : {Role::kernel, Role::communication, Role::copy, Role::fill}) {
    EXPECT_TRUE(is_on_device(role));
    EXPECT_FALSE(is_call(role));
  }
  for (const Role role : {Role::launch, Role::synchronisation, Role::allocation, Role::runtime}) {
    EXPECT_TRUE(is_call(role));
    EXPECT_FALSE(is_on_device(role));
  }
  for (const Role role : {Role::none, Role::step, Role::op, Role::scalar_read, Role::data_wait, Role::collective,
                          Role::optimizer, Role::memory}) {
    EXPECT_FALSE(is_call(role));
    EXPECT_FALSE(is_on_device(role));
    EXPECT_EQ(is_operator(role), role == Role::op || role == Role::scalar_read);
  }
  for (const char* name : {"aten::empty_like", "aten::zeros", "aten::clone", "aten::resize_", "aten::randn"})
    EXPECT_TRUE(takes_memory(name)) << name;
  for (const char* name : {"aten::mm", "empty", "aten::add"}) EXPECT_FALSE(takes_memory(name)) << name;
  for (const char* name : {"MulBackward0", "autograd::engine::evaluate_function", "torch::autograd::AccumulateGrad"})
    EXPECT_TRUE(is_backward(name)) << name;
  EXPECT_FALSE(is_backward("aten::backward"));
}

/// Processes of these names, each with one operator; then how many operators each rank has.
std::vector<std::pair<std::int64_t, std::size_t>> ranks_of(const std::vector<std::string>& processes,
                                                           const char* category = "cpu_op") {
  NamedTrace merged;
  merged.file = "merged.json";
  std::uint32_t pid = 10;
  for (const std::string& name : processes) {
    const RowId row = merged.read.trace.add_row(merged.read.trace.add_process(name, pid++), "main");
    merged.read.trace.add_event(row, "aten::mm", name == "GPU 0" ? category : "cpu_op", Nanoseconds(0), Nanoseconds(5));
  }
  std::vector<std::pair<std::int64_t, std::size_t>> found;
  for (const NamedTrace& part : split_by_rank(merged)) {
    EXPECT_EQ(part.file, "merged.json");
    found.emplace_back(part.read.rank.value(), part.read.trace.events().size());
  }
  return found;
}

TEST(Ranks, of_one_file_are_taken_apart_with_all_their_processes) {
  using Found = std::vector<std::pair<std::int64_t, std::size_t>>;
  EXPECT_EQ(ranks_of({"rank 1: python", "rank 0: python"}), (Found{{0, 1}, {1, 1}}));
  EXPECT_EQ(ranks_of({"rank 1: python", "rank 0: python", "rank 1: GPU 0", "rank 7: python"}),
            (Found{{0, 1}, {1, 2}, {7, 1}}));
  EXPECT_EQ(ranks_of({"rank 1: python", "rank 1: GPU 0"}), Found{}) << "one rank alone";
  EXPECT_EQ(ranks_of({"python", "worker"}), Found{});
  EXPECT_EQ(ranks_of({"rank 0: python", "GPU 0", "rank 1: python"}, "cpu_op"), (Found{{0, 1}, {1, 1}}));
  EXPECT_EQ(ranks_of({"rank 0: python", "GPU 0", "rank 1: python"}, "kernel"), Found{}) << "whose is it?";
}

}  // namespace
}  // namespace takt
