#include "measure/run/vary.h"

#include <algorithm>
#include <climits>
#include <memory>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/affinity.h"
#include "base/system/watched_work.h"
#include "measure/open/prepared_model.h"
#include "measure/timing/measure.h"
#include "measure/timing/throughput.h"

namespace takt {
namespace {

constexpr int usual_rounds = 20, most_turns = 200;
constexpr Duration long_turn = std::chrono::milliseconds(250);  // longer ones are divided: more rounds tell more

int rounds_for(const RunSettings& settings) {
  if (settings.iterations) return std::min(usual_rounds, *settings.iterations);
  return std::clamp(static_cast<int>(settings.time.value_or(settings.min_time) / long_turn), usual_rounds, most_turns);
}

/// Simulated devices: nothing runs beside the variant whose turn it is.
RunSettings on_virtual_clock(RunSettings settings) {
  settings.virtual_clock = true;
  return settings;
}

/// A variant that is open, and what it measured so far.
class Contender {
 public:
  explicit Contender(const Variant& variant)
      : settings_(on_virtual_clock(variant.settings)), model_(variant.model, settings_) {
    if (settings_.instances > 1)
      throw Error(ErrorKind::unsupported,
                  "independent instances (--instances) cannot be interleaved; vary requests instead");
    if (settings_.measures_throughput()) {
      open_ = open_requests(model_, settings_);
    } else {
      const Nanoseconds before = steady_now();
      open_.session = model_.open(false);
      open_.load_time = steady_now() - before;
      open_.session->set_inputs(model_.values(open_.session->inputs()));
    }
    is_real_ = open_.session->keeps_real_time();
    if (settings_.measures_throughput()) return;
    alone_ = settings_;
    alone_.iterations = INT_MAX, alone_.time.reset();
    measurement_.emplace(*open_.session, alone_, is_real_ ? &reader_ : nullptr, RunPass());
  }

  void warm_up() {
    if (measurement_) return measurement_->warm_up();
    LoopLimit limit;
    limit.warmup = static_cast<std::size_t>(settings_.warmup_iterations);
    limit.most = open_.requests.size() + 1;
    keep_in_flight(open_, settings_, limit);
  }

  /// Time of a run in one block, in microseconds: the median; of requests, the time per completion.
  double block(Nanoseconds time, std::optional<std::size_t> runs) {
    return measurement_ ? block_of_runs(time, runs) : block_of_requests(time, runs);
  }

  void describe(VariantRow& row) {
    row.device = open_.session->device();
    row.load_time = open_.load_time;
    const auto samples = measurement_ ? measurement_->finish().samples : std::move(latencies_);
    if (const auto summary = summarize(samples))
      row.runs = summary->count, row.median = summary->median, row.p99 = summary->p99;
    add_notes(model_.result(), open_.session->notes());
    row.notes = model_.result().notes;
  }

  const std::string& runtime() { return model_.result().runtime; }

 private:
  double block_of_runs(Nanoseconds time, std::optional<std::size_t> runs) {
    measurement_->settle();
    const auto before = measurement_->samples().size();
    if (runs) {
      measurement_->run_block(*runs, [] {});
    } else {
      const Nanoseconds end = measurement_->measured() + time;
      measurement_->run_block(1, [] {});
      const auto left = end - measurement_->measured();
      if (measurement_->samples().size() > before && left.count() > 0) {
        const auto last = std::max<Nanoseconds>(measurement_->samples().back(), Nanoseconds(1));
        measurement_->run_block(static_cast<std::size_t>(left / last), [] {});
      }
    }
    if (measurement_->samples().size() == before) throw Error(ErrorKind::runtime, "stopped before its first run");
    return median(measurement_->samples().subspan(before))->count();
  }

  double block_of_requests(Nanoseconds time, std::optional<std::size_t> runs) {
    if (is_real_) wait_until_others_sleep(reader_);
    LoopLimit limit;
    limit.warmup = 1;
    if (runs)
      limit.most = *runs;
    else
      limit.time = time;
    const auto record = keep_in_flight(open_, settings_, limit);
    if (record.counted.empty()) throw Error(ErrorKind::runtime, "no request completed");
    for (const auto& one : record.counted) latencies_.push_back(one.completed - one.started);
    return Duration(record.window()).count() / static_cast<double>(record.counted.size());
  }

  RunSettings settings_, alone_;
  PreparedModel model_;
  OpenRequests open_;
  bool is_real_ = true;
  UsageReader reader_;
  std::optional<Measurement> measurement_;  ///< of one run after another
  std::vector<Nanoseconds> latencies_;      ///< of requests
};

/// All variants, those that failed without a contender.
class Contest {
 public:
  Contest(const std::vector<Variant>& variants, const VaryProgress& progress)
      : variants_(variants), progress_(progress), usual_cores_(usable_cores()), times_(variants.size()) {
    for (const auto& variant : variants) {
      auto& row = result_.rows.emplace_back();
      row.differs = variant.differs, row.runtime = variant.settings.runtime;
    }
    contenders_.resize(variants.size());
    // Only where the batch is the same everywhere, or given everywhere, is it known how many items a run has.
    const auto batch = [](const Variant& v) { return v.settings.batch_size; };
    result_.per_item =
        std::all_of(variants.begin(), variants.end(), [&](auto& v) { return batch(v).has_value(); }) &&
        std::any_of(variants.begin(), variants.end(), [&](auto& v) { return batch(v) != batch(variants.front()); });
  }

