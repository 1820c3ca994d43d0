// What commands make of the values of their options: on the border of what is taken, and every field of the result.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/basics/error.h"
#include "cli/line/output.h"
#include "cli/machine/load_options.h"
#include "cli/measure/run_options.h"
#include "cli/pipeline/options.h"
#include "cli/plan/options.h"
#include "cli/plan/problem.h"
#include "cli/plan/sweep_options.h"
#include "cli/predict/kernels.h"
#include "cli/predict/predict_options.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

std::string usage_refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(PositiveTime, is_from_a_nanosecond_to_thirty_days) {
  EXPECT_EQ(positive_time("1ns", "--window"), 1ns);
  EXPECT_EQ(positive_time("1.5us", "--window"), 1500ns);
  EXPECT_EQ(positive_time("2592000s", "--window"), Nanoseconds(720h));
  const auto refusal = [](const char* text) { return usage_refusal([&] { positive_time(text, "--window"); }); };
  EXPECT_EQ(refusal("2592000.1s"), "--window: 2592000.1s is out of range; use 1ns to 30 days");
  EXPECT_EQ(refusal("0.9ns"), "--window: 0.9ns is out of range; use 1ns to 30 days");
  EXPECT_EQ(refusal("5"), "--window: '5': not a duration; write a number with its unit, such as 500us, 20ms or 2s");
}

TEST(DurationFor, is_at_least_what_the_command_needs) {
  EXPECT_EQ(duration_for("fit", "--time", "2ms", 2ms), Duration(2000));
  EXPECT_EQ(duration_for("fit", "--time", "1.5s", 2ms), Duration(1.5e6));
  for (const char* text : {"1.999ms", "2", "-1s", ""})
    EXPECT_EQ(
        usage_refusal([&] { duration_for("fit", "--time", text, 2ms); }),
        fmt::format("fit: --time: '{}' is not a duration of at least 2.00 ms; write one with its unit, e.g. 500ms",
                    text));
}

TEST(LoadOptions, change_what_the_configuration_says) {
  const TestFolder folder;
  const auto file = folder.write("load.yaml", "load: {sources: [probe], window: 3s}\n");
  using Names = std::vector<std::string>;
  EXPECT_EQ(settled({}).sources, (Names{"host", "nvml", "probe"}));
  EXPECT_EQ(settled({}).window, 1s);
  EXPECT_EQ(settled({.config = file, .sources = "", .window = ""}).sources, Names{"probe"});
  EXPECT_EQ(settled({.config = file, .sources = "", .window = ""}).window, 3s);
  const auto asked = settled({.config = file, .sources = "probe, host,probe", .window = "200ms"});
  EXPECT_EQ(asked.sources, (Names{"probe", "host"}));
  EXPECT_EQ(asked.window, 200ms);
  EXPECT_EQ(usage_refusal([] { settled({.config = "", .sources = "host,prob", .window = ""}); }),
            "--sources: 'prob' is not a source; did you mean 'probe'?");
  EXPECT_EQ(usage_refusal([] { settled({.config = "", .sources = "x", .window = ""}); }),
            "--sources: 'x' is not a source; use host, nvml, probe, gpu_probe or prometheus");
}

TEST(LoadChoice, without_a_word_of_load_nothing_is_looked_at) {
  EXPECT_FALSE(load_config_for({}, Predictor{}));
  EXPECT_THROW(load_config_for({.load = true, .config = ""}, Predictor{}), Error);
  EXPECT_THROW(load_config_for({.load = false, .config = "none.yaml"}, Predictor{}), Error);
}

TEST(LoadChoice, of_a_predictor_that_knows_loads_is_its_usual_one_or_the_files) {
  const TestFolder folder;
  const auto file = folder.write("load.yaml", "load: {sources: [host]}\n");
  Predictor predictor;
  predictor.load_laws.emplace_back();
  const auto usual = load_config_for({.load = true, .config = ""}, predictor);
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->window, 250ms);
  EXPECT_EQ(usual->sources.size(), 3u);
  const auto of_file = load_config_for({.load = false, .config = file}, predictor);
  ASSERT_TRUE(of_file);
  EXPECT_EQ(of_file->window, 250ms) << "what the file does not say";
  EXPECT_EQ(of_file->sources, std::vector<std::string>{"host"});
}

