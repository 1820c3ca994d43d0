#include "measure/timing/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <numeric>
#include <thread>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "base/memory/resident.h"
#include "base/system/watched_work.h"

namespace takt {
namespace {

constexpr int fewest_iterations = 10, most_iterations = 1000;
constexpr int most_profiled_runs = 2000;     // in a given time: the operators of every run are kept
constexpr std::size_t blocks_per_pass = 20;  // enough pairs for an interval, few enough turns to lose time on

// Worker threads of another session spin on for about half a millisecond after its last run.
constexpr Nanoseconds rest{500'000};
constexpr int most_rests = 400;  // on an overloaded machine they wait long for the processor they need to stop
constexpr Nanoseconds noticeable_run{10'000'000}, settled_after{2'000'000};
constexpr int most_settling_runs = 500;
constexpr int readings_apart = 50;  // a reading may take 2 % of the time between readings
// Where this thread has to share a processor, a reading is also where the system notices that it has had its turn. Some
// turns long (1 to 4 ms), so that it waits within runs, as a program that nobody observes does.
constexpr Nanoseconds apart_beside_others{20'000'000};

std::string phase_of(std::span<Measurement> passes, bool profiled) {
  return passes.size() > 1 ? "plain and profiled" : profiled ? "profiled" : "plain";
}

std::span<const Nanoseconds> block_of(const RunPass& pass, std::size_t block) {
  TAKT_CHECK(block < pass.block_starts.size());
  std::size_t end = block + 1 < pass.block_starts.size() ? pass.block_starts[block + 1] : pass.samples.size();
  return std::span(pass.samples).subspan(pass.block_starts[block], end - pass.block_starts[block]);
}

}  // namespace

void wait_until_others_sleep(UsageReader& reader) {
  for (int i = 0; i < most_rests && !reader.others_sleep(); ++i) std::this_thread::sleep_for(rest);
}

Measurement::Measurement(Session& session, const RunSettings& settings, UsageReader* reader, RunPass pass)
    : session_(&session),
      settings_(settings),
      reader_(reader),
      pass_(std::move(pass)),
      checks_(settings.range, settings.repeat_check) {}

/// A session that was cancelled when it was asked to stop fails: nullopt, that was no run.
std::optional<Nanoseconds> Measurement::run_uncounted() try {
  if (settings_.state_steps && steps_done_ >= *settings_.state_steps) reset_state();
  ++steps_done_;
  return session_->run();
} catch (const Error&) {
  if (!is_asked_to_stop()) throw;
  return std::nullopt;
}

void Measurement::reset_state() {
  session_->reset_state();
  steps_done_ = 0;
}

/// Sample i is step i modulo `state_steps`; uncounted runs in between went on from there.
void Measurement::go_to_step_of_next_run() {
  const int step = static_cast<int>(pass_.samples.size() % static_cast<std::size_t>(*settings_.state_steps));
  if (steps_done_ % *settings_.state_steps == step) return;
  reset_state();
  while (steps_done_ < step && run_uncounted()) counted_.push_back(false);
}

std::optional<Nanoseconds> Measurement::run_to_the_host() {
  const auto time = run_uncounted();
  return time && settings_.copy_to_host ? *time + session_->copy_outputs() : time;
}

void Measurement::warm_up() {
  begin_step("warming up");
  Duration spent = std::accumulate(pass_.warmup.begin(), pass_.warmup.end(), Nanoseconds());
  const auto is_warm = [&] {
    return pass_.warmup.size() >= static_cast<std::size_t>(settings_.warmup_iterations) &&
           (!settings_.warmup_time || spent >= *settings_.warmup_time);
  };
  while (!is_warm() && !is_asked_to_stop()) {
    const auto time = run_uncounted();
    if (!time) return;
    pass_.warmup.push_back(*time);
    spent += *time;
    counted_.push_back(false);
  }
}

bool Measurement::go_on_with(Session& session) {
  session_ = &session;
  steps_done_ = 0;
  int runs = 0;
  for (; runs < settings_.warmup_iterations && !is_asked_to_stop(); ++runs)
    if (!run_uncounted()) break;
  return runs > 0;
}

// In samples' own time, so that a simulated clock gives the same count every time.
bool Measurement::is_done() const {
  auto count = static_cast<int>(pass_.samples.size());
  if (is_asked_to_stop()) return true;
  if (settings_.iterations && count >= *settings_.iterations) return true;
  if (settings_.time)
    return count > 0 && (measured_ >= *settings_.time || (pass_.profiled && count >= most_profiled_runs));
  if (settings_.iterations) return false;
  return count >= most_iterations || (count >= fewest_iterations && measured_ >= settings_.min_time);
}

std::size_t Measurement::runs_left() const {
  std::size_t done = pass_.samples.size();
  auto left = [&](std::size_t all) { return all - std::min(all, done); };
  const auto asked = static_cast<std::size_t>(settings_.iterations.value_or(INT_MAX));
  if (settings_.iterations && !settings_.time) return left(asked);
  double per_run = 1;
  if (done > 0)
    per_run = Duration(measured_).count() / static_cast<double>(done);
  else if (!pass_.warmup.empty())
    per_run = Duration(pass_.warmup.back()).count();
  double all = settings_.time.value_or(settings_.min_time).count() / std::max(per_run, 1e-3);
  if (settings_.time) {
    const double most = pass_.profiled ? most_profiled_runs : INT_MAX;
    return left(std::min(asked, static_cast<std::size_t>(std::clamp(all, 1.0, most))));
  }
  return left(static_cast<std::size_t>(std::clamp<double>(all, fewest_iterations, most_iterations)));
}

void Measurement::settle(CacheProbe* probe) {
  const auto& known = pass_.samples.empty() ? pass_.warmup : pass_.samples;
  if (reader_) {
    wait_until_others_sleep(*reader_);
    if (probe) pass_.cache_walks.push_back(probe->walk());
  }
  if (!known.empty() && known.back() >= noticeable_run) return;
  Nanoseconds spent{};
  for (int i = 0; i < most_settling_runs && spent < settled_after; ++i) {
    const auto time = run_uncounted();
    if (!time) return;
    spent += *time;
    counted_.push_back(false);
  }
}

void Measurement::begin_span() {
  span_began_ = steady_now();
  before_ = reader_->read();
  Nanoseconds cost = steady_now() - span_began_;
  reading_cost_ = reading_cost_.count() == 0 ? cost : std::min(cost, reading_cost_);
  span_runs_ = 0;
}

bool Measurement::is_reading_due(Nanoseconds now, Nanoseconds sample) const {
  Nanoseconds typical = measured_ / static_cast<std::int64_t>(pass_.samples.size());
  const bool waits = waited_ > watched_ / 20;
  const Nanoseconds apart = std::max(readings_apart * reading_cost_, waits ? apart_beside_others : Nanoseconds{});
  return now - span_began_ >= apart || sample > typical + typical / 2;
}

// Looking at outputs is no part of any span.
void Measurement::check_outputs(bool last) {
  if (reader_ && span_runs_ > 0) end_span(reader_->read());
  checks_.after_run(*session_, pass_.samples.size() - 1);
  if (reader_ && !last) begin_span();
}

void Measurement::set_next_inputs() {
  if (reader_ && span_runs_ > 0) end_span(reader_->read());
  session_->set_inputs((*turns_)[pass_.samples.size() % turns_->size()]);
  if (reader_) begin_span();
}

/// Reading it is no part of any span; a simulated device has no memory.
void Measurement::note_resident() {
  if (!reader_) return;
  if (span_runs_ > 0) end_span(reader_->read());
  pass_.resident.push_back(resident_bytes());
}

void Measurement::end_span(const Usage& after) {
  Nanoseconds now = steady_now();
  pass_.usage.push_back({span_runs_, now - span_began_, after - before_});
  watched_ += pass_.usage.back().wall, waited_ += pass_.usage.back().used.run_delay.value_or(Nanoseconds{});
  before_ = after, span_began_ = now, span_runs_ = 0;
}

void Measurement::run_block(std::size_t runs, const std::function<void()>& told) {
  begin_step("running it");
  if (pass_.samples.empty()) pass_.started = wall_now(), first_ = steady_now();
  pass_.block_starts.push_back(pass_.samples.size());
  if (settings_.state_steps) go_to_step_of_next_run();
  if (reader_) reader_->read_all(), begin_span();
  for (std::size_t i = 0; i < runs && !is_done(); ++i) {
    told();
    if (turns_) set_next_inputs();
    Nanoseconds start = steady_now();
    const auto sample = run_to_the_host();
    Nanoseconds back = steady_now();
    if (!sample) {
      if (reader_ && span_runs_ > 0) end_span(reader_->read_all());
      return;
    }
    counted_.push_back(true);
    measured_ += *sample;
    pass_.starts.push_back(start - first_);
    pass_.samples.push_back(*sample);
    pass_.host_samples.push_back(back - start);
    ++span_runs_;
    bool last = i + 1 == runs || is_done();
    if (reader_ && (last || is_reading_due(back, *sample))) end_span(last ? reader_->read_all() : reader_->read());
    if (notes_resident_) note_resident();
    if (checks_.is_due(pass_.samples.size() - 1)) check_outputs(last);
    // Asked for between measurements; runtimes that write operator times only at the end answer with nullopt.
    if (!pass_.profiled) continue;
    if (auto ops = session_->last_ops()) {
      pass_.ops.push_back(std::move(*ops));
      if (reader_ && span_runs_ == 0 && !last) begin_span();  // asking is no part of the next run
    }
  }
}

// Runtimes that tell operator times only when a session ends tell those of the uncounted runs too.
void Measurement::collect_ops_at_end() {
  if (pass_.ops.empty())
    if (auto all = session_->all_ops()) {
      pass_.device_clock = session_->times_by_device();
      std::size_t told = std::min(all->size(), counted_.size());
      for (std::size_t i = 0; i < told; ++i)
        if (counted_[counted_.size() - told + i]) pass_.ops.push_back(std::move((*all)[all->size() - told + i]));
    }
  if (pass_.ops.size() != pass_.samples.size())
    throw Error(ErrorKind::runtime, fmt::format("the runtime reported operator times for {} of {} runs; use fewer "
                                                "iterations (--iter)",
                                                pass_.ops.size(), pass_.samples.size()));
}

RunPass Measurement::finish() {
  if (pass_.samples.empty()) throw Error(ErrorKind::runtime, "stopped before the first measured run");
  if (pass_.profiled) collect_ops_at_end();
  return std::move(pass_);
}

void measure(std::span<Measurement> passes, const RunProgress& progress, const std::function<void()>& between) {
  for (Measurement& pass : passes) pass.warm_up();
  std::vector<std::size_t> block;
  for (const Measurement& pass : passes)
    block.push_back(passes.size() == 1 ? SIZE_MAX : std::max<std::size_t>(1, pass.runs_left() / blocks_per_pass));
  auto told = [&] {
    if (!progress) return;
    std::size_t done = 0, left = 0;
    for (const Measurement& pass : passes) done += pass.runs_done(), left += pass.runs_left();
    progress(phase_of(passes, passes.front().is_profiled()), done, done + left);
  };
  auto is_done = [](const Measurement& pass) { return pass.is_done(); };
  const bool real = std::any_of(passes.begin(), passes.end(), [](auto& pass) { return pass.keeps_real_time(); });
  ProgramWatch watch;
  std::optional<CacheProbe> probe;  // for turns
  if (real) watch.look();
  if (real && passes.size() > 1) probe.emplace();
  const Nanoseconds begin = steady_now();
  while (!std::all_of(passes.begin(), passes.end(), is_done))
    for (std::size_t i = 0; i < passes.size(); ++i) {
      if (passes[i].is_done()) continue;
      if (between) between();
      if (passes.size() > 1) passes[i].settle(probe ? &*probe : nullptr);
      passes[i].run_block(block[i], told);
      if (real) watch.look_if_due();
    }
  if (!real) return;
  watch.look();
  for (Measurement& pass : passes) pass.note_programs(watch.programs(), steady_now() - begin);
}

std::optional<ProfilingCost> profiling_cost(const RunPass& plain, const RunPass& profiled) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(plain.block_starts.size(), profiled.block_starts.size()); ++i) {
    auto without = median(block_of(plain, i)), with = median(block_of(profiled, i));
    if (!without || !with || without->count() <= 0) return std::nullopt;
    ratios.push_back(*with / *without);
  }
  if (ratios.empty()) return std::nullopt;
  ProfilingCost cost;
  cost.interval = bootstrap_median(ratios);
  cost.ratio = *median(ratios);
  return cost;
}

}  // namespace takt
