#include "cli/measure/run_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/line/tables.h"

namespace takt {
namespace {

/// One that was left out of this binary is make_runtime's to explain.
std::vector<std::string> known_runtimes() {
  std::vector<std::string> known = runtime_names();
  for (auto& missing : missing_runtime_names()) known.push_back(std::move(missing));
  std::sort(known.begin(), known.end());
  return known;
}

constexpr const char* input_meaning =
    "[NAME:]DATA for an input: a file (.npy, .json, .ppm, .pgm), a folder of such files (used in rotation), values "
    "(1,2,3 or [[1,2],[3,4]]) or a shape to fill ({1,3,224,224}). Repeat the option or separate inputs by ';'. Other "
    "inputs are generated";

void add_inputs(CommandLine& line, RunOptions& o) {
  line.heading("Model and inputs");
  line.add({.names = "MODEL",
            .meaning = "An ONNX (.onnx) or OpenVINO IR (.xml) file; several models are interleaved, as with --vary",
            .required = true},
           &o.models);
  line.add({.names = "--input", .value = "SPEC", .meaning = input_meaning, .names_a_file = true}, &o.inputs);
  line.add({.names = "--batch-size",
            .value = "N",
            .meaning = "First dimension of every input; given values are repeated to fill it",
            .range = NumberRange{1, 10'000'000}},
           &o.run.batch_size);
  line.add({.names = "--seed",
            .value = "N",
            .meaning = "Seed of generated inputs and simulated noise",
            .fallback = std::to_string(o.run.seed)},
           &o.run.seed);
}

void add_varying(CommandLine& line, RunOptions& o) {
  line.heading("Comparing variants");
  line.add({.names = "--vary",
            .value = "OPTION=A,B",
            .meaning = "Measure with each value of an option, interleaved, and report which is significantly fastest: "
                       "threads=1,2,4, runtime=onnxruntime,openvino, 'input=x:{1,16},x:{1,128}', copy-to-host=no,yes. "
                       "Commas in brackets and quotes do not separate values; repeat the option for all combinations"},
           &o.vary);
}

void add_measuring(CommandLine& line, RunOptions& o) {
  line.heading("Measuring");
  line.add({.names = "--iter",
            .value = "N",
            .meaning = "Measured runs",
            .fallback = "as many as fit in 1 s, 10 to 1000",
            .range = NumberRange{1, 10'000'000}},
           &o.run.iterations);
  line.add({.names = "--warmup-iter",
            .value = "N",
            .meaning = "Runs before measuring",
            .fallback = std::to_string(o.run.warmup_iterations),
            .range = NumberRange{0, 10'000'000}},
           &o.run.warmup_iterations);
  line.add({.names = "--time",
            .value = "DURATION",
            .meaning =
                "Measure each pass for this long, e.g. 60s; with --iter, until the first of the two limits is reached"},
           &o.time);
  line.add({.names = "--warmup-time", .value = "DURATION", .meaning = "Warm up for at least this long, e.g. 2s"},
           &o.warmup_time);
  line.add({.names = "--requests",
            .value = "N",
            .meaning = "Keep N requests of one session in flight, asynchronously; they share its weights",
            .fallback = "one run after another; with --hint throughput the number that the runtime recommends",
            .range = NumberRange{1, 4096}},
           &o.run.requests);
  line.add({.names = "--hint",
            .value = "GOAL",
            .meaning = "What the runtime optimises for; throughput keeps several requests in flight",
            .one_of = {"latency", "throughput"}},
           &o.hint);
  line.add({.names = "--streams",
            .value = "N",
            .meaning = "Streams of the device; each computes one request",
            .fallback = "the runtime's choice",
            .range = NumberRange{1, 4096}},
           &o.run.streams);
  line.add({.names = "--instances",
            .older = "--thread",
            .value = "N",
            .meaning = "Run N independent instances of the model concurrently, each in a separate thread",
            .fallback = std::to_string(o.run.instances),
            .range = NumberRange{1, 1024}},
           &o.run.instances);
  line.add(
      {.names = "--keep-state",
       .meaning = "Let each run continue from the state that the one before left in the model's variables, and show "
                  "the time by step"},
      &o.keep_state);
  line.add({.names = "--state-steps",
            .value = "N",
            .meaning = "With --keep-state: reset the state every N runs",
            .fallback = fmt::format("the number of --iter, else {}", usual_state_steps),
            .range = NumberRange{1, 10'000'000}},
           &o.run.state_steps);
  line.add({.names = "--copy-to-host", .meaning = "Include copying the outputs to takt's memory in each run"},
           &o.run.copy_to_host);
  line.add({.names = "--no-ops", .meaning = "Measure whole runs only, without the profiled pass"}, &o.no_ops);
}

void add_runtime(CommandLine& line, RunOptions& o) {
  line.heading("Runtime");
  line.add({.names = "--runtime",
            .value = "NAME",
            .fallback = "onnxruntime for .onnx, openvino for .xml",
            .one_of = known_runtimes()},
           &o.run.runtime);
  line.add({.names = "--device",
            .value = "NAME",
            .meaning = "CPU, GPU, NPU or sim:NAME; 'takt devices' lists what is available",
            .fallback = o.run.device,
            .offered = {"CPU", "GPU", "NPU", "sim:"}},
           &o.run.device);
  line.add({.names = "--threads",
            .value = "N",
            .meaning = "Threads inside an operator",
            .fallback = "the runtime's choice",
            .range = NumberRange{1, 4096}},
           &o.run.threads);
  line.add({.names = "--core-ids",
            .value = "A,B",
            .meaning = "Pin threads to these logical CPUs, e.g. 0,1: one for each thread of each instance"},
           &o.cores);
  line.add({.names = "--fitting",
            .meaning =
                "Autotune: try settings of the runtime (threads, spinning, memory...), then measure with the fastest; "
                "the other runtime and precision at hand are tried too, and reported"},
           &o.run.fit);
  line.add({.names = "--property",
            .value = "KEY=VALUE",
            .meaning = "Set a property of the runtime by its native name; it overrides all other options. Repeat for "
                       "several. OpenVINO: INFERENCE_PRECISION_HINT=f32; onnxruntime: graph_optimization_level=basic, "
                       "or a configuration key such as session.intra_op.allow_spinning=0"},
           &o.properties);
  line.add({.names = "--custom-ops",
            .value = "LIB",
            .meaning = "Load operators of your own from this shared library, which is built for the runtime: one that "
                       "ONNX Runtime registers (RegisterCustomOps), or an extension of OpenVINO. Repeat for several"},
           &o.run.custom_ops);
  line.add(
      {.names = "--precision",
       .value = "TYPE",
       .meaning = "Compute in f32, f16 or bf16 if the runtime supports it; a note reports the precision that was used",
       .fallback = "the device's choice",
       .offered = {"f32", "f16", "bf16"}},
      &o.precision);
  line.add({.names = "--cache-dir",
            .older = "--cache",
            .value = "DIR",
            .meaning = "Store the compiled model in this folder, and load it from there",
            .makes = Makes::folder},
           &o.run.cache);
  line.add(
      {.names = "--optimised-model-out",
       .older = "--optimized-model-out",
       .value = "FILE",
       .meaning = "Write the model as the runtime optimised it: .onnx from onnxruntime, .xml and .bin from openvino",
       .makes = Makes::file},
      &o.run.optimised_model);
  line.add({.names = "--executed-graph",
            .value = "FILE",
            .meaning = "Write the executed graph with its kernels and layouts: .xml from openvino; .onnx from "
                       "onnxruntime (its optimised model)",
            .makes = Makes::unasked_file},
           &o.run.executed_graph);
}

void add_checks(CommandLine& line, RunOptions& o) {
  line.heading("Checking and dumping values");
  line.add({.names = "--range",
            .value = "R",
            .meaning = "Fail unless every floating-point output value v has |v| < R; NaN fails"},
           &o.range);
  line.add({.names = "--check-var-value",
            .value = "I[:S]",
            .meaning =
                "Every I runs, compare the outputs from number S on with those of the first run; fail if they differ"},
           &o.repeat);
  line.add({.names = "--io-dump",
            .value = "FILE",
            .meaning = "Write every tensor of one run as text: origin, first values, statistics",
            .makes = Makes::file},
           &o.io_dump);
  line.add({.names = "--bin-io-dump",
            .value = "DIR",
            .meaning = "Write every tensor of one run to a file of this folder",
            .makes = Makes::folder},
           &o.bin_io_dump);
  line.add({.names = "--bin-out-dump",
            .value = "DIR",
            .meaning = "Write every output of one run to a file of this folder",
            .makes = Makes::folder},
           &o.bin_out_dump);
}

void add_results(CommandLine& line, RunOptions& o) {
  line.heading("Output");
  line.add({.names = "--profile",
            .value = "FILE",
            .meaning = "Write operator times, footprint and samples to this JSON file",
            .makes = Makes::file},
           &o.profile);
  line.add({.names = "--profile-host",
            .value = "FILE",
            .meaning = "Write the same file with host times only",
            .makes = Makes::file},
           &o.profile_host);
  line.add({.names = "--trace",
            .value = "FILE",
            .meaning = "Write a Chrome trace of the profiled runs; opens in ui.perfetto.dev",
            .makes = Makes::file},
           &o.trace);
  line.add({.names = "--run-times",
            .older = "--iterations",
            .value = "FILE",
            .meaning = "Write the time of every measured run to this CSV file",
            .makes = Makes::file},
           &o.iterations);
  line.add({.names = "--top",
            .value = "N",
            .meaning = "Operators to show, slowest first; 0 shows all",
            .fallback = std::to_string(o.top),
            .range = NumberRange{0, 10'000'000}},
           &o.top);
  line.add({.names = "--columns",
            .value = "NAMES",
            .meaning = "Operator columns to show, such as name,mean_us,p99_us,intensity,roofline,peak_share, or all; "
                       "'takt explain' describes them"},
           &o.column_text);
  line.add({.names = "--percentiles",
            .value = "P,P",
            .meaning = "Also show these percentiles of the runs' times, e.g. 50,95,99.9"},
           &o.percentile_text);
  line.add({.names = "--model-info", .meaning = "Also show the model's inputs and outputs"}, &o.model_info);
  line.add({.names = "--verbose", .meaning = "Show every column and debug messages"}, &o.verbose);
  add_output(line, o.output, table_names("run"), {"model-explorer"});
  add_report(line, o.output);
}

}  // namespace

CommandLine declare_run(RunOptions& o) {
  CommandLine line("run", "Loads a model, runs it, and shows where its time goes.",
                   "takt run model.onnx --profile model.profile.json", o.log);
  add_inputs(line, o);
  add_measuring(line, o);
  add_runtime(line, o);
  add_varying(line, o);
  add_checks(line, o);
  add_results(line, o);
  return line;
}

}  // namespace takt