TEST(Shards, are_numbered_from_one_to_their_number) {
  const auto shard = [](const char* text) {
    const Shard found = shard_in(text, "sweep");
    return std::pair(found.number, found.of);
  };
  EXPECT_EQ(shard(""), std::pair(Shard{}.number, Shard{}.of));
  EXPECT_EQ(shard("1/1"), std::pair(1, 1));
  EXPECT_EQ(shard("2/4"), std::pair(2, 4));
  EXPECT_EQ(shard("10000/10000"), std::pair(10'000, 10'000));
  for (const char* text : {"0/1", "2/1", "1", "1/", "/1", "1/10001", "1/2/3", "a/b", "-1/2"})
    EXPECT_EQ(usage_refusal([&] { shard_in(text, "collect"); }),
              fmt::format("collect: --shard: '{}' is not a shard; write I/N, e.g. 2/4", text));
}

TEST(SweepValues, networks_come_once_in_the_order_of_their_words) {
  EXPECT_EQ(networks_in("gat, Sage,gat"), (std::vector<Network>{Network::gat, Network::sage}));
  EXPECT_EQ(networks_in("gcn"), std::vector<Network>{Network::gcn});
}

TEST(SweepValues, rounds_are_three_where_anything_is_real) {
  SweepCases cases;
  const std::vector<SweepDevice> simulated{{"CPU", "sim:CPU"}, {"GPU", "sim:GPU"}};
  const std::vector<SweepDevice> mixed{{"CPU", "CPU"}, {"GPU", "sim:GPU"}};
  SweepOptions o;
  EXPECT_EQ(rounds_of(o, cases, simulated), 1);
  EXPECT_EQ(rounds_of(o, cases, mixed), 3);
  cases.iterations = 2;
  EXPECT_EQ(rounds_of(o, cases, mixed), 2);
  o.rounds = 2;
  EXPECT_EQ(rounds_of(o, cases, simulated), 2);
  o.rounds = 3;
  EXPECT_EQ(usage_refusal([&] { rounds_of(o, cases, mixed); }), "sweep: --rounds: 3 rounds cannot share 2 iterations");
}

TEST(SweepValues, cases_are_those_of_the_set_with_what_options_say) {
  SweepOptions o;
  EXPECT_EQ(cases_of(o).sizes.size(), 15u);
  EXPECT_EQ(cases_of(o).warmup, 10);
  EXPECT_EQ(cases_of(o).iterations, 50);
  o.cases = "18", o.warmup = 4, o.iterations = 7;
  EXPECT_EQ(cases_of(o).sizes.size(), 18u);
  EXPECT_EQ(cases_of(o).warmup, 4);
  EXPECT_EQ(cases_of(o).iterations, 7);
  const TestFolder folder;
  o.graph.kind = folder.write("edges.csv", "src,dst\n0,1\n1,2\n2,3\n3,0\n0,2\n").string();
  ASSERT_EQ(cases_of(o).sizes.size(), 1u);
  EXPECT_EQ(cases_of(o).sizes[0].nodes, 4);
  EXPECT_EQ(cases_of(o).sizes[0].edges, 5);
}

TEST(SweepValues, a_fallback_is_tried_behind_openvino) {
  const bool is_there = !runtime_that(&RuntimeTraits::uses_ir).empty();
  SweepOptions o;
  EXPECT_EQ(runtimes_for(o), std::vector<std::string>{"openvino"});
  o.fallback = "OnnxRuntime";
  EXPECT_EQ(runtimes_for(o),
            is_there ? (std::vector<std::string>{"openvino", "onnxruntime"}) : std::vector<std::string>{"onnxruntime"});
}

TEST(SweepValues, devices_are_one_of_each_kind) {
  SweepOptions o;
  o.devices = "sim:GPU, CPU=sim:box,NPU=sim:GPU";
  const auto devices = devices_in(o);
  ASSERT_EQ(devices.size(), 3u);
  EXPECT_EQ(devices[0].unit + " " + devices[0].device, "GPU sim:GPU");
  EXPECT_EQ(devices[1].unit + " " + devices[1].device, "CPU sim:box");
  EXPECT_EQ(devices[2].unit + " " + devices[2].device, "NPU sim:GPU");
}

