// Which numbers every option takes, what holds without it, what must be given and what is made: a wrong digit or a line
// that is lost in a command's file is seen here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/basics/text.h"
#include "cli/line/commands.h"
#include "cli/measure/run_options.h"
#include "cli/plan/options.h"
#include "cli/plan/problem.h"
#include "cli/plan/sweep_options.h"

namespace takt {
namespace {

using OptionsOfCommands = std::map<std::string, std::vector<std::string>>;

/// By command: what `tell` says of each of its options, where it says anything.
OptionsOfCommands told_of_options(const std::function<std::string(const Option&)>& tell) {
  OptionsOfCommands told;
  for (const CommandDescription& command : descriptions(takt_commands()))
    for (const Option& option : command.options)
      if (auto words = tell(option); !words.empty()) told[command.name].push_back(std::move(words));
  return told;
}

TEST(OptionLimits, are_these) {
  const OptionsOfCommands expected{
      {"run",
       {"--batch-size 1 to 1e+07", "--iter 1 to 1e+07", "--warmup-iter 0 to 1e+07", "--requests 1 to 4096",
        "--streams 1 to 4096", "--instances 1 to 1024", "--state-steps 1 to 1e+07", "--threads 1 to 4096",
        "--top 0 to 1e+07"}},
      {"compare", {"--confidence 0.5 to 0.9999"}},
      {"trace info", {"--threads 1 to 256"}},
      {"trace cut", {"--threads 1 to 256"}},
      {"diagnose", {"--threads 1 to 256"}},
      {"scenario",
       {"--batch-size 1 to 65536", "--num-workers 0 to 256", "--warmup-steps 0 to 1e+06", "--profile-steps 1 to 1e+06",
        "--image-size 8 to 1024", "--width 1 to 1024", "--threads 1 to 1024"}},
      {"pipeline run", {"--batches 1 to 1e+08"}},
      {"pipeline analyze", {"--warmup-batches 0 to 1e+08"}},
      {"pipeline interference", {"--batches 10 to 1e+06", "--rounds 2 to 1000", "--levels 2 to 50"}},
      {"sweep", {"--warmup-iter 0 to 1e+06", "--iter 1 to 1e+06", "--rounds 1 to 1000"}},
      {"lookup", {"--nodes 1 to 2147483646", "--edges 0 to 2147483646"}},
      {"plan compile",
       {"--points 2 to 10000", "--tolerance 0 to 0.5", "--batches 1 to 1e+06", "--blocks 1 to 1000",
        "--share-step 0.001 to 0.5"}},
      {"plan cut", {"--pieces 2 to 1000", "--tensors 0 to 100"}},
      {"plan run",
       {"--nodes 1 to 2147483646", "--edges 1 to 2147483646", "--pieces 1 to 30", "--threads 1 to 4096",
        "--iter 1 to 100000", "--top 0 to 1000", "--batches 1 to 1e+06", "--rounds 1 to 10000"}},
      {"plan search",
       {"--nodes 1 to 2147483646", "--edges 0 to 2147483646", "--batches 1 to 1e+06", "--top 1 to 1000",
        "--blocks 1 to 1000", "--share-step 0.001 to 0.5", "--pieces 1 to 30", "--threads 1 to 4096",
        "--iter 1 to 100000"}},
      {"plan simulate", {"--random 1 to 1e+06", "--stay 1 to 1e+06"}},
      {"stress",
       {"--cpu 0 to 1", "--memory 0 to 1", "--cache 0 to 1", "--gpu 0 to 1", "--gpu-copies 0 to 1",
        "--gpu-device 0 to 1023", "--threads 1 to 1024"}},
      {"kernels bench",
       {"--batch-size 1 to 1e+07", "--iter 1 to 1e+06", "--warmup-iter 0 to 1e+06", "--threads 1 to 4096"}},
      {"kernels dag", {"--batch-size 1 to 1e+07", "--iter 1 to 100000"}},
      {"kernels extract", {"--batch-size 1 to 1e+07"}},
      {"kernels list", {"--batch-size 1 to 1e+07"}},
      {"kernels record", {"--batch-size 1 to 1e+07"}},
      {"collect", {"--rounds 1 to 1000", "--threads 1 to 4096", "--stress 0 to 1000"}},
      {"fit", {"--folds 2 to 1000"}},
      {"predict", {"--batch-size 1 to 1e+07"}},
      {"evaluate", {"--rounds 1 to 1000"}},
  };
  EXPECT_EQ(told_of_options([](const Option& option) {
              if (!option.range) return std::string();
              const auto number = [](double value) {
                return value < 1e6 || value == 2147483646 ? fmt::format("{:.10g}", value) : fmt::format("{:g}", value);
              };
              return fmt::format("{} {} to {}", option.name(), number(option.range->low), number(option.range->high));
            }),
            expected);
}

// Words are told by docs/cli.md, too; a number is also what the variable behind it holds.
TEST(OptionDefaults, of_numbers_and_times_are_these) {
  const OptionsOfCommands expected{
      {"run", {"--seed 1", "--warmup-iter 3", "--instances 1", "--top 10"}},
      {"compare", {"--threshold 2%", "--confidence 99%"}},
      {"scenario",
       {"--batch-size 64", "--num-workers 2", "--warmup-steps 10", "--profile-steps 8", "--seed 42", "--image-size 64",
        "--width 32"}},
      {"pipeline interference", {"--batches 100", "--rounds 3", "--levels 5"}},
      {"sweep",
       {"--cases 15", "--seed 42", "--warmup-iter 10, or that of the file of --cases",
        "--iter 50, or that of the file of --cases", "--rounds 3; 1 if all devices are simulated", "--timeout 900s"}},
      {"plan compile", {"--points 16", "--switch-cost 1ms", "--tolerance 1%", "--batches 16", "--share-step 0.1%"}},
      {"plan cut", {"--pieces 2", "--tensors 3"}},
      {"plan run", {"--pieces 5", "--iter 30", "--seed 1", "--top 1", "--batches 50", "--rounds 3"}},
      {"plan search", {"--batches 16", "--top 5", "--share-step 0.1%", "--pieces 5", "--iter 30"}},
      {"plan simulate", {"--stay 1", "--seed 1"}},
      {"load", {"--window 1s"}},
      {"stress", {"--gpu-device 0", "--time 60s"}},
      {"exporter", {"--listen 127.0.0.1:9817", "--interval 15s", "--window 1s"}},
      {"kernels bench", {"--iter 100", "--warmup-iter 10"}},
      {"kernels dag", {"--iter 30"}},
      {"kernels extract", {"--seed 1"}},
      {"collect", {"--rounds 3", "--time 1s", "--threads 1", "--seed 1"}},
      {"fit", {"--folds 10", "--seed 1"}},
      {"evaluate", {"--rounds 3", "--time 2s", "--seed 1"}},
  };
  EXPECT_EQ(told_of_options([](const Option& option) {
              const bool is_number = !option.fallback.empty() && option.fallback[0] >= '0' && option.fallback[0] <= '9';
              return is_number ? option.name() + " " + option.fallback : std::string();
            }),
            expected);
}

// What the help says apart from the variable.
TEST(OptionDefaults, are_what_the_variables_hold) {
  const SweepOptions sweep;
  EXPECT_EQ(row_limit_of(sweep), std::chrono::minutes(15));
  EXPECT_EQ(sweep.graph.seed, 42u);
  EXPECT_EQ(sweep.out, "profiling");
  EXPECT_EQ(sweep.models, "sage");
  EXPECT_EQ(sweep.graph.kind, "uniform");
  EXPECT_FALSE(sweep.warmup || sweep.iterations || sweep.rounds || sweep.ranges || sweep.retry);
  const PlanProblemOptions problem;
  EXPECT_EQ(problem.seed, 1u);
  EXPECT_TRUE(problem.at_once && problem.check);
  EXPECT_FALSE(problem.whole || problem.no_interference);
  const RunOptions run;
  EXPECT_EQ(run.run.min_time, Duration(1e6));
  EXPECT_EQ(run.run.device, "CPU");
  EXPECT_FALSE(run.no_ops || run.model_info || run.verbose || run.run.fit || run.run.copy_to_host);
}

TEST(OptionsThatMustBeGiven, are_these) {
  const OptionsOfCommands expected{
      {"run", {"MODEL"}},
      {"analyze", {"PROFILE"}},
      {"compare", {"PROFILE"}},
      {"trace info", {"FILE"}},
      {"trace convert", {"FILE", "--output"}},
      {"trace check", {"FILE"}},
      {"trace cut", {"FILE", "--output"}},
      {"trace merge", {"FILE", "--output"}},
      {"diagnose", {"TRACE"}},
      {"pipeline analyze", {"TRACE"}},
      {"pipeline whatif", {"TRACE"}},
      {"lookup", {"DIR", "--nodes", "--edges"}},
      {"plan compile", {"COSTS"}},
      {"plan cut", {"MODEL"}},
      {"plan run", {"DIR|MODEL"}},
      {"plan simulate", {"SET", "--costs"}},
      {"kernels dag", {"MODEL"}},
      {"kernels extract", {"MODEL"}},
      {"kernels list", {"MODEL"}},
      {"kernels record", {"MODEL"}},
      {"sweep merge", {"DIR", "--out"}},
      {"collect merge", {"FILE", "--output"}},
      {"fit", {"DATASET"}},
      {"predict", {"MODEL"}},
      {"evaluate", {"MODEL"}},
      {"evaluate merge", {"FILE"}},
      {"report", {"RESULT", "--output"}},
  };
  EXPECT_EQ(told_of_options([](const Option& option) { return option.required ? option.name() : std::string(); }),
            expected);
}

TEST(OptionsThatMakeFiles, are_these) {
  const std::string output = "--output file", report = "--report file";
  const OptionsOfCommands expected{
      {"run",
       {"--cache-dir folder", "--optimised-model-out file", "--executed-graph unasked", "--io-dump file",
        "--bin-io-dump folder", "--bin-out-dump folder", "--profile file", "--profile-host file", "--trace file",
        "--run-times file", output, report}},
      {"compare", {"--junit file", "--baseline folder", output, report}},
      {"trace info", {output}},
      {"trace convert", {output}},
      {"trace check", {output}},
      {"trace cut", {output}},
      {"trace merge", {output}},
      {"diagnose", {output, report}},
      {"scenario", {"--save unasked", output}},
      {"pipeline run", {"--trace file and .journal", output, report}},
      {"pipeline analyze", {output, report}},
      {"pipeline interference", {"--save file", output}},
      {"pipeline whatif", {output}},
      {"sweep", {"--out folder", output, report}},
      {"sweep merge", {"--out folder", output}},
      {"lookup", {output}},
      {"plan compile", {"--save file", output}},
      {"plan cut", {"--out folder", output}},
      {"plan run", {"--out folder", output, report}},
      {"plan search", {output}},
      {"plan simulate", {output}},
      {"load", {output}},
      {"stress", {output}},
      {"zoo export", {"--out folder"}},
      {"zoo list", {output}},
      {"kernels bench", {output}},
      {"kernels dag", {"--out folder", output}},
      {"kernels extract", {"--out folder", output}},
      {"kernels list", {output}},
      {"kernels record", {"--out folder", output}},
      {"collect", {"--output unasked and .jsonl"}},
      {"collect merge", {"--output file"}},
      {"predict", {"--trace file", output, report}},
      {"evaluate", {output, report}},
      {"evaluate merge", {output, report}},
      {"devices", {output}},
      {"report", {"--output file"}},
      {"explain", {output}},
  };
  EXPECT_EQ(told_of_options([](const Option& option) {
              if (option.makes == Makes::nothing) return std::string();
              return fmt::format("{} {}{}{}", option.name(),
                                 option.makes == Makes::file     ? "file"
                                 : option.makes == Makes::folder ? "folder"
                                                                 : "unasked",
                                 option.beside.empty() ? "" : " and ", option.beside);
            }),
            expected);
}

}  // namespace
}  // namespace takt