  VaryResult run() {
    const auto& shared = variants_.front().settings;
    const int rounds = rounds_for(shared);
    // A turn is one run at least, so slow models would take longer than asked.
    const Duration enough = shared.time.value_or(shared.min_time) * static_cast<double>(variants_.size());
    for (std::size_t i = 0; i < variants_.size(); ++i) attempt(i, [&] { open(i); });
    const Nanoseconds began = steady_now();
    const auto is_late = [&](int round) { return round >= usual_rounds && steady_now() - began > enough; };
    for (int round = 0; round < rounds && !is_asked_to_stop() && !is_late(round); ++round)
      for (std::size_t k = 0; k < variants_.size(); ++k) turn(round % 2 ? variants_.size() - 1 - k : k, round, rounds);
    result_.stopped = is_asked_to_stop();
    for (std::size_t i = 0; i < variants_.size(); ++i) describe(i);
    // A round that was stopped in its middle compares nothing.
    std::size_t whole = SIZE_MAX;
    for (std::size_t i = 0; i < times_.size(); ++i)
      if (contenders_[i]) whole = std::min(whole, times_[i].size());
    for (std::size_t i = 0; i < times_.size(); ++i) times_[i].resize(contenders_[i] ? whole : 0);
    compare_variants(result_, times_);
    return std::move(result_);
  }

 private:
  bool is_asked_to_stop() const {
    const auto* stop = variants_.front().settings.stop;
    return stop && *stop;
  }

  template <typename Call>
  void attempt(std::size_t i, const Call& call) {
    if (result_.rows[i].failure) return;
    const auto& cores = variants_[i].settings.cores;
    const StepPrefix prefix(printable(variants_[i].model.filename().string()) + ", ");
    try {
      pin_this_thread(cores.empty() ? usual_cores_ : cores);
      call();
    } catch (const std::exception& error) {
      result_.rows[i].failure = error.what();
      contenders_[i].reset();
    }
  }

  void open(std::size_t i) {
    if (is_asked_to_stop()) return;
    contenders_[i] = std::make_unique<Contender>(variants_[i]);
    result_.rows[i].runtime = contenders_[i]->runtime();
    contenders_[i]->warm_up();
  }

  void describe(std::size_t i) {
    auto& row = result_.rows[i];
    if (!contenders_[i] && !row.failure) row.failure = "stopped before its first block";
    attempt(i, [&] { contenders_[i]->describe(row); });
  }

  void turn(std::size_t i, int round, int rounds) {
    if (is_asked_to_stop()) return;
    const auto& settings = variants_.front().settings;
    const auto time = std::chrono::duration_cast<Nanoseconds>(settings.time.value_or(settings.min_time)) / rounds;
    std::optional<std::size_t> runs;
    if (settings.iterations) runs = std::max(1, *settings.iterations / rounds);
    attempt(i, [&] {
      const double items = result_.per_item ? static_cast<double>(*variants_[i].settings.batch_size) : 1;
      try {
        times_[i].push_back(contenders_[i]->block(time, runs) / items);
      } catch (const Error&) {
        if (!is_asked_to_stop()) throw;  // else it was cut off
      }
    });
    const auto count = variants_.size();
    if (progress_) progress_(static_cast<std::uint64_t>(round) * count + i, static_cast<std::uint64_t>(rounds) * count);
  }

  const std::vector<Variant>& variants_;
  const VaryProgress& progress_;
  std::vector<int> usual_cores_;
  std::vector<std::vector<double>> times_;
  std::vector<std::unique_ptr<Contender>> contenders_;
  VaryResult result_;
};

std::vector<double> ratios_of(const std::vector<double>& times, const std::vector<double>& to) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < times.size(); ++round)
    ratios.push_back(to[round] > 0 ? times[round] / to[round] : 1);
  return ratios;
}

}  // namespace

VaryResult measure_variants(const std::vector<Variant>& variants, const VaryProgress& progress) {
  return Contest(variants, progress).run();
}

void compare_variants(VaryResult& result, const std::vector<std::vector<double>>& times) {
  std::vector<std::size_t> ran;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!times[i].empty()) ran.push_back(i);
  if (ran.empty()) return;
  const double confidence = 1 - 0.05 / static_cast<double>(std::max<std::size_t>(1, ran.size() - 1));
  result.first = result.fastest = ran.front();
  double least = 1;
  for (const auto i : ran) {
    auto& row = result.rows[i];
    const double time = *median(times[i]);
    if (time > 0) row.per_second = 1e6 / time;
    if (i == *result.first) continue;
    const auto ratios = ratios_of(times[i], times[*result.first]);
    row.ratio = *median(ratios);
    row.interval = bootstrap_median(ratios, confidence);
    if (*row.ratio < least) least = *row.ratio, result.fastest = i;
  }
  if (ran.size() < 2) return;
  bool any_slower = false;
  for (const auto i : ran) {
    if (i == *result.fastest) continue;
    const auto interval = bootstrap_median(ratios_of(times[i], times[*result.fastest]), confidence);
    if (!interval) return;  // too few rounds
    result.rows[i].standing = interval->low > 1 ? Standing::slower : Standing::within_noise;
    any_slower |= interval->low > 1;
  }
  result.rows[*result.fastest].standing = any_slower ? Standing::fastest : Standing::within_noise;
}

}  // namespace takt