TEST(PlanRules, become_the_settings_of_a_search) {
  const PlanSearchSettings usual = search_settings({}, "plan search");
  EXPECT_EQ(usual.objective, PlanObjective::latency);
  EXPECT_EQ(usual.batches, 16);
  EXPECT_EQ(usual.steps, 1000);
  EXPECT_TRUE(usual.divide && usual.units_once);
  EXPECT_FALSE(usual.most_blocks);
  PlanRuleOptions o;
  o.objective = "Throughput", o.batches = 7, o.blocks = 3, o.share_step = 0.05, o.shared = true;
  PlanSearchSettings asked = search_settings(o, "plan search");
  EXPECT_EQ(asked.objective, PlanObjective::throughput);
  EXPECT_EQ(asked.batches, 7);
  EXPECT_EQ(asked.steps, 20);
  EXPECT_EQ(asked.most_blocks, 3);
  EXPECT_TRUE(asked.divide);
  EXPECT_FALSE(asked.units_once);
  o.whole = true, o.shared = false;
  asked = search_settings(o, "plan search");
  EXPECT_FALSE(asked.divide);
  EXPECT_TRUE(asked.units_once);
  o.share_step = 0.3;
  EXPECT_EQ(usage_refusal([&] { search_settings(o, "plan run"); }),
            "plan run: --share-step: 100% is not a multiple of 30%; use 5% or 0.1%");
}

TEST(PlanProblem, is_of_a_model_unless_it_is_a_folder_or_json) {
  const TestFolder folder;
  const auto is_model = [](const std::filesystem::path& what) {
    PlanProblemOptions o;
    o.what = what;
    return o.is_model();
  };
  EXPECT_TRUE(is_model("a.onnx"));
  EXPECT_FALSE(is_model("raw.json"));
  EXPECT_FALSE(is_model(folder.path()));
}

TEST(PipelineValues, a_timeout_is_from_a_microsecond_to_a_day) {
  PipelineOptions o;
  o.simulate = "";
  EXPECT_EQ(spec_of(o).timeout, 60s);
  o.timeout = "1us";
  EXPECT_EQ(spec_of(o).timeout, 1us);
  o.timeout = "86400s";
  EXPECT_EQ(spec_of(o).timeout, 24h);
  for (const char* text : {"0.99us", "86400.1s"}) {
    o.timeout = text;
    EXPECT_EQ(usage_refusal([&] { spec_of(o); }), "--timeout: give a time from 1us to 86400s, e.g. 30s");
  }
}

TEST(PipelineValues, options_stand_for_what_the_file_says) {
  const TestFolder folder;
  PipelineOptions o;
  o.file = folder.write("p.yaml",
                        "duration: 5s\nseed: 4\ntimeout: 7s\n"
                        "stages:\n  - {name: load, dummy: {time: 1ms}, device: sim:CPU}\n"
                        "  - {name: infer, dummy: {time: 2ms}, device: sim:GPU}\n");
  PipelineSpec spec = spec_of(o);
  EXPECT_EQ(spec.duration, Nanoseconds(5s));
  EXPECT_FALSE(spec.batches);
  EXPECT_EQ(spec.seed, 4u);
  EXPECT_EQ(spec.timeout, 7s);
  o.batches = 12, o.seed = 9;
  spec = spec_of(o);
  EXPECT_EQ(spec.batches, 12);
  EXPECT_FALSE(spec.duration);
  EXPECT_EQ(spec.seed, 9u);
}

