#include "measure/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/memory/free_memory.h"
#include "base/memory/resident.h"
#include "base/system/affinity.h"
#include "base/system/log.h"
#include "base/system/watched_work.h"
#include "measure/open/prepared_model.h"
#include "measure/open/subnormal_note.h"
#include "measure/operators/computed_notes.h"
#include "measure/operators/stretches.h"
#include "measure/timing/instances.h"
#include "measure/timing/measure.h"
#include "measure/timing/throughput.h"
#include "model/graph/footprint.h"

namespace takt {
namespace {

void give_inputs(PreparedModel& model, Session& session) {
  RunResult& result = model.result();
  result.device = session.device();
  result.inputs = session.inputs();
  result.outputs = session.outputs();
  session.set_inputs(model.values(result.inputs));
}

void log_sizes(const RunResult& result) {
  for (std::size_t i = 0; i < result.input_values.size(); ++i)
    log_debug(fmt::format("input {} {} {}, {}", printable(result.input_values[i].name),
                          to_string(result.input_values[i].shape), type_name(result.input_values[i].type),
                          result.input_origins.at(i)));
  for (const auto& note : result.notes) log_debug(fmt::format("note: {}", printable(note)));
}

bool is_asked_to_stop(const RunSettings& settings) { return settings.stop && *settings.stop; }

// Below, two copies of the weights are too little for a second loading.
constexpr std::int64_t heavy_weights = 32 << 20;

/// nullopt: not all of them are tensors.
std::optional<std::vector<HostTensor>> results_of(Session& session) try {
  return session.outputs_of_last_run();
} catch (const Error&) {
  return std::nullopt;
}

bool are_same(const std::vector<HostTensor>& one, const std::vector<HostTensor>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const HostTensor& a, const HostTensor& b) {
    return a.name == b.name && a.type == b.type && a.shape == b.shape && a.bytes == b.bytes && a.strings == b.strings;
  });
}

/// nullopt also where sharing fails: sessions of their own say better what is wrong.
std::optional<SessionPair> try_pair(PreparedModel& model) {
  const FreedMemoryGivenBack freed;
  const RunResult& result = model.result();
  try {
    return model.runtime().open_pair(result.model, result.graph ? &*result.graph : nullptr,
                                     model.session_settings(false));
  } catch (const Error& error) {
    log_debug(fmt::format("no weights are shared: {}", error.what()));
    return std::nullopt;
  }
}

/// False: it was asked to stop before the session ran.
bool open_again(PreparedModel& model, std::unique_ptr<Session> session, std::unique_ptr<Session>& plain,
                Measurement& measurement) {
  plain = session ? std::move(session) : model.open(false);
  plain->set_inputs(model.values(plain->inputs()));
  return measurement.go_on_with(*plain);
}

/// Instead of `plain`, whose load time and memory are known by now and which is closed, two sessions that read their
/// weights from one file; `plain` is the one without operator times. nullopt, and `plain` opened again as it was: the
/// runtime cannot share weights, or the results are not those of before, as of models that draw random numbers.
std::optional<SessionPair> reopen_as_pair(PreparedModel& model, std::unique_ptr<Session>& plain,
                                          Measurement& measurement) {
  const auto outputs = results_of(*plain);
  if (!outputs) return std::nullopt;
  plain.reset();
  give_back_free_memory();
  auto pair = try_pair(model);
  const bool ran = open_again(model, pair ? std::move(pair->plain) : nullptr, plain, measurement);
  if (!pair || !ran || are_same(*outputs, plain->outputs_of_last_run())) return pair;
  pair.reset(), plain.reset();
  open_again(model, nullptr, plain, measurement);
  return std::nullopt;
}

/// The plain session must have run, so that its results can be compared.
bool is_worth_a_pair(PreparedModel& model, const RunSettings& settings) {
  const RunResult& result = model.result();
  const auto weights = result.graph ? weight_bytes(*result.graph) : std::nullopt;
  return weights && *weights >= heavy_weights && settings.warmup_iterations > 0 &&
         model.runtime().shares_weights(model.session_settings(false));
}

