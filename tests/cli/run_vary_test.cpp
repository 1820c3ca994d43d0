#include "cli/measure/run_vary.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"

namespace takt {
namespace {

RunOptions options(std::vector<std::string> vary, std::vector<std::filesystem::path> models = {"m.onnx"}) {
  RunOptions o;
  o.models = std::move(models), o.model = o.models.front(), o.vary = std::move(vary);
  return o;
}

std::vector<std::string> labels(const RunOptions& o) {
  std::vector<std::string> labels;
  for (const auto& variant : variants_of(o)) labels.push_back(to_string(variant.differs));
  return labels;
}

TEST(ParseVary, commas_in_brackets_and_quotes_separate_nothing) {
  using Values = std::vector<std::string>;
  EXPECT_EQ(parse_vary("threads=1, 2,4").values, (Values{"1", "2", "4"}));
  EXPECT_EQ(parse_vary("input=x:{1,16},x:{1,128}").values, (Values{"x:{1,16}", "x:{1,128}"}));
  EXPECT_EQ(parse_vary("input=[[1,2],[3,4]],{2,2}").values, (Values{"[[1,2],[3,4]]", "{2,2}"}));
  EXPECT_EQ(parse_vary("input=\"a,b\":{1},x:{1};y:{2,2}").values, (Values{"\"a,b\":{1}", "x:{1};y:{2,2}"}));
  EXPECT_EQ(parse_vary("property=A=1,A=2").values, (Values{"A=1", "A=2"}));
  EXPECT_EQ(parse_vary("--core_ids=0,1").name, "core-ids");
}

TEST(ParseVary, refuses_what_is_no_option_with_values) {
  for (const char* wrong : {"", "threads", "=1,2", "threads=", "threads=1,,2", "threads=1,"})
    EXPECT_THROW(parse_vary(wrong), UsageError) << wrong;
}

TEST(Variants, are_every_combination_the_last_option_changing_fastest) {
  EXPECT_EQ(labels(options({"threads=1,2", "runtime=onnxruntime,openvino"})),
            (std::vector<std::string>{"threads=1 runtime=onnxruntime", "threads=1 runtime=openvino",
                                      "threads=2 runtime=onnxruntime", "threads=2 runtime=openvino"}));
  EXPECT_EQ(labels(options({"threads=1,2"}, {"dir/a.onnx", "b.xml"})),
            (std::vector<std::string>{"model=a.onnx threads=1", "model=a.onnx threads=2", "model=b.xml threads=1",
                                      "model=b.xml threads=2"}));
}

TEST(Variants, keep_the_options_beside_and_add_to_lists) {
  auto o = options({"input=x:{1,16},x:{1,128}", "copy-to-host=no,yes"});
  o.inputs = {"y:{3}"}, o.properties = {"K=V"}, o.run.threads = 3;
  const auto variants = variants_of(o);
  ASSERT_EQ(variants.size(), 4u);
  for (const auto& variant : variants) {
    EXPECT_EQ(variant.settings.threads, 3);
    ASSERT_EQ(variant.settings.inputs.size(), 2u);
    EXPECT_EQ(variant.settings.inputs[0].name, "y");
    EXPECT_EQ(variant.settings.inputs[1].name, "x");
    EXPECT_EQ(variant.settings.properties, (Properties{{"K", "V"}}));
  }
  EXPECT_FALSE(variants[0].settings.copy_to_host);
  EXPECT_TRUE(variants[1].settings.copy_to_host);
  EXPECT_EQ(std::get<Shape>(variants[3].settings.inputs[1].content), (Shape{1, 128}));
}

TEST(Variants, refuse_options_that_cannot_vary_and_wrong_values) {
  for (const char* wrong : {"iter=1,2", "profile=a,b", "vary=a,b", "MODEL=a,b", "thread=x,y", "threads=0,1",
                            "copy-to-host=maybe,no", "runtime=onnx", "log-level=info,debug"})
    EXPECT_THROW(variants_of(options({wrong})), UsageError) << wrong;
  EXPECT_THROW(variants_of(options({"threads=1,2", "threads=3,4"})), UsageError);
  auto traced = options({"threads=1,2"});
  traced.trace = "t.json";
  EXPECT_THROW(variants_of(traced), UsageError);
}

/// What is refused, "" where nothing is.
std::string variants_refusal(const RunOptions& o) {
  try {
    variants_of(o);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Variants, refuse_what_describes_one_run) {
  const std::pair<const char*, void (*)(RunOptions&)> cases[] = {
      {"--profile", [](RunOptions& o) { o.profile = "x"; }},
      {"--profile-host", [](RunOptions& o) { o.profile_host = "x"; }},
      {"--trace", [](RunOptions& o) { o.trace = "x"; }},
      {"--columns", [](RunOptions& o) { o.column_text = "name"; }},
      {"--io-dump", [](RunOptions& o) { o.io_dump = "x"; }},
      {"--bin-io-dump", [](RunOptions& o) { o.bin_io_dump = "x"; }},
      {"--bin-out-dump", [](RunOptions& o) { o.bin_out_dump = "x"; }},
      {"--optimised-model-out", [](RunOptions& o) { o.run.optimised_model = "x"; }},
      {"--executed-graph", [](RunOptions& o) { o.run.executed_graph = "x"; }},
      {"--percentiles", [](RunOptions& o) { o.percentile_text = "50"; }},
      {"--fitting", [](RunOptions& o) { o.run.fit = true; }},
  };
  for (const auto& [name, change] : cases) {
    auto varied = options({"threads=1,2"}), models = options({}, {"a.onnx", "b.onnx"});
    change(varied), change(models);
    EXPECT_EQ(variants_refusal(varied), std::string(name) + " describes one run; leave it out with --vary");
    EXPECT_EQ(variants_refusal(models), std::string(name) + " describes one run; leave it out with several models");
  }
}

TEST(Variants, of_how_to_measure_are_none) {
  for (const char* name : {"seed", "iter", "time", "warmup-iter", "warmup-time", "no-ops", "fitting",
                           "optimised-model-out", "executed-graph", "top", "range"})
    EXPECT_NE(variants_refusal(options({std::string(name) + "=1,2"})).find("this option cannot vary"),
              std::string::npos)
        << name;
  EXPECT_EQ(variants_refusal(options({"threads=1,2", "threads=3,4"})),
            "--vary threads: given twice; list all values in one");
}

TEST(Variants, have_the_model_and_the_value_of_each) {
  const auto variants = variants_of(options({"threads=3,5"}, {"dir/a.onnx", "b.xml"}));
  ASSERT_EQ(variants.size(), 4u);
  EXPECT_EQ(variants[0].model, "dir/a.onnx");
  EXPECT_EQ(variants[2].model, "b.xml");
  EXPECT_EQ(variants[0].settings.threads, 3);
  EXPECT_EQ(variants[3].settings.threads, 5);
}

TEST(Variants, are_not_more_than_can_be_open_at_once) {
  EXPECT_EQ(variants_of(options({"threads=1,2,3,4,5,6,7,8", "streams=1,2,3,4,5,6,7,8"})).size(), 64u);
  EXPECT_EQ(variants_refusal(options({"threads=1,2,3,4,5", "streams=1,2,3,4,5,6,7,8,9,10,11,12,13"})),
            "--vary: more than 64 variants, and all are open at the same time; list fewer values");
  EXPECT_THROW(variants_of(options({"threads=1,2,3,4,5,6,7,8,9", "streams=1,2,3,4,5,6,7,8"})), UsageError);
}

}  // namespace
}  // namespace takt
