#include "pipeline/interference.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "flow/device_law.h"

namespace takt {
namespace {

constexpr double significance = 0.01, least_factor = 1.02, most_share = 0.9;
constexpr int permutations = 4999;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// Executions of one stage, from all rounds, in nanoseconds.
struct Durations {
  std::vector<double> all;
  std::vector<double> round_means;
  double beside = 0;  ///< Σ of the time in which the other stage ran, too
  double hardware = 0, bytes = 0;
  std::int64_t counted = 0;
};

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

bool counts(const PipelineRun& run, const ExecutionRecord& record) {
  return record.what.phase == FlowPhase::run && record.what.batch >= run.warmup;
}

/// Time of [begin, end) in which executions of `other` ran; those are in the order of their starts.
double overlap(const std::vector<const ExecutionRecord*>& other, std::int64_t begin, std::int64_t end,
               std::size_t& from) {
  while (from < other.size() && other[from]->end.count() <= begin) ++from;
  double sum = 0;
  for (std::size_t i = from; i < other.size() && other[i]->start.count() < end; ++i)
    sum += static_cast<double>(
        std::max<std::int64_t>(0, std::min(end, other[i]->end.count()) - std::max(begin, other[i]->start.count())));
  return sum;
}

std::vector<const ExecutionRecord*> executions_of(const PipelineRun& run, int stage, bool warm_too) {
  std::vector<const ExecutionRecord*> list;
  for (const auto& record : run.schedule.executions)
    if (record.what.stage == stage && record.what.phase == FlowPhase::run && (warm_too || counts(run, record)))
      list.push_back(&record);
  std::stable_sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return a->start < b->start; });
  return list;
}

void add_durations(const PipelineRun& run, int stage, std::optional<int> beside, Durations& into) {
  const auto own = executions_of(run, stage, false);
  const auto other = beside ? executions_of(run, *beside, true) : std::vector<const ExecutionRecord*>{};
  std::size_t from = 0;
  std::vector<double> round;
  for (const auto* record : own) {
    round.push_back(static_cast<double>((record->end - record->start).count()));
    into.beside += overlap(other, record->start.count(), record->end.count(), from);
  }
  if (!round.empty()) into.round_means.push_back(mean_of(round));
  into.all.insert(into.all.end(), round.begin(), round.end());
}

void add_bytes(const PipelineRun& run, Durations& into) {
  for (std::size_t e = 0; e < run.schedule.executions.size(); ++e) {
    const auto& record = run.schedule.executions[e];
    const auto bytes = run.stages.front().input_bytes;
    if (!counts(run, record) || !bytes) continue;
    const auto hardware = e < run.counters.size() ? run.counters[e].hardware : std::nullopt;
    into.hardware += static_cast<double>(hardware.value_or(record.end - record.start).count());
    into.bytes += static_cast<double>(*bytes);
    ++into.counted;
  }
}

/// Share of permutations of alone and together in which the difference of the means is at least as large.
double p_value(const std::vector<double>& alone, const std::vector<double>& together) {
  std::vector<double> pool = alone;
  pool.insert(pool.end(), together.begin(), together.end());
  const double found = mean_of(together) - mean_of(alone);
  double total = 0;
  for (const double value : pool) total += value;
  NoiseSource random({}, 1);
  const std::size_t smaller = std::min(alone.size(), together.size());
  const auto few = static_cast<double>(smaller), many = static_cast<double>(pool.size() - smaller);
  int as_much = 1;
  for (int n = 0; n < permutations; ++n) {
    double sum = 0;
    for (std::size_t i = 0; i < smaller; ++i) {
      std::swap(pool[i], pool[i + random.next() % (pool.size() - i)]);
      sum += pool[i];
    }
    as_much += sum / few - (total - sum) / many >= found;
  }
  return as_much / double{permutations + 1};
}

double slowdown(double alone, double together, double share) {
  if (share <= 0 || together <= 0) return 1;
  return 1 / (1 - std::min((together - alone) / (share * together), most_share));
}

double drift_of(const Durations& durations) {
  const double mean = mean_of(durations.all);
  double drift = 0;
  for (const double round : durations.round_means) drift = std::max(drift, mean > 0 ? std::abs(round / mean - 1) : 0);
  return drift;
}

void judge(const Durations& alone, const Durations& together, std::size_t pairs, PairRow& row) {
  row.executions = static_cast<std::int64_t>(together.all.size());
  if (alone.all.empty() || together.all.empty()) return;
  const double single = mean_of(alone.all), both = mean_of(together.all);
  row.overlap = both > 0 ? together.beside / (both * static_cast<double>(together.all.size())) : 0;
  if (*row.overlap < 0.05) return;  // they hardly ever ran at once: nothing can be told
  row.factor = slowdown(single, both, *row.overlap);
  const auto low = bootstrap_mean(alone.all, 0.975), high = bootstrap_mean(together.all, 0.975);
  if (low && high) {
    row.low = slowdown(low->high, high->low, *row.overlap);
    row.high = slowdown(low->low, high->high, *row.overlap);
  }
  row.p_value = p_value(alone.all, together.all);
  row.significant = row.p_value <= significance / static_cast<double>(pairs) && *row.factor >= least_factor &&
                    both / single - 1 > 2 * drift_of(alone);
}

