// Sequences of calls over the public classes (include/takt) as no program should make them: short tensors, wrong types,
// executors that are null, times at the ends of their range, functions that throw, batches that are begun in a
// callback, stages that are destroyed while they work, several threads at once.
//
//   random_calls [SEQUENCES [FIRST]]        200 sequences from number 0, unless told otherwise
//
// Every call either does what it says or throws an Error of one sentence that has no option of a command line in it;
// what a sanitizer sees ends the program. A sequence is the same whenever it is made, but for the clock and the order
// of threads: `random_calls 1 N` makes sequence N alone.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <thread>

#include "base/files/temporary_folder.h"
#include "model/onnx/builder.h"
#include "model/runtime/runtime.h"
#include "random_draws.h"
#include "takt/data_parallel.h"
#include "takt/pipeline_profiler.h"
#include "takt/recorder.h"
#include "takt/stage_executor.h"

namespace {

using takt::SharedTensor, takt::StageExecutor, takt::ElementType, takt::DataParallelStage, takt::Draw;

std::atomic<std::int64_t> calls{0}, refusals{0}, mistakes{0};
std::atomic<std::uint64_t> sequence{0};

void report(const char* what, const std::string& text) {
  ++mistakes;
  std::fprintf(stderr, "sequence %llu: %s: '%s'\n", static_cast<unsigned long long>(sequence.load()), what,
               text.c_str());
}

void check_sentence(const std::string& text) {
  if (text.empty()) report("an error says nothing", text);
  if (text.find("--") != std::string::npos) report("an error speaks of a command line", text);
  if (std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }))
    report("an error is no sentence", text);
}

/// Makes a call that may be refused. False: it was.
template <typename Call>
bool attempt(Call call) {
  ++calls;
  try {
    call();
    return true;
  } catch (const takt::Error& error) {
    ++refusals;
    check_sentence(error.what());
  } catch (const std::exception& error) {
    report("an exception that is no takt::Error", error.what());
  } catch (...) {
    report("an exception that is no takt::Error", "unknown");
  }
  return false;
}

/// What every sequence can open.
struct Places {
  std::filesystem::path folder, model, text;
  std::vector<std::string> runtimes;  ///< that compute
};

/// Gives on what it gets, or something else, or fails.
takt::StageFunction random_function(Draw& draw) {
  const auto kind = draw.number(0, 7);
  const auto made = draw.tensors();
  switch (kind) {
    case 0:
      return [](std::int64_t, const auto&) -> std::vector<SharedTensor> { throw std::runtime_error("it is broken"); };
    case 1:
      return [](std::int64_t, const auto&) -> std::vector<SharedTensor> { throw 42; };
    case 2:
    case 3:
      return [made](std::int64_t, const auto&) { return made; };
    case 4:
      return [](std::int64_t batch, const auto& inputs) {
        if (batch % 3 == 0) throw std::out_of_range("a third of them");
        return inputs;
      };
    case 5:
      return [](std::int64_t, const auto& inputs) {
        std::this_thread::sleep_for(std::chrono::microseconds(300));
        return inputs;
      };
    default:
      return [](std::int64_t, const auto& inputs) { return inputs; };
  }
}

std::unique_ptr<StageExecutor> function_stage(Draw& draw) {
  takt::StageFunctionSettings settings{draw.name("stage"), draw.name("CPU"),
                                       draw.small(static_cast<int>(draw.number(1, 3))), draw.one_in(2),
                                       !draw.one_in(5)};
  std::unique_ptr<StageExecutor> stage;
  attempt([&] {
    stage = std::make_unique<StageExecutor>(draw.one_in(20) ? takt::StageFunction() : random_function(draw), settings);
  });
  return stage;
}