/// What was kept, for how long.
void note_steps(Session& session, int steps, RunResult& result) {
  if (session.reset_state())
    result.state_steps = steps;
  else
    add_notes(result, {"--keep-state changes nothing: the model keeps nothing from run to run"});
}

void measure_passes(PreparedModel& model, const RunSettings& settings, RunPasses passes, const RunProgress& progress) {
  RunResult& result = model.result();
  UsageReader reader;
  result.cpu_limit = cpu_limit();
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<Measurement> measurements;
  std::vector<std::vector<HostTensor>> turns;
  std::unique_ptr<ResidentPeak> running;
  for (bool profiled : {false, true}) {
    if (passes == (profiled ? RunPasses::plain : RunPasses::profiled)) continue;
    if (running) measurements.back().note_memory(running->bytes());
    RunPass pass;
    pass.profiled = profiled;
    const auto resident = resident_bytes();
    const ResidentPeak loading;
    std::optional<SessionPair> pair;
    if (!sessions.empty() && is_worth_a_pair(model, settings) && !is_asked_to_stop(settings))
      pair = reopen_as_pair(model, sessions.front(), measurements.front());
    Nanoseconds before = steady_now();
    sessions.push_back(pair ? std::move(pair->profiled) : model.open(profiled));
    pass.load_time = pair ? pair->profiled_load : steady_now() - before;
    pass.start_up = sessions.back()->start_up();
    if (!model.runtime().traits().is_simulated) pass.memory = {resident, loading.bytes(), {}};
    give_inputs(model, *sessions.back());
    UsageReader* usage = sessions.back()->keeps_real_time() ? &reader : nullptr;
    measurements.emplace_back(*sessions.back(), settings, usage, std::move(pass));
    if (turns.empty()) turns = model.values_in_turn(result.inputs);
    if (!turns.empty()) measurements.back().take_turns(turns, !result.turns.empty());
    if (!model.runtime().traits().is_simulated) running = std::make_unique<ResidentPeak>();
    measurements.back().warm_up();  // before another session's memory is beside its own
  }
  log_sizes(result);
  measure(measurements, progress, settings.between_blocks);
  if (running) measurements.back().note_memory(running->bytes());
  const bool any = std::any_of(measurements.begin(), measurements.end(), [](auto& m) { return m.runs_done() > 0; });
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    if (any && measurements[i].runs_done() == 0) continue;  // stopped before this pass had its turn
    RunPass pass = measurements[i].finish();
    log_debug(fmt::format("measured {} {} runs, loaded in {}", pass.samples.size(),
                          pass.profiled ? "profiled" : "plain", format_duration(Duration(pass.load_time))));
    (pass.profiled ? result.profiled : result.plain) = std::move(pass);
    add_notes(result, sessions[i]->notes());
    if (settings.state_steps) note_steps(*sessions[i], *settings.state_steps, result);
    if (const auto note = sessions[i]->clock_note(); !note.empty()) result.clock_note = note;
    if (const auto precision = sessions[i]->precision()) result.precision = precision;
  }
  if (settings.stretches && passes == RunPasses::both && result.plain && result.profiled && !settings.copy_to_host &&
      result.turns.empty() && !settings.state_steps && !is_asked_to_stop(settings))
    result.stretches = measure_stretches(*sessions.back(), result, settings.min_time);
}

void say_what_is_pinned(const RunSettings& settings, PreparedModel& model) {
  RunResult& result = model.result();
  if (settings.instances > 1 && model.runtime().traits().shares_threads) {
    result.notes.push_back(fmt::format("all instances are pinned to cores {} together: {} shares its threads",
                                       fmt::join(settings.cores, ", "), result.runtime));
    return;
  }
  for (int i = 0; i < settings.instances; ++i)
    result.notes.push_back(settings.instances == 1 ? fmt::format("pinned to cores {}", fmt::join(settings.cores, ", "))
                                                   : fmt::format("instance {} is pinned to cores {}", i,
                                                                 fmt::join(cores_of(settings, i), ", ")));
}

