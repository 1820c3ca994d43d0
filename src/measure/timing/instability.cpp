#include "measure/timing/instability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/statistics.h"
#include "measure/timing/shared_core.h"

namespace takt {
namespace {

// What matters: slow runs at least a tenth above the median, a cause with at least a quarter of their excess, and one
// that every run suffers from when it takes a twentieth of the time.
constexpr double slow_share = 0.05, least_ratio = 1.1, least_share = 0.25, least_of_all = 0.05;
// A system that is called idle still takes the processor away for a hundredth of the time; nobody can mend that.
constexpr double least_waiting = 0.02;
// Compiling kernels and growing arenas take longer than the usual run by far; a cold cache does not count.
constexpr double least_first_run = 1.5;
// Price of a fault that finds its page in memory and clears 4 KiB, and of one that reads from a fast disk.
constexpr Duration minor_fault_price{1.0}, major_fault_price{100.0};

/// One span with its samples, in microseconds.
struct Span {
  double runs = 0, time = 0;
  bool slow = false, first = false;
  const UsageSpan* usage = nullptr;
  std::size_t begin = 0;  ///< its first sample
};

double in_us(const std::optional<Nanoseconds>& time) { return time ? Duration(*time).count() : 0; }

using Amount = double (*)(const Usage&);
double run_delay(const Usage& used) { return in_us(used.run_delay); }
double steal(const Usage& used) { return in_us(used.steal); }
double throttled(const Usage& used) { return in_us(used.throttled); }
double fault_time(const Usage& used) {
  return static_cast<double>(used.minor_faults.value_or(0)) * minor_fault_price.count() +
         static_cast<double>(used.major_faults.value_or(0)) * major_fault_price.count();
}

/// A program is worth its name when it did this share of what all did that the system shows.
constexpr double least_of_programs = 0.05;
constexpr std::size_t most_programs = 3;

std::vector<ProgramTime> culprits(const RunPass& pass) {
  Nanoseconds all{};
  for (const ProgramTime& program : pass.programs) all += program.cpu_time;
  std::vector<ProgramTime> named;
  for (const ProgramTime& program : pass.programs)
    if (named.size() < most_programs && Duration(program.cpu_time) >= least_of_programs * Duration(all))
      named.push_back(program);
  return named;
}

class Judge {
 public:
  Judge(const RunPass& pass, const CpuLimit& limit)
      : limit_(limit), culprits_(culprits(pass)), watched_(Duration(pass.watched).count()) {
    for (Nanoseconds sample : pass.samples) samples_.push_back(Duration(sample).count());
    std::vector<double> sorted = samples_;
    std::sort(sorted.begin(), sorted.end());
    median_ = percentile(sorted, 0.5);
    result_.slow_runs = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::lround(slow_share * static_cast<double>(sorted.size()))));
    double slow_sum = 0;
    for (std::size_t i = 0; i < result_.slow_runs; ++i) slow_sum += sorted[sorted.size() - 1 - i];
    if (median_ > 0) result_.slow_ratio = slow_sum / static_cast<double>(result_.slow_runs) / median_;
    threshold_ = sorted[sorted.size() - result_.slow_runs];
    first_runs_ = std::max<std::size_t>(3, sorted.size() / 20);
    read_spans(pass);
    shared_core_ = find_shared_core(pass);
  }