std::unique_ptr<StageExecutor> model_stage(Draw& draw, const Places& places) {
  takt::StageExecutorSettings settings;
  settings.device = draw.one_in(8) ? draw.name("NPU9") : "sim:CPU";
  if (!places.runtimes.empty() && draw.one_in(4)) {
    settings.device = "CPU";
    settings.runtime =
        places
            .runtimes[static_cast<std::size_t>(draw.number(0, static_cast<std::int64_t>(places.runtimes.size()) - 1))];
  }
  if (draw.one_in(8)) settings.runtime = draw.of<std::string>({"onnxruntime", "openvino", "sim", "none", "\n"});
  settings.requests = draw.small(1);
  if (draw.one_in(4)) settings.threads = draw.small(1);
  if (draw.one_in(6))
    settings.precision =
        draw.of({ElementType::f32, ElementType::string, ElementType::bf16, static_cast<ElementType>(77)});
  if (draw.one_in(6))
    settings.tuning = {{draw.of<std::string>({"spinning", "nonsense", ""}), draw.of<std::string>({"off", "1"})}};
  settings.inputs = {"x:{3,2}"};
  if (draw.one_in(5))
    settings.inputs = draw.of<std::vector<std::string>>({{"x:{3,"},
                                                         {"y:{1,2}"},
                                                         {""},
                                                         {"x:{-1,2}"},
                                                         {"x:gone.npy"},
                                                         {"x:{9223372036854775807,2}"},
                                                         {"x:[1,2"},
                                                         {";"},
                                                         {"x:{3,2}", "x:{3,2}"}});
  settings.open_shapes = draw.one_in(3);
  settings.keeps_inputs = !draw.one_in(3);
  const auto model =
      draw.one_in(10) ? draw.of({places.folder / "gone.onnx", places.folder, places.text}) : places.model;
  std::unique_ptr<StageExecutor> stage;
  attempt([&] { stage = std::make_unique<StageExecutor>(model, settings); });
  return stage;
}

void drive(Draw& draw, StageExecutor& stage) {
  std::atomic<int> again{static_cast<int>(draw.number(0, 3))};
  const auto kind = draw.number(0, 4);
  if (kind == 1) stage.set_callback([](takt::StageResult) { throw std::runtime_error("the callback is broken"); });
  if (kind == 2) stage.set_callback([](takt::StageResult) { throw 7; });
  if (kind == 3)
    stage.set_callback([](takt::StageResult result) {
      if (result.error) check_sentence(*result.error);
    });
  if (kind == 4)
    stage.set_callback([&](takt::StageResult result) {
      if (again.fetch_sub(1) > 0) attempt([&] { stage.start_async(result.batch); });
    });
  // One that goes on in its callback has to find its request idle.
  for (auto left = kind == 4 ? 1 : draw.number(0, 5); left > 0; --left)
    attempt([&] { stage.start_async(draw.batch(), draw.inputs()); });
  if (draw.one_in(4) && kind != 4) return;  // destroyed as it is
  attempt([&] { stage.wait(); });
  attempt([&] { static_cast<void>(stage.device().size() + stage.inputs().size() + stage.outputs().size()); });
  attempt([&] { stage.wait(); });
}

void run_executor(Draw& draw, const Places& places) {
  const auto stage = draw.one_in(3) ? model_stage(draw, places) : function_stage(draw);
  if (stage) drive(draw, *stage);
}

void use_divided(Draw& draw, DataParallelStage& stage, takt::PipelineProfiler& profiler) {
  for (auto left = draw.number(1, 4); left > 0; --left) {
    attempt([&] {
      auto done = stage.run(draw.batch(), draw.inputs());
      if (draw.one_in(3)) done.begin = draw.time();
      if (draw.one_in(5)) done.partition_time = draw.time();
      if (draw.one_in(5)) done.wake_up = draw.time();
      attempt([&] { profiler.log_execution(draw.name("divided"), done); });
    });
    attempt([&] { stage.partition(draw.inputs()); });
    attempt([&] {
      std::vector<std::vector<SharedTensor>> parts;
      for (auto more = draw.number(0, 3); more > 0; --more) parts.push_back(draw.tensors());
      stage.merge(parts);
    });
    attempt([&] {
      const auto value = draw.tensor();
      stage.merge({{value}, {value}});
    });
    attempt([&] { stage.part(draw.small(0), static_cast<std::size_t>(draw.number(0, 2))).wait(); });
  }
}

