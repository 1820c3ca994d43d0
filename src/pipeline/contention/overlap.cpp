#include "pipeline/contention/overlap.h"

#include <algorithm>

#include "base/basics/index.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr std::size_t most_executions = 4000;  // of a stage

/// The executions of one stage: durations, and overlaps with each stage.
struct Sample {
  std::vector<double> duration;
  std::vector<std::vector<double>> overlap;  ///< by stage beside
};

class Overlaps {
 public:
  explicit Overlaps(const PipelineRun& run) : stages_(run.shape.stages.size()) {
    for (const auto& record : run.schedule.executions) {
      if (record.what.phase != FlowPhase::run || record.what.batch < run.warmup || record.end <= record.start) continue;
      records_.push_back(&record);
      longest_ = std::max(longest_, (record.end - record.start).count());
    }
    std::sort(records_.begin(), records_.end(), [](const auto* a, const auto* b) { return a->start < b->start; });
  }

  Sample sample(int stage) const {
    Sample sample;
    sample.overlap.resize(stages_);
    for (std::size_t r = 0; r < records_.size() && sample.duration.size() < most_executions; ++r) {
      if (records_[r]->what.stage != stage) continue;
      sample.duration.push_back(static_cast<double>((records_[r]->end - records_[r]->start).count()));
      for (auto& column : sample.overlap) column.push_back(0);
      add_overlaps(r, sample);
    }
    return sample;
  }

 private:
  void add_overlaps(std::size_t own, Sample& sample) const {
    const auto& record = *records_[own];
    const std::int64_t begin = record.start.count(), end = record.end.count();
    const auto add = [&](const ExecutionRecord& other) {
      const std::int64_t both = std::min(end, other.end.count()) - std::max(begin, other.start.count());
      sample.overlap[index(other.what.stage)].back() += static_cast<double>(std::max<std::int64_t>(0, both));
    };
    for (std::size_t r = own; r-- > 0 && records_[r]->start.count() > begin - longest_;) add(*records_[r]);
    for (std::size_t r = own + 1; r < records_.size() && records_[r]->start.count() < end; ++r) add(*records_[r]);
  }

  std::size_t stages_;
  std::int64_t longest_ = 0;
  std::vector<const ExecutionRecord*> records_;  ///< by start
};

}  // namespace

std::vector<OverlapShare> overlap_shares(const PipelineRun& run) {
  std::vector<OverlapShare> shares;
  const Overlaps overlaps(run);
  for (std::size_t s = 0; s < run.shape.stages.size(); ++s) {
    const auto [duration, overlap] = overlaps.sample(static_cast<int>(s));
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