AloneRow alone_row(const std::string& stage, const Durations& durations, const InterferenceSettings& settings) {
  AloneRow row;
  row.stage = stage;
  row.executions = static_cast<std::int64_t>(durations.all.size());
  if (durations.all.empty()) return row;
  row.mean = Duration(mean_of(durations.all) / 1e3);
  row.drift = drift_of(durations);
  if (settings.peak_bytes_per_second && durations.counted > 0 && durations.hardware > 0)
    row.bandwidth_share = durations.bytes / (durations.hardware / 1e9) / *settings.peak_bytes_per_second;
  return row;
}

constexpr Column<AloneRow> alone_columns[] = {
    {"stage", "stage", [](const AloneRow& r) -> Cell { return r.stage; }, "Name of the stage."},
    {"executions", "runs", [](const AloneRow& r) -> Cell { return r.executions; },
     "Executions measured, warm-up left out."},
    {"mean_us", "alone", [](const AloneRow& r) { return optional_cell(r.mean); },
     "Mean time of an execution while no other stage ran."},
    {"drift", "drift", [](const AloneRow& r) { return optional_cell(r.drift); },
     "Largest relative deviation of one round's mean from the mean of all: what the machine does by itself."},
    {"bandwidth_share", "of bandwidth", [](const AloneRow& r) { return optional_cell(r.bandwidth_share); },
     "Bytes of the stage's inputs per second of its hardware time, as a share of the measured peak of memory. Near 1 a "
     "slow-down is contention for memory; near 0 it is scheduling or shared cores."},
};

constexpr Column<PairRow> pair_columns[] = {
    {"stage", "stage", [](const PairRow& r) -> Cell { return r.stage; }, "The stage that is slowed down."},
    {"beside", "beside", [](const PairRow& r) -> Cell { return r.beside; }, "The stage that runs beside it."},
    {"executions", "runs", [](const PairRow& r) -> Cell { return r.executions; },
     "Executions measured, warm-up left out."},
    {"overlap", "overlap", [](const PairRow& r) { return optional_cell(r.overlap); },
     "Share of the stage's time in which the other ran."},
    {"factor", "slow-down", [](const PairRow& r) { return optional_cell(r.factor); },
     "How many times as long the stage takes while the other runs. Missing where they hardly ever ran at once."},
    {"factor_low", "from", [](const PairRow& r) { return optional_cell(r.low); },
     "Lower end of the slow-down's 95 % interval."},
    {"factor_high", "to", [](const PairRow& r) { return optional_cell(r.high); },
     "Upper end of the slow-down's 95 % interval."},
    {"p_value", "p", [](const PairRow& r) -> Cell { return r.p_value; },
     "Share of random permutations of the durations that showed as much."},
    {"significant", "contention", [](const PairRow& r) -> Cell { return std::string(r.significant ? "yes" : "no"); },
     "yes: chance, noise and drift do not explain the slow-down."},
};

}  // namespace

InterferenceReport measure_interference(const std::vector<std::string>& stages, const StageRunner& run,
                                        const InterferenceSettings& settings) {
  const std::size_t n = stages.size();
  if (n < 2)
    throw Error(ErrorKind::bad_input, "interference: one stage has nothing beside it; use a pipeline of two or more");
  std::vector<Durations> alone(n), together(n * n);
  for (int round = 0; round < std::max(settings.rounds, 2); ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      const PipelineRun single = run({static_cast<int>(i)});
      add_durations(single, 0, std::nullopt, alone[i]);
      add_bytes(single, alone[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        const PipelineRun pair = run({static_cast<int>(i), static_cast<int>(j)});
        add_durations(pair, 0, 1, together[i * n + j]);
        add_durations(pair, 1, 0, together[j * n + i]);
      }
    }
  }
  InterferenceReport report;
  for (std::size_t i = 0; i < n; ++i) {
    report.alone.push_back(alone_row(stages[i], alone[i], settings));
    for (std::size_t j = 0; j < n; ++j) {
      if (i == j) continue;
      PairRow& row = report.pairs.emplace_back();
      row.stage = stages[i], row.beside = stages[j];
      row.stage_number = static_cast<int>(i), row.beside_number = static_cast<int>(j);
      judge(alone[i], together[i * n + j], n * (n - 1), row);
    }
  }
  return report;
}

ContentionLaw law_of(const InterferenceReport& report) {
  ContentionLaw law;
  for (const PairRow& row : report.pairs) {
    if (!row.significant) continue;
    if (law.interference.empty())
      law.interference.assign(report.alone.size(), std::vector<double>(report.alone.size(), 1));
    law.interference[at(row.stage_number)][at(row.beside_number)] = *row.factor;
  }
  return law;
}

std::vector<Table> tables(const InterferenceReport& report) {
  return {make_table<PairRow>("pairs", pair_columns, report.pairs),
          make_table<AloneRow>("alone", alone_columns, report.alone)};
}

std::vector<std::string> interference_table_names() { return {"pairs", "alone"}; }

std::vector<ColumnInfo> interference_columns() {
  std::vector<ColumnInfo> columns;
  for (const Table& table : tables(InterferenceReport{}))
    columns.insert(columns.end(), table.columns.begin(), table.columns.end());
  return columns;
}

std::string to_text(const InterferenceReport& report) {
  const auto list = tables(report);
  return to_text(list[1], 120) + "\n" + to_text(list[0], 120);
}

}  // namespace takt