void run_divided(Draw& draw, const Places& places) {
  std::unique_ptr<DataParallelStage> stage;
  if (draw.one_in(3)) {
    takt::DataParallelSettings settings;
    settings.devices =
        draw.one_in(6) ? std::vector<std::string>{"sim:CPU"} : std::vector<std::string>{"sim:CPU", "sim:GPU"};
    if (draw.one_in(6)) settings.devices.push_back(draw.name("CPU"));
    if (!places.runtimes.empty() && draw.one_in(5)) settings.devices = {"CPU", "CPU"};
    if (draw.one_in(6)) settings.runtimes = {"sim"};
    if (!draw.one_in(4)) settings.ratio = draw.ratio(2);
    settings.axis = draw.small(0);
    settings.replicas = draw.small(1);
    if (draw.one_in(5)) settings.first = draw.tensors();
    settings.stage.inputs = {"x:{6,2}"};
    attempt([&] { stage = std::make_unique<DataParallelStage>(places.model, settings); });
  } else {
    std::vector<std::unique_ptr<StageExecutor>> executors;
    for (auto left = draw.one_in(6) ? draw.number(0, 5) : 2; left > 0; --left)
      executors.push_back(draw.one_in(12) ? nullptr : function_stage(draw));
    const auto ratio = draw.ratio(2);
    attempt([&] { stage = std::make_unique<DataParallelStage>(std::move(executors), ratio); });
  }
  takt::PipelineProfiler profiler(draw.name("pipeline"));
  if (stage) use_divided(draw, *stage, profiler);
  attempt([&] { profiler.text(); });
}

void log_something(Draw& draw, takt::PipelineProfiler& profiler) {
  takt::ExecutionCounters counters;
  if (draw.one_in(3)) counters.hardware = draw.one_in(2) ? draw.time() : std::chrono::nanoseconds(5);
  if (draw.one_in(6)) counters.bytes_moved = draw.time().count();
  const auto start = draw.time();
  const auto end = draw.one_in(6) ? draw.time() : std::max(start, takt::PipelineProfiler::now());
  const std::string stage = draw.name(draw.of({"decode", "infer"}));
  if (draw.one_in(2)) {
    attempt([&] { profiler.log_event(stage, draw.name("CPU"), draw.batch(), start, end, counters); });
  } else {
    takt::StageResult result;
    result.batch = draw.batch();
    result.submitted = start;
    result.completed = end;
    result.counters = counters;
    if (draw.one_in(4)) result.inputs_copied = {draw.time(), draw.time(), draw.number(-1, 9)};
    if (draw.one_in(4)) result.outputs_copied = {draw.time(), draw.time(), draw.time().count()};
    if (draw.one_in(8)) result.error = "failed";
    attempt([&] { profiler.log_execution(stage, draw.name("CPU"), result); });
  }
  if (draw.one_in(3)) {
    takt::DataParallelResult result;
    result.batch = draw.batch();
    result.begin = start;
    result.partition_time = draw.one_in(4) ? draw.time() : std::chrono::nanoseconds(3);
    result.sync_merge_time = draw.one_in(4) ? draw.time() : std::chrono::nanoseconds(3);
    result.wake_up = draw.one_in(4) ? draw.time() : std::chrono::nanoseconds(1);
    const auto near = std::min(start, std::chrono::nanoseconds::max() - std::chrono::nanoseconds(9));
    for (auto left = draw.number(0, 3); left > 0; --left)
      result.parts.push_back({draw.name("CPU"), draw.one_in(3) ? draw.time() : near + std::chrono::nanoseconds(4),
                              draw.one_in(3) ? draw.time() : near + std::chrono::nanoseconds(9), counters});
    attempt([&] { profiler.log_execution(draw.name("split"), result); });
  }
}

void run_profiler(Draw& draw, const Places& places) {
  takt::PipelineProfiler profiler(draw.name("mine"));
  std::vector<std::thread> threads;
  for (auto left = draw.number(0, 2); left > 0; --left)
    threads.emplace_back([&profiler, mine = Draw(static_cast<std::uint64_t>(draw.number(0, 1 << 30)))]() mutable {
      for (int i = 0; i < 10; ++i) log_something(mine, profiler);
    });
  for (auto left = draw.number(1, 12); left > 0; --left) log_something(draw, profiler);
  attempt([&] { static_cast<void>(profiler.finished() + profiler.unfinished()); });
  for (auto& thread : threads) {
    attempt([&] { profiler.tables(); });
    thread.join();
  }
  attempt([&] { profiler.text(); });
  attempt([&] { profiler.tables(); });
  attempt([&] { profiler.json(); });
  attempt([&] { profiler.table(draw.name("stages"), static_cast<takt::TableFormat>(draw.number(-1, 5))); });
  attempt([&] {
    profiler.export_chrome_trace(places.folder / draw.of({"t.json", "t.json.gz", "no/such/folder/t.json"}));
  });
}