TEST(PipelineValues, simulate_takes_a_clock_or_the_file) {
  const auto settled_of = [](std::optional<std::string> word) {
    PipelineOptions o;
    o.simulate = std::move(word);
    settle(o);
    return o;
  };
  EXPECT_EQ(settled_of(std::nullopt).clock, PipelineClock::as_described);
  EXPECT_EQ(settled_of("").clock, PipelineClock::virtual_time);
  EXPECT_EQ(settled_of("virtual").clock, PipelineClock::virtual_time);
  EXPECT_EQ(settled_of("real").clock, PipelineClock::real_time);
  for (const char* file : {"p.yaml", "p.yml"}) {
    EXPECT_EQ(settled_of(file).clock, PipelineClock::virtual_time);
    EXPECT_EQ(settled_of(file).file, file);
  }
  EXPECT_EQ(usage_refusal([&] { settled_of("rael"); }), "--simulate 'rael': did you mean 'real'?");
  EXPECT_EQ(usage_refusal([&] { settled_of("x"); }), "--simulate 'x': write virtual or real");
  PipelineOptions two;
  two.file = "a.yaml", two.simulate = "b.yml";
  EXPECT_EQ(usage_refusal([&] { settle(two); }), "'a.yaml' and 'b.yml': one pipeline at a time");
  EXPECT_EQ(usage_refusal([] { spec_of({}); }),
            "name a pipeline file, or simulate the built-in pipeline with --simulate");
}

TEST(PipelineValues, what_is_simulated_has_no_real_device) {
  const TestFolder folder;
  PipelineOptions o;
  o.file = folder.write("p.yaml", "stages: [{name: a, dummy: {time: 1ms}, device: CPU}]\n");
  EXPECT_EQ(spec_of(o).stages[0].device, "CPU");
  o.simulate = "";
  EXPECT_EQ(spec_of(o).stages[0].device, "sim:CPU");
}

RunOptions validated(const std::function<void(RunOptions&)>& change) {
  RunOptions o;
  change(o);
  validate(o);
  return o;
}

std::string run_refusal(const std::function<void(RunOptions&)>& change) {
  return usage_refusal([&] { validated(change); });
}

TEST(RunValues, are_read_from_their_texts) {
  const RunOptions o = validated([](RunOptions& all) {
    all.inputs = {"a:{1,2};b:{3}", "c:{4}"};
    all.cores = "3, 1,2,0", all.run.instances = 2, all.run.threads = 2;
    all.range = "0.25", all.repeat = "10:3", all.precision = "bf16";
    all.time = "2s", all.warmup_time = "3ms", all.hint = "Latency";
    all.properties = {" A = 1 ", "B=x=y"};
    all.percentile_text = "0, 50,100";
  });
  ASSERT_EQ(o.run.inputs.size(), 3u);
  EXPECT_EQ(o.run.inputs[0].name + o.run.inputs[1].name + o.run.inputs[2].name, "abc");
  EXPECT_EQ(o.run.cores, (std::vector<int>{3, 1, 2, 0}));
  EXPECT_EQ(o.run.range, 0.25);
  ASSERT_TRUE(o.run.repeat_check);
  EXPECT_EQ(o.run.repeat_check->every, 10u);
  EXPECT_EQ(o.run.repeat_check->first_output, 3u);
  EXPECT_EQ(o.run.precision, ElementType::bf16);
  EXPECT_EQ(o.run.time, Duration(2e6));
  EXPECT_EQ(o.run.warmup_time, Duration(3000));
  EXPECT_EQ(o.run.hint, Hint::latency);
  EXPECT_EQ(o.run.properties, (Properties{{"A", "1"}, {"B", "x=y"}}));
  EXPECT_EQ(o.percentiles, (std::vector<double>{0, 50, 100}));
  EXPECT_FALSE(o.run.keep_tensors);
}

TEST(RunValues, that_are_not_given_stay_open) {
  const RunOptions o = validated([](RunOptions&) {});
  EXPECT_TRUE(o.run.inputs.empty() && o.run.cores.empty() && o.run.properties.empty() && o.percentiles.empty());
  EXPECT_FALSE(o.run.range || o.run.repeat_check || o.run.precision || o.run.time || o.run.warmup_time || o.run.hint);
}