  Instability judge() {
    judge_waiting();
    judge_throttling();
    judge_clock();
    judge_steal();
    judge_core();
    if (!judge_first_runs()) judge_faults();
    std::stable_sort(result_.verdicts.begin(), result_.verdicts.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return std::move(result_);
  }

 private:
  void read_spans(const RunPass& pass) {
    std::size_t at = 0;
    for (const UsageSpan& usage : pass.usage) {
      Span span{static_cast<double>(usage.runs), 0, false, at < first_runs_, &usage, at};
      for (std::size_t i = 0; i < usage.runs && at < samples_.size(); ++i, ++at) {
        span.time += samples_[at];
        span.slow = span.slow || samples_[at] >= threshold_;
      }
      excess_ += span.slow ? excess_of(span) : 0;
      wall_ += Duration(usage.wall).count();
      delay_ += run_delay(usage.used);
      cpu_ += in_us(usage.used.cpu_time);
      busy_ += in_us(usage.used.machine_busy);
      knows_busy_ = knows_busy_ || usage.used.machine_busy.has_value();
      spans_.push_back(span);
    }
    if (delay_ > 0) result_.waiting = delay_ / (delay_ + cpu_);
  }

  double excess_of(const Span& span) const { return std::max(0.0, span.time - span.runs * median_); }

  double usual(Amount amount) const {
    std::vector<double> per_run;
    for (const Span& span : spans_) per_run.push_back(amount(span.usage->used) / std::max(1.0, span.runs));
    return median(per_run).value_or(0);
  }

  /// How much a slow span has of `amount`, mean.
  double in_slow(Amount amount) const {
    double sum = 0, count = 0;
    for (const Span& span : spans_)
      if (span.slow) sum += amount(span.usage->used), ++count;
    return count > 0 ? sum / count : 0;
  }

  double total(Amount amount) const {
    double sum = 0;
    for (const Span& span : spans_) sum += amount(span.usage->used);
    return sum;
  }

  /// The share of the slow spans' excess that `amount` beyond the usual explains.
  double explained(Amount amount) const {
    double typical = usual(amount), sum = 0;
    for (const Span& span : spans_)
      if (span.slow) sum += std::clamp(amount(span.usage->used) - typical * span.runs, 0.0, excess_of(span));
    return excess_ > 0 ? sum / excess_ : 0;
  }

  bool is_named(double share) const { return result_.slow_ratio >= least_ratio && share >= least_share; }

  void name(Cause cause, double share, std::string evidence, std::string fix) {
    result_.verdicts.push_back({cause, share, std::move(evidence), std::move(fix)});
  }

  static std::string time(double us) { return format_duration(Duration(us)); }
  std::string processors() const {
    double count = limit_.processors();
    return fmt::format("{:.2g} CPU{}", count, count == 1 ? "" : "s");
  }

  /// Who they were, and how much of a processor each took; `others` is what all of them kept busy.
  std::string who(double others) const {
    if (culprits_.empty() || watched_ <= 0) return " (the system does not report which)";
    std::string text;
    double named = 0;
    for (const ProgramTime& program : culprits_) {
      const double share = Duration(program.cpu_time).count() / watched_;
      text += fmt::format("{}{} {:.2f}", text.empty() ? ": " : ", ", to_string(program), share);
      named += share;
    }
    return text + (named < others / 2 ? ", and others that the system does not report" : "");
  }

  // Threads that wait for a processor: is it held by other programs, or by the process's own threads? Its demand, in
  // processors, is what it used and waited for; what exceeds the limit, its own threads took from each other.
  void judge_waiting() {
    double share = explained(run_delay);
    if (wall_ <= 0 || result_.waiting < least_waiting) return;
    if (!is_named(share) && result_.waiting < least_of_all) return;
    double demand = (cpu_ + delay_) / wall_, surplus = std::max(0.0, demand - limit_.processors());
    double others = std::max(0.0, busy_ - cpu_) / wall_;
    if (!knows_busy_) others = surplus > 0 ? 0 : 1;
    double own = surplus + others > 0 ? surplus / (surplus + others) : 0;
    std::string waited =
        fmt::format("waiting time for a CPU, summed over the model's threads: {} in a slow run, {} in a typical one",
                    time(in_slow(run_delay)), time(usual(run_delay)));
    if (own < 1 - least_share) {
      name(Cause::preempted, share * (1 - own),
           knows_busy_
               ? fmt::format("other processes used {:.2f} of {}{}; {}", others, processors(), who(others), waited)
               : waited,
           "stop the other processes, or reserve CPUs for the model (taskset -c LIST takt run ...)");
      result_.verdicts.back().programs = culprits_;
    }
    if (own >= least_share) {
      int fitting = std::max(1, static_cast<int>(limit_.processors()));
      name(Cause::oversubscribed, share * own,
           fmt::format("{}; {:.1f} of its threads were ready to run on {}", waited, demand, processors()),
           fmt::format("use --threads {} or fewer", fitting));
    }
  }

  void judge_throttling() {
    double share = explained(throttled);
    if (is_named(share) || (wall_ > 0 && total(throttled) / wall_ >= least_of_all))
      name(Cause::throttled, share,
           fmt::format("the control group throttled the process for {} in total: it may use {}", time(total(throttled)),
                       processors()),
           "raise the container's CPU limit (cpu.max), or use fewer --threads");
  }

  void judge_clock() {
    std::vector<double> clocks;
    for (const Span& span : spans_)
      if (span.usage->used.mhz) clocks.push_back(*span.usage->used.mhz);
    double usual_mhz = median(clocks).value_or(0), lost = 0, slow_mhz = 0, count = 0;
    if (usual_mhz <= 0) return;
    for (const Span& span : spans_) {
      if (!span.slow || !span.usage->used.mhz) continue;
      double drop = std::max(0.0, 1 - *span.usage->used.mhz / usual_mhz);
      lost += std::min(span.time * drop, excess_of(span));
      slow_mhz += *span.usage->used.mhz, ++count;
    }
    if (count == 0 || excess_ <= 0 || slow_mhz / count > (1 - least_of_all) * usual_mhz) return;
    if (is_named(lost / excess_))
      name(Cause::throttled, lost / excess_,
           fmt::format("{:.0f} MHz in slow runs, {:.0f} MHz typically", slow_mhz / count, usual_mhz),
           "fix the clock (cpupower frequency-set -g performance), and check cooling and power limits");
  }

  // The system counts stolen time in ticks of 10 ms, which seldom fall into the run that suffered: the sum counts too.
  void judge_steal() {
    double share = explained(steal), all = 0;
    for (double sample : samples_) all += std::max(0.0, sample - median_);
    if (all > 0) share = std::max(share, std::min(1.0, total(steal) / all));
    double of_time = wall_ > 0 ? total(steal) / wall_ / limit_.cpus : 0;
    if ((is_named(share) && of_time >= least_of_all / 5) || of_time >= least_of_all)
      name(Cause::steal, share,
           fmt::format("the hypervisor gave {:.1f} % of the virtual CPUs' time to others (steal time)", of_time * 100),
           "measure on a dedicated machine, or on dedicated virtual CPUs");
  }

  // A neighbour slows down every run beside it, so of a slow run's excess it explains what a run beside it costs more,
  // and nothing of what the run waited.
  void judge_core() {
    if (!shared_core_ || excess_ <= 0) return;
    double sum = 0;
    for (const Span& span : spans_)
      if (span.slow && shared_core_->is_shared[span.begin])
        sum += std::clamp(excess_of(span) - run_delay(span.usage->used), 0.0, shared_core_->cost.count() * span.runs);
    if (!is_named(sum / excess_)) return;
    name(Cause::shared_core, sum / excess_,
         fmt::format("in {} of {} blocks cache accesses took {:.1f} times as long, and runs {:.2f} times: another "
                     "process or virtual machine was on the same core",
                     shared_core_->shared_turns, shared_core_->turns, shared_core_->walks, shared_core_->runs),
         "measure on dedicated cores (a dedicated host, or both hardware threads of each core); else repeat, and "
         "compare several runs");
  }

  void judge_faults() {
    double share = explained(fault_time);
    if (!is_named(share)) return;
    auto minor = [](const Usage& used) { return static_cast<double>(used.minor_faults.value_or(0)); };
    auto major = [](const Usage& used) { return static_cast<double>(used.major_faults.value_or(0)); };
    name(Cause::page_faults, share,
         fmt::format("{:.0f} page faults in a slow run, {:.0f} in a typical one; {:.0f} read from disk", in_slow(minor),
                     usual(minor), total(major)),
         total(major) > 0 ? "leave memory free so that weights stay resident, and warm up longer (--warmup-iter)"
                          : "keep memory between runs: bind outputs, or use a malloc that returns less to the system");
  }

  /// Time that nothing else explains gathers in the first runs, and the first two are the slowest by far.
  bool judge_first_runs() {
    if (samples_.size() < 2 * first_runs_) return false;
    std::vector<double> later(samples_.begin() + static_cast<std::ptrdiff_t>(first_runs_), samples_.end());
    std::sort(later.begin(), later.end());
    double high = std::max(percentile(later, 0.9), least_first_run * median_);
    if (samples_[0] <= high || samples_[1] <= high) return false;
    double in_first = 0;
    for (const Span& span : spans_)
      if (span.slow && span.first)
        in_first += std::max(0.0, excess_of(span) - run_delay(span.usage->used) - throttled(span.usage->used));
    double share = excess_ > 0 ? in_first / excess_ : 0;
    if (!is_named(share) || share < 0.5) return false;
    name(Cause::first_run_effects, share,
         fmt::format("the first run took {}, the second {}, the median is {}", time(samples_[0]), time(samples_[1]),
                     time(median_)),
         "warm up longer (--warmup-iter)");
    return true;
  }

  CpuLimit limit_;
  std::vector<ProgramTime> culprits_;
  double watched_ = 0;
  std::vector<double> samples_;
  std::vector<Span> spans_;
  double median_ = 0, threshold_ = 0, excess_ = 0;
  double wall_ = 0, delay_ = 0, cpu_ = 0, busy_ = 0;
  bool knows_busy_ = false;
  std::optional<SharedCore> shared_core_;
  std::size_t first_runs_ = 3;
  Instability result_;
};

}  // namespace

std::optional<Instability> find_instability(const RunPass& pass, const CpuLimit& limit) {
  constexpr std::size_t fewest_samples = 5;
  if (pass.usage.empty() || pass.samples.size() < fewest_samples) return std::nullopt;
  return Judge(pass, limit).judge();
}

std::optional<Instability> find_instability(const RunResult& result) {
  const auto& pass = result.plain ? result.plain : result.profiled;
  return pass ? find_instability(*pass, result.cpu_limit) : std::nullopt;
}

}  // namespace takt