/// Opens what --fitting tries; the sessions must be closed before it goes.
class FittingSessions {
 public:
  FittingSessions(PreparedModel& model, const RunSettings& settings) : model_(model), settings_(settings) {}

  std::vector<Candidate> candidates() const {
    const auto cores = settings_.cores.empty() ? usable_core_count() : static_cast<int>(settings_.cores.size());
    auto list = candidates_for(model_.runtime(), cores, settings_.threads);
    if (model_.runtime().traits().is_simulated) return list;
    if (!settings_.precision)
      for (const ElementType precision : model_.runtime().traits().precisions)
        list.push_back({settings_.threads, {}, "", precision});
    for (const std::string& name : runtimes_reading(model_.result().model))
      if (name != model_.result().runtime) list.push_back({settings_.threads, {}, name, std::nullopt});
    return list;
  }

  /// nullptr: a precision that the device does not have, so that it computes as without it.
  std::unique_ptr<Session> open(const Candidate& candidate) {
    PreparedModel& model = candidate.runtime.empty() ? model_ : in(candidate.runtime);
    auto settings = model.session_settings(false);
    settings.threads = candidate.threads, settings.tuning = candidate.tuning;
    if (candidate.precision) settings.precision = candidate.precision;
    settings.optimised_model.clear(), settings.executed_graph.clear();
    auto session = model.open(settings);
    if (!candidate.is_another_program()) usual_ = session->precision();
    if (candidate.precision && session->precision() == usual_) return nullptr;
    session->set_inputs(model.values(session->inputs()));
    return session;
  }

 private:
  PreparedModel& in(const std::string& runtime) {
    auto& model = others_[runtime];
    if (!model) {
      RunSettings settings = settings_;
      settings.runtime = runtime, settings.properties.clear(), settings.custom_ops.clear();
      model = std::make_unique<PreparedModel>(model_.result().model, settings);
    }
    return *model;
  }

  PreparedModel& model_;
  const RunSettings& settings_;
  std::map<std::string, std::unique_ptr<PreparedModel>> others_;
  std::optional<ElementType> usual_;
};

void fit_settings(PreparedModel& model, RunSettings& settings) {
  Runtime& runtime = model.runtime();
  FittingSessions sessions(model, settings);
  auto result = fit(sessions.candidates(), [&](const Candidate& candidate) { return sessions.open(candidate); });
  for (auto& row : result.rows) row.properties = runtime.properties_of(row.candidate.threads, row.candidate.tuning);
  for (const std::string& one : result.not_tried) add_notes(model.result(), {"--fitting did not try " + one});
  const auto& best = result.rows[result.best].candidate;
  settings.threads = best.threads;
  settings.tuning = best.tuning;
  model.result().fit = result;
}

/// Several instances, or several requests of one; operators are measured without the others.
void measure_several(PreparedModel& model, const RunSettings& settings, RunPasses passes, const RunProgress& progress) {
  if (passes != RunPasses::profiled)
    model.result().plain = settings.measures_throughput() ? measure_throughput(model, settings, progress)
                                                          : measure_instances(model, settings, progress);
  if (passes != RunPasses::plain && !is_asked_to_stop(settings))
    measure_passes(model, settings, RunPasses::profiled, progress);
}

/// Sequences and maps are no tensors.
void note_left_out(const std::vector<Port>& ports, const std::vector<HostTensor>& tensors, RunResult& result) {
  std::vector<std::string> names;
  for (const Port& port : ports)
    if (std::none_of(tensors.begin(), tensors.end(), [&](auto& tensor) { return tensor.name == port.name; }))
      names.push_back(printable(port.name));
  if (names.empty()) return;
  constexpr std::size_t shown = 4;
  const std::string rest = names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "";
  names.resize(std::min(names.size(), shown));
  result.notes.push_back(fmt::format("not dumped, as they are not tensors: {}{}", fmt::join(names, ", "), rest));
}