TEST(RunValues, of_a_check_may_leave_its_first_output_out) {
  const RunOptions o = validated([](RunOptions& all) { all.repeat = "1"; });
  ASSERT_TRUE(o.run.repeat_check);
  EXPECT_EQ(o.run.repeat_check->every, 1u);
  EXPECT_EQ(o.run.repeat_check->first_output, 0u);
  for (const char* text : {"0:1", "1:", "1:x", ":1", "x"})
    EXPECT_EQ(run_refusal([&](RunOptions& all) { all.repeat = text; }),
              fmt::format("--check-var-value '{}': write I or I:S, e.g. 10 or 10:1", text));
  for (const char* text : {"0", "nan", "x"})
    EXPECT_EQ(run_refusal([&](RunOptions& all) { all.range = text; }),
              fmt::format("--range '{}': write a number above 0", text));
}

TEST(RunValues, of_cores_are_one_for_each_thread_of_each_instance) {
  const auto refusal = [](const char* cores, int instances, std::optional<int> threads) {
    return run_refusal(
        [&](RunOptions& all) { all.cores = cores, all.run.instances = instances, all.run.threads = threads; });
  };
  EXPECT_EQ(refusal("0", 1, {}), "accepted");
  EXPECT_EQ(refusal("0,1,2,3", 2, {}), "accepted");
  EXPECT_EQ(refusal("0,1,2,3,4,5", 2, 3), "accepted");
  EXPECT_EQ(refusal("0,1,2", 2, {}), "--core-ids lists 3 cores for 2 instances; each needs the same number");
  EXPECT_EQ(refusal("0,1,2,3,4", 2, 3), "--core-ids lists 5 cores for 2 x 3 threads (--instances x --threads); list 6");
  EXPECT_EQ(refusal("0,-1", 1, {}), "--core-ids '0,-1': '-1' is not a core; write numbers, e.g. 0,1");
  EXPECT_EQ(refusal("2,0,2", 1, {}), "--core-ids '2,0,2': core 2 is listed twice");
}

TEST(RunValues, that_dump_tensors_keep_them) {
  EXPECT_TRUE(validated([](RunOptions& o) { o.io_dump = "a"; }).run.keep_tensors);
  EXPECT_TRUE(validated([](RunOptions& o) { o.bin_io_dump = "a"; }).run.keep_tensors);
  EXPECT_TRUE(validated([](RunOptions& o) { o.bin_out_dump = "a"; }).run.keep_tensors);
}

TEST(RunValues, that_write_operators_need_the_profiled_pass) {
  const std::string refused =
      "--no-ops leaves out what --profile, --profile-host and --trace write; drop one of the two";
  EXPECT_EQ(run_refusal([](RunOptions& o) { o.no_ops = true, o.profile = "a"; }), refused);
  EXPECT_EQ(run_refusal([](RunOptions& o) { o.no_ops = true, o.profile_host = "a"; }), refused);
  EXPECT_EQ(run_refusal([](RunOptions& o) { o.no_ops = true, o.trace = "a"; }), refused);
  EXPECT_EQ(run_refusal([](RunOptions& o) { o.profile = "a", o.profile_host = "b", o.trace = "c"; }), "accepted");
  EXPECT_EQ(run_refusal([](RunOptions& o) { o.no_ops = true, o.column_text = "name"; }),
            "--no-ops leaves out the operators that --columns chooses from");
  EXPECT_EQ(run_refusal([](RunOptions& o) { o.no_ops = true; }), "accepted");
  EXPECT_EQ(validated([](RunOptions& o) { o.column_text = "name,mean_us"; }).columns,
            (std::vector<std::string>{"name", "mean_us"}));
}

TEST(RunValues, of_one_run_after_another_do_not_go_with_requests) {
  const std::string end = "; leave it out with --requests, --streams and --hint throughput";
  const std::function<void(RunOptions&)> several[] = {[](RunOptions& o) { o.run.requests = 1; },
                                                      [](RunOptions& o) { o.run.streams = 1; },
                                                      [](RunOptions& o) { o.hint = "throughput"; }};
  for (const auto& ask : several) {
    const auto refusal = [&](const std::function<void(RunOptions&)>& also) {
      return run_refusal([&](RunOptions& o) { ask(o), also(o); });
    };
    EXPECT_EQ(refusal([](RunOptions& o) { o.run.instances = 1; }), "accepted");
    EXPECT_EQ(refusal([](RunOptions& o) { o.run.instances = 2; }),
              "--instances runs independent copies of the model, not requests of one" + end);
    EXPECT_EQ(refusal([](RunOptions& o) { o.run.fit = true; }), "--fitting compares runs one after another" + end);
    EXPECT_EQ(refusal([](RunOptions& o) { o.range = "1"; }),
              "--range checks the outputs of one run after another" + end);
    EXPECT_EQ(refusal([](RunOptions& o) { o.repeat = "1"; }),
              "--check-var-value checks the outputs of one run after another" + end);
  }
  EXPECT_EQ(run_refusal([](RunOptions& o) {
              o.hint = "latency", o.run.instances = 2, o.run.fit = true, o.range = "1", o.repeat = "1";
            }),
            "accepted");
}

