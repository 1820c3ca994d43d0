#include "replay/overlap.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/index.h"
#include "core/significance.h"
#include "core/statistics.h"
#include "replay/recorded_times.h"
#include "replay/slow_down_rule.h"

namespace takt {
namespace {

constexpr std::size_t least_executions = 20, most_executions = 4000;

/// The executions of one stage: durations, overlaps with each stage, and the part of them at the beginning.
struct Sample {
  std::vector<double> duration;
  std::vector<std::vector<double>> overlap, early;  ///< by stage beside
};

std::int64_t shared(const ExecutionRecord& a, std::int64_t begin, std::int64_t end) {
  return std::max<std::int64_t>(0, std::min(end, a.end.count()) - std::max(begin, a.start.count()));
}

/// What is different between parts and devices of a stage is not for overlap to explain: means of groups are taken off.
void centre(std::vector<double>& values, const std::vector<int>& group, int groups) {
  std::vector<double> sum(index(groups), 0), count(index(groups), 0);
  for (std::size_t i = 0; i < values.size(); ++i) sum[index(group[i])] += values[i], count[index(group[i])] += 1;
  for (std::size_t i = 0; i < values.size(); ++i) values[i] -= sum[index(group[i])] / count[index(group[i])];
}

class Overlaps {
 public:
  explicit Overlaps(const PipelineRun& run, const ContentionLaw& law = {})
      : stages_(run.shape.stages.size()),
        first_(run.schedule.executions.data()),
        undisturbed_(undisturbed_times(run, law)) {
    for (const auto& record : run.schedule.executions) {
      if (record.what.phase != FlowPhase::run || record.what.batch < run.warmup || record.end <= record.start) continue;
      records_.push_back(&record);
      longest_ = std::max(longest_, (record.end - record.start).count());
    }
    std::sort(records_.begin(), records_.end(), [](const auto* a, const auto* b) { return a->start < b->start; });
  }

  Sample sample(int stage) const {
    std::map<std::pair<int, int>, int> groups;
    std::vector<int> group;
    for (const std::size_t r : executions_of(stage)) {
      const Execution& what = records_[r]->what;
      group.push_back(groups.try_emplace({what.part, what.device}, static_cast<int>(groups.size())).first->second);
    }
    Sample sample = times(stage);
    centre(sample.duration, group, static_cast<int>(groups.size()));
    for (auto* columns : {&sample.overlap, &sample.early})
      for (auto& column : *columns) centre(column, group, static_cast<int>(groups.size()));
    return sample;
  }

  /// As they are, not centred.
  Sample times(int stage) const {
    const auto own = executions_of(stage);
    std::int64_t shortest = longest_;
    for (const std::size_t r : own) shortest = std::min(shortest, (records_[r]->end - records_[r]->start).count());
    Sample sample;
    sample.overlap.assign(stages_, std::vector<double>(own.size(), 0));
    sample.early = sample.overlap;
    for (std::size_t i = 0; i < own.size(); ++i) {
      sample.duration.push_back(undisturbed_[static_cast<std::size_t>(records_[own[i]] - first_)]);
      add_overlaps(own[i], shortest, i, sample);
    }
    return sample;
  }

 private:
  std::vector<std::size_t> executions_of(int stage) const {
    std::vector<std::size_t> own;
    for (std::size_t r = 0; r < records_.size() && own.size() < most_executions; ++r)
      if (records_[r]->what.stage == stage) own.push_back(r);
    return own;
  }

  void add_overlaps(std::size_t own, std::int64_t shortest, std::size_t row, Sample& sample) const {
    const auto& record = *records_[own];
    const std::int64_t begin = record.start.count(), end = record.end.count();
    const auto add = [&](const ExecutionRecord& other) {
      const auto beside = index(other.what.stage);
      sample.overlap[beside][row] += static_cast<double>(shared(other, begin, end));
      sample.early[beside][row] += static_cast<double>(shared(other, begin, begin + shortest));
    };
    for (std::size_t r = own; r-- > 0 && records_[r]->start.count() > begin - longest_;) add(*records_[r]);
    for (std::size_t r = own + 1; r < records_.size() && records_[r]->start.count() < end; ++r) add(*records_[r]);
  }