/// One more run in a session that shows every tensor; a model that cannot be opened so still gives inputs and outputs.
void keep_tensors(PreparedModel& model) {
  RunResult& result = model.result();
  auto settings = model.session_settings(false);
  settings.only_tensors = true;
  std::vector<HostTensor> inner, outputs;
  for (const bool all : {true, false}) {
    settings.all_tensors = all;
    try {
      auto session = model.open(settings);
      session->set_inputs(model.values(session->inputs()));
      session->run();
      (all ? inner : outputs) = session->outputs_of_last_run();
      if (all || inner.empty()) note_left_out(session->outputs(), all ? inner : outputs, result);
    } catch (const Error& error) {
      if (!all) throw;
      result.notes.push_back(fmt::format("only inputs and outputs are dumped: {}", error.what()));
    }
  }
  result.tensors = result.input_values;
  const auto is_output = [&](const HostTensor& tensor) {
    return std::any_of(outputs.begin(), outputs.end(), [&](auto& output) { return output.name == tensor.name; });
  };
  for (auto& tensor : inner)
    if (!is_output(tensor)) result.tensors.push_back(std::move(tensor));
  result.first_output = result.tensors.size();
  for (auto& tensor : outputs) result.tensors.push_back(std::move(tensor));
}

}  // namespace

RunResult run_model(const std::filesystem::path& model, const RunSettings& settings, RunPasses passes,
                    const RunProgress& progress) {
  const StepPrefix prefix(printable(model.filename().string()) + ", ");
  RunSettings chosen = settings;
  chosen.virtual_clock = chosen.instances == 1;              // of a simulated device, beside which nothing runs then
  if (!chosen.cores.empty()) pin_this_thread(chosen.cores);  // threads that a runtime makes inherit it
  if (!chosen.cores.empty() && !chosen.threads && !chosen.measures_throughput())
    chosen.threads = static_cast<int>(chosen.cores.size()) / chosen.instances;
  PreparedModel prepared(model, chosen);
  RunResult& result = prepared.result();
  if (!chosen.cores.empty()) say_what_is_pinned(chosen, prepared);
  if (chosen.hint && !prepared.runtime().traits().has_streams)
    result.notes.push_back(fmt::format("{} has no such setting: --hint {} changes threads and requests only",
                                       result.runtime, hint_name(*chosen.hint)));
  try {
    if (chosen.fit) fit_settings(prepared, chosen);
    if (chosen.instances == 1 && !chosen.measures_throughput())
      measure_passes(prepared, chosen, passes, progress);
    else
      measure_several(prepared, chosen, passes, progress);
  } catch (const Error& error) {
    throw prepared.explained(error);
  }
  result.content = content_of(model, result.graph ? &*result.graph : nullptr);
  chosen.optimised_model.clear();  // written by now
  if (chosen.instances > 1 && result.profiled)
    result.notes.push_back("operator times are of one instance running alone");
  if (result.throughput && result.profiled)
    result.notes.push_back("operator times are of one request running alone, in a separate session");
  if (chosen.copy_to_host && result.profiled)
    result.notes.push_back("the time to copy the outputs is in [unattributed]");
  if (const auto& pass = result.plain ? result.plain : result.profiled; pass && pass->memory.before)
    result.process_peak = most_resident_bytes();
  result.stopped = is_asked_to_stop(chosen);
  if (result.profiled && !result.stopped) prepared.learn_executed_shapes();
  add_notes(result, computed_notes(result));
  add_notes(result, subnormal_note(result, chosen));
  if (result.stopped)
    result.notes.push_back("stopped early; the numbers describe the completed runs only");
  else if (chosen.keep_tensors)
    keep_tensors(prepared);
  return std::move(result);
}

}  // namespace takt