TEST(PrintedTables, of_csv_is_one_and_of_a_text_none) {
  using Names = std::vector<std::string>;
  const Names names{"first", "second", "third"};
  OutputOptions o;
  EXPECT_EQ(printed_tables(o, names), Names{});
  o.format = "csv";
  EXPECT_EQ(printed_tables(o, names), Names{"first"});
  o.table = "third";
  EXPECT_EQ(printed_tables(o, names), Names{"third"});
  for (const char* format : {"json", "markdown"}) {
    o.format = format;
    EXPECT_EQ(printed_tables(o, names), names) << format;
  }
  o.format = "of the command's own";
  EXPECT_EQ(printed_tables(o, names), Names{});
}

TEST(PrintedTables, are_written_to_the_file_as_the_format_wants) {
  const TestFolder folder;
  Table a{"a", {{"x", "X", ""}}, {}}, b{"b", {{"y", "Y", ""}}, {}};
  a.rows = {{Cell(std::int64_t{1})}, {Cell(std::int64_t{2})}}, b.rows = {{Cell(std::int64_t{3})}};
  const std::vector<Table> tables{a, b};
  const auto written = [&](const std::string& format, const std::string& table) {
    OutputOptions o;
    o.format = format, o.table = table, o.file = folder / "out";
    print(o, tables, Provenance{}, "a text\n");
    return read_file(folder / "out");
  };
  EXPECT_EQ(written("table", ""), "a text\n");
  EXPECT_EQ(written("model-explorer", ""), "a text\n");
  EXPECT_EQ(written("csv", ""), "x\n1\n2\n");
  EXPECT_EQ(written("csv", "b"), "y\n3\n");
  EXPECT_EQ(written("markdown", ""), "a\n\n| X |\n|---|\n| 1 |\n| 2 |\n\nb\n\n| Y |\n|---|\n| 3 |\n\n");
}

TEST(PrintedTables, are_text_for_people_on_the_screen_alone) {
  OutputOptions o;
  EXPECT_TRUE(o.is_text_on_screen());
  o.file = "a";
  EXPECT_FALSE(o.is_text_on_screen());
  o.file = "", o.format = "csv";
  EXPECT_FALSE(o.is_text_on_screen());
}

TEST(KernelFolders, are_where_the_help_says) {
  EXPECT_EQ(records_folder("p"), "p/ort_analysis/ort_kernel_record");
  EXPECT_EQ(dags_folder("p"), "p/graph_model/model_DAG");
  EXPECT_EQ(kernels_folder("p"), "p/kernel_model/kernel_onnx");
}

TEST(KernelSources, are_the_models_of_folders_by_name) {
  const TestFolder folder;
  folder.write("zoo/b.onnx", "x");
  folder.write("zoo/a.onnx", "x");
  folder.write("zoo/c.txt", "x");
  folder.write("zoo/inner.onnx/d.onnx", "x");
  folder.write("none/c.txt", "x");
  KernelOptions o;
  o.paths = {folder / "z.onnx", folder / "zoo", folder / "a.json"};
  EXPECT_EQ(kernel_sources(o), (std::vector<std::filesystem::path>{folder / "z.onnx", folder / "zoo/a.onnx",
                                                                   folder / "zoo/b.onnx", folder / "a.json"}));
  o.paths = {folder / "none"};
  try {
    kernel_sources(o);
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), (folder / "none").string() + ": contains no .onnx file; name a folder with models");
  }
}

}  // namespace
}  // namespace takt