  std::size_t stages_;
  const ExecutionRecord* first_;
  std::vector<double> undisturbed_;
  std::int64_t longest_ = 0;
  std::vector<const ExecutionRecord*> records_;  ///< by start
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// (ZᵀX)⁻¹ by Gauss-Jordan with pivots; empty if singular.
std::vector<std::vector<double>> inverse(std::vector<std::vector<double>> m) {
  const std::size_t n = m.size();
  double largest = 0;
  for (const auto& row : m)
    for (const double value : row) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < n; ++i) {
    m[i].resize(2 * n, 0);
    m[i][n + i] = 1;
  }
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r)
      if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
    if (!(std::abs(m[pivot][c]) > 1e-9 * largest)) return {};
    std::swap(m[c], m[pivot]);
    const double scale = m[c][c];
    for (double& value : m[c]) value /= scale;
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double factor = m[r][c];
      for (std::size_t k = 0; k < 2 * n; ++k) m[r][k] -= factor * m[c][k];
    }
  }
  for (auto& row : m) row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
  return m;
}

/// Coefficients of the durations on the overlaps with `beside`; empty where they cannot be told apart.
class Fit {
 public:
  Fit(const Sample& sample, const std::vector<int>& beside) : sample_(sample), beside_(beside) {
    std::vector<std::vector<double>> cross;
    for (const int z : beside) {
      auto& row = cross.emplace_back();
      for (const int x : beside) row.push_back(dot(sample.early[index(z)], sample.overlap[index(x)]));
    }
    inverse_ = inverse(std::move(cross));
  }
  bool exists() const { return !inverse_.empty(); }

  std::vector<double> coefficients(const std::vector<double>& duration) const {
    std::vector<double> right, result;
    for (const int z : beside_) right.push_back(dot(sample_.early[index(z)], duration));
    for (const auto& row : inverse_) result.push_back(dot(row, right));
    return result;
  }

 private:
  const Sample& sample_;
  std::vector<int> beside_;
  std::vector<std::vector<double>> inverse_;
};

std::vector<double> p_values_of_shares(const Fit& fit, const std::vector<double>& found, std::vector<double> duration) {
  return permutation_p_values(found, {}, [&](Random& random) {
    shuffle(duration, random);
    return fit.coefficients(duration);
  });
}

/// Stages whose presence at the beginning varies: at least 5 % of the shortest execution, as standard deviation.
std::vector<int> candidates(const Sample& sample) {
  std::vector<int> result;
  for (std::size_t j = 0; j < sample.early.size(); ++j) {
    const double spread = dot(sample.early[j], sample.early[j]);
    const double strength = dot(sample.early[j], sample.overlap[j]);
    if (spread > 0 && strength > 0.25 * spread) result.push_back(static_cast<int>(j));
  }
  return result;
}

void add_stage(const Sample& sample, int stage, std::vector<Interference>& found) {
  auto beside = candidates(sample);
  const double limit = slow_down::significance / std::max<double>(1, static_cast<double>(beside.size()));
  while (!beside.empty()) {
    const Fit fit(sample, beside);
    if (!fit.exists()) {
      beside.pop_back();
      continue;
    }
    const auto shares = fit.coefficients(sample.duration);
    const auto chance = p_values_of_shares(fit, shares, sample.duration);
    std::vector<int> kept;
    for (std::size_t k = 0; k < beside.size(); ++k)
      if (chance[k] <= limit && shares[k] >= 1 - 1 / slow_down::least_factor) kept.push_back(beside[k]);
    if (kept.size() == beside.size()) {
      for (std::size_t k = 0; k < beside.size(); ++k)
        found.push_back({stage, beside[k], 1 / (1 - std::min(shares[k], slow_down::most_share)), chance[k]});
      return;
    }
    beside = std::move(kept);
  }
}

}  // namespace

std::vector<Interference> interference_from_overlap(const PipelineRun& run, const ContentionLaw& law) {
  std::vector<Interference> found;
  const Overlaps overlaps(run, law);
  for (std::size_t s = 0; s < run.shape.stages.size(); ++s) {
    const Sample sample = overlaps.sample(static_cast<int>(s));
    if (sample.duration.size() >= least_executions) add_stage(sample, static_cast<int>(s), found);
  }
  return found;
}

std::vector<OverlapShare> overlap_shares(const PipelineRun& run) {
  std::vector<OverlapShare> shares;
  const Overlaps overlaps(run);
  for (std::size_t s = 0; s < run.shape.stages.size(); ++s) {
    const auto [duration, overlap, early] = overlaps.times(static_cast<int>(s));
    double total = 0;
    for (const double time : duration) total += time;
    for (std::size_t j = 0; j < overlap.size() && !duration.empty(); ++j) {
      OverlapShare& share = shares.emplace_back();
      share.stage = static_cast<int>(s), share.beside = static_cast<int>(j);
      std::vector<double> each;
      for (std::size_t i = 0; i < duration.size(); ++i) {
        share.mean += overlap[j][i] / total;
        each.push_back(overlap[j][i] / duration[i]);
      }
      std::sort(each.begin(), each.end());
      share.low = percentile(each, 0.05);
      share.high = percentile(each, 0.95);
    }
  }
  return shares;
}

}  // namespace takt