void record_something(Draw& draw, takt::Recorder& recorder, takt::RecorderRow row) {
  static const takt::EventName name("event", "stage", "batch"), odd("\n\xff", "", "");
  static const takt::ArgumentName argument("argument");
  takt::EventArguments more;
  more.add(argument, draw.name("text"));
  more.add(argument, draw.one_in(4) ? std::nan("") : 1.5);
  const auto now = takt::TickClock::now();
  recorder.record(draw.one_in(3) ? odd : name, draw.one_in(9) ? 0 : now,
                  draw.one_in(9) ? std::numeric_limits<std::uint64_t>::max() : now + 9, more, 3, {}, row);
  recorder.count(name, draw.one_in(3) ? std::numeric_limits<double>::infinity() : 2);
  recorder.frame(name);
  takt::Scope scope(recorder, name, 1);
  scope.add(argument, draw.name("text"));
  if (draw.one_in(3)) scope.set_name(draw.name("other"));
}

void run_recorder(Draw& draw, const Places& places) {
  takt::RecorderSettings settings;
  settings.process = draw.name("program");
  settings.events_per_thread = draw.one_in(3) ? draw.of<std::uint32_t>({0, 1, 65}) : 256;
  settings.most_events = draw.one_in(4) ? 3 : 100'000;
  settings.collect_every = std::chrono::milliseconds(draw.of({0, 1, -5, 20}));
  if (draw.one_in(3))
    settings.file = (places.folder / draw.of({"r.takt", "no/such/folder/r.takt", "text.txt"})).string();
  attempt([&] {
    takt::Recorder recorder(settings);
    attempt([&] { recorder.name_thread(draw.name("main")); });
    takt::RecorderRow row{static_cast<std::uint32_t>(draw.one_in(4) ? 123456 : 0)};
    if (draw.one_in(2)) attempt([&] { row = recorder.add_row(draw.name("row")); });
    std::vector<std::thread> threads;
    for (auto left = draw.number(0, 2); left > 0; --left)
      threads.emplace_back(
          [&recorder, row, mine = Draw(static_cast<std::uint64_t>(draw.number(0, 1 << 30)))]() mutable {
            for (int i = 0; i < 40; ++i) record_something(mine, recorder, row);
          });
    for (auto left = draw.number(0, 30); left > 0; --left) record_something(draw, recorder, row);
    attempt([&] { recorder.collect(); });
    attempt([&] { recorder.chrome_json(); });
    for (auto& thread : threads) thread.join();
    attempt([&] {
      recorder.write((places.folder / draw.of({"w.json", "w.pftrace", "w.json.gz", "no/w.json"})).string());
    });
    attempt([&] { static_cast<void>(recorder.recorded() + recorder.dropped() + recorder.file_error().size()); });
  });
}

Places made_places(const takt::TemporaryFolder& folder) {
  takt::ModelBuilder b("doubling");
  const auto x = b.symbolic_input("x", ElementType::f32, "rows,2");
  b.output(b.node("Add", {x, x}, {}, {.name = "twice"}));
  Places places{folder.path(), folder.path() / "doubling.onnx", folder.path() / "text.txt", {}};
  const auto write = [](const std::filesystem::path& path, const std::string& text) {
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (!file || std::fwrite(text.data(), 1, text.size(), file) != text.size() || std::fclose(file) != 0) std::exit(1);
  };
  write(places.model, b.serialize());
  write(places.text, "no model");
  for (const std::string& name : takt::runtime_names())
    if (name != "sim") places.runtimes.push_back(name);
  return places;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t number = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const takt::TemporaryFolder folder("takt-random-calls");
  const Places places = made_places(folder);
  for (sequence = first; sequence < first + number; ++sequence) {
    Draw draw(sequence);
    const auto kind = draw.number(0, 9);
    if (kind < 3)
      run_executor(draw, places);
    else if (kind < 6)
      run_divided(draw, places);
    else if (kind < 9)
      run_profiler(draw, places);
    else
      run_recorder(draw, places);
  }
  std::printf("%llu sequences, %lld calls, %lld refused, %lld mistakes\n", static_cast<unsigned long long>(number),
              static_cast<long long>(calls), static_cast<long long>(refusals), static_cast<long long>(mistakes));
  return mistakes == 0 && calls > 0 ? 0 : 1;
}
