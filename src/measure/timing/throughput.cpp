#include "measure/timing/throughput.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/memory/resident.h"
#include "base/system/affinity.h"
#include "base/system/watched_work.h"

namespace takt {
namespace {

constexpr std::size_t fewest_turns = 10;  // of each request, before time may end the loop

Hint hint_of(const RunSettings& settings) { return settings.hint.value_or(Hint::throughput); }

int cores_of_run(const RunSettings& settings) {
  return settings.cores.empty() ? usable_core_count() : static_cast<int>(settings.cores.size());
}

void refuse_streams(const PreparedModel& model) {
  throw UsageError(fmt::format("--streams: {} has no streams, each request in flight computes; use --requests",
                               model.runtime().name()));
}

/// Each caller of a runtime without streams computes, too, beside the threads that they share: together they should
/// take every processor once.
int threads_beside(int requests, int cores) { return std::max(1, cores - requests + 1); }

SessionSettings settings_for(PreparedModel& model, const RunSettings& settings, int& requests) {
  SessionSettings session = model.session_settings(false);
  session.hint = hint_of(settings);
  session.streams = settings.streams;
  session.requests = settings.requests;
  requests = settings.requests.value_or(0);
  if (model.runtime().traits().has_streams) return session;
  if (settings.streams) refuse_streams(model);
  const int cores = cores_of_run(settings);
  const bool many = session.hint == Hint::throughput;
  if (requests == 0) requests = many ? std::max(1, cores / session.threads.value_or(1)) : 1;
  if (!session.threads && many) session.threads = threads_beside(requests, cores);
  return session;
}

LoopLimit limit_of(const RunSettings& settings, std::size_t requests) {
  LoopLimit limit;
  limit.warmup = static_cast<std::size_t>(settings.warmup_iterations);
  if (settings.warmup_time) limit.warmup_time = std::chrono::duration_cast<Nanoseconds>(*settings.warmup_time);
  if (settings.iterations) limit.most = static_cast<std::size_t>(*settings.iterations);
  if (!settings.iterations) limit.fewest = fewest_turns * requests;
  if (settings.time) limit.fewest = 1;
  if (settings.time || !settings.iterations)
    limit.time = std::chrono::duration_cast<Nanoseconds>(settings.time.value_or(settings.min_time));
  return limit;
}

/// Shows how far it is, by whichever limit comes first.
LoopWatch watch_for(const RunSettings& settings, const LoopLimit& limit, const RunProgress& progress) {
  return [&settings, &limit, &progress](std::size_t counted, Nanoseconds spent) {
    if (progress) {
      double share = 0;
      if (limit.most) share = static_cast<double>(counted) / static_cast<double>(*limit.most);
      if (limit.time) share = std::max(share, Duration(spent) / Duration(*limit.time));
      progress("throughput", static_cast<std::uint64_t>(std::min(share, 1.0) * 1000), 1000);
    }
    return !(settings.stop && *settings.stop);
  };
}

RunPass pass_of(const LoopRecord& record, Nanoseconds wall_began) {
  RunPass pass;
  pass.started = wall_began;
  pass.warmup = record.warmup;
  pass.runs_per_second = record.per_second();
  for (const auto& one : record.counted) {
    pass.starts.push_back(one.started - record.began);
    pass.samples.push_back(one.completed - one.started);
  }
  pass.host_samples = pass.samples;
  return pass;
}

struct ThroughputRow {
  const Throughput* is;
};

constexpr Column<ThroughputRow> throughput_columns[] = {
    {"in_flight", "In flight", [](const ThroughputRow& r) -> Cell { return std::int64_t{r.is->requests}; },
     "Requests of one session that were in flight all the time: --requests, or the number that the runtime "
     "recommends."},
    {"streams", "Streams",
     [](const ThroughputRow& r) { return r.is->streams ? Cell(std::int64_t{*r.is->streams}) : Cell(); },
     "Parts into which the runtime splits the device, each computing one request at a time; empty if the runtime does "
     "not report it."},
    {"compute_threads", "Threads",
     [](const ThroughputRow& r) { return r.is->threads ? Cell(std::int64_t{*r.is->threads}) : Cell(); },
     "Compute threads of all requests together; empty if the runtime does not report it."},
    {"hint", "Hint", [](const ThroughputRow& r) -> Cell { return std::string(hint_name(r.is->hint)); },
     "What the session was opened for: latency, or throughput."},
    {"completed", "Completed",
     [](const ThroughputRow& r) -> Cell { return static_cast<std::int64_t>(r.is->completed); },
     "Requests that completed in the window."},
    {"window_us", "Window", [](const ThroughputRow& r) -> Cell { return Duration(r.is->window); },
     "From the moment at which every request was warm to the last completion; all were in flight all the time."},
    {"completed_per_s", "Per second", [](const ThroughputRow& r) -> Cell { return r.is->per_second; },
     "Requests completed per second: completed / window."},
};

constexpr TableDefinition<ThroughputRow> throughput_definition{
    "throughput",
    "Several requests of one session in flight concurrently (--requests, --streams, --hint throughput): one row. Their "
    "latencies are the times of the summary's plain row.",
    throughput_columns};

}  // namespace

OpenRequests open_requests(PreparedModel& model, const RunSettings& settings) {
  OpenRequests open;
  int requests = 0;
  const SessionSettings asked = settings_for(model, settings, requests);
  const Nanoseconds before = steady_now();
  open.session = model.open(asked);
  open.load_time = steady_now() - before;
  open.session->set_inputs(model.values(open.session->inputs()));
  for (auto& values : model.values_in_turn(open.session->inputs())) {
    auto& shared = open.turns.emplace_back();
    for (auto& value : values) shared.push_back(std::make_shared<const HostTensor>(std::move(value)));
  }
  const auto told = open.session->concurrency();
  if (requests == 0) requests = told ? std::max(1, told->requests) : 1;
  open.shared = {*asked.hint, requests};
  if (told) open.shared.streams = told->streams, open.shared.threads = told->threads;
  if (!told && !model.runtime().traits().has_streams && asked.threads)
    open.shared.threads = requests + *asked.threads - 1;
  if (open.session->keeps_real_time())
    for (int i = 0; i < requests; ++i) open.requests.push_back(open.session->make_request());
  return open;
}

LoopRecord keep_in_flight(const OpenRequests& open, const RunSettings& settings, const LoopLimit& limit,
                          const LoopWatch& watch) {
  begin_step("running it");
  if (!open.session->keeps_real_time()) return run_virtual_loop(*open.session, open.shared.requests, limit, watch);
  LoopFeed feed;
  if (!open.turns.empty())
    feed = [&turns = open.turns](Request& request, std::size_t turn) {
      const auto& values = turns[turn % turns.size()];
      for (std::size_t port = 0; port < values.size(); ++port) request.set_input(port, values[port]);
    };
  return run_closed_loop(open.requests, settings.copy_to_host, limit, watch, feed);
}

RunPass measure_throughput(PreparedModel& model, const RunSettings& settings, const RunProgress& progress) {
  RunResult& result = model.result();
  PassMemory memory;
  memory.before = resident_bytes();
  const ResidentPeak loading;
  const OpenRequests open = open_requests(model, settings);
  memory.loading = loading.bytes();
  const auto limit = limit_of(settings, static_cast<std::size_t>(open.shared.requests));
  const Nanoseconds steady = steady_now(), wall = wall_now();
  const ResidentPeak running;
  const auto record = keep_in_flight(open, settings, limit, watch_for(settings, limit, progress));
  memory.running = running.bytes();
  if (record.counted.empty()) throw Error(ErrorKind::runtime, "stopped before the first measured run");
  RunPass pass = pass_of(record, wall + (record.began - steady));
  if (!open.session->keeps_real_time()) pass.started = wall;
  if (!model.runtime().traits().is_simulated) pass.memory = memory;
  pass.load_time = open.load_time, pass.start_up = open.session->start_up();
  result.throughput = open.shared;
  result.throughput->completed = record.counted.size();
  result.throughput->window = record.window();
  result.throughput->per_second = record.per_second();
  result.device = open.session->device();
  result.inputs = open.session->inputs(), result.outputs = open.session->outputs();
  add_notes(result, open.session->notes());
  result.notes.push_back(fmt::format("times are latencies with {} {} in flight; operators are not timed meanwhile",
                                     open.shared.requests, open.shared.requests == 1 ? "request" : "requests"));
  return pass;
}

Table throughput_table(const Throughput& throughput) {
  const ThroughputRow row{&throughput};
  return throughput_definition.make({&row, 1});
}

TableSchema throughput_schema() { return throughput_definition.schema(); }

}  // namespace takt
