#include "pipeline/record/logged_batches.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace takt {
namespace {

using Stages = std::vector<std::size_t>;

/// The stages that a batch visited, in the order of their times; those that took it no time as they were named.
Stages way_of(const LoggedBatch& batch) {
  Stages way;
  for (std::size_t s = 0; s < batch.visits->size(); ++s)
    if (batch.in(s) != nullptr) way.push_back(s);
  std::stable_sort(way.begin(), way.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(batch.in(a)->begin, batch.in(a)->done) < std::pair(batch.in(b)->begin, batch.in(b)->done);
  });
  return way;
}

class Ways {
 public:
  explicit Ways(const PipelineLog& log)
      : count_(log.stages.size()), follows_(count_, std::vector<bool>(count_)), went_on_(count_) {
    for (const auto& [number, visits] : log.batches) {
      all_.push_back({number, &visits});
      ways_.push_back(way_of(all_.back()));
      const Stages& way = ways_.back();
      if (way.size() > longest_.size()) longest_ = way;
      for (std::size_t i = 1; i < way.size(); ++i) {
        follows_[way[i - 1]][way[i]] = true;
        auto& last = went_on_[way[i - 1]];
        last = std::max(last.value_or(Nanoseconds::min()), all_.back().in(way[i - 1])->left());
      }
    }
  }

  LoggedBatches sorted() const {
    LoggedBatches result;
    const std::optional<Stages> found = order();
    result.order = found.value_or(longest_);
    std::vector<bool> is_visited(count_);
    for (std::size_t b = 0; b < all_.size(); ++b) {
      const Stages& way = ways_[b];
      if (way.empty() || (found ? went_on_[way.back()].has_value() : way.size() < longest_.size())) continue;
      result.delivered.push_back(all_[b]);
      for (const std::size_t s : way) is_visited[s] = true;
    }
    std::erase_if(result.order, [&](std::size_t s) { return !is_visited[s]; });
    if (found) add_dropped(result);
    result.unfinished = static_cast<std::int64_t>(all_.size() - result.delivered.size() - result.dropped.size());
    return result;
  }

 private:
  /// A stage comes when all that lead to it have come, of several the one that was named first. nullopt: they lead to
  /// each other in a circle.
  std::optional<Stages> order() const {
    Stages order;
    std::vector<bool> is_placed(count_);
    while (order.size() < count_) {
      std::size_t next = 0;
      while (next < count_ && (is_placed[next] || waits(next, is_placed))) ++next;
      if (next == count_) return std::nullopt;
      is_placed[next] = true;
      order.push_back(next);
    }
    return order;
  }

  bool waits(std::size_t stage, const std::vector<bool>& is_placed) const {
    for (std::size_t before = 0; before < count_; ++before)
      if (!is_placed[before] && follows_[before][stage]) return true;
    return false;
  }

  void add_dropped(LoggedBatches& result) const {
    for (std::size_t b = 0; b < all_.size(); ++b) {
      if (ways_[b].empty()) continue;
      const std::size_t last = ways_[b].back();
      const auto place = std::find(result.order.begin(), result.order.end(), last);
      if (place != result.order.end() && went_on_[last] && all_[b].in(last)->left() < *went_on_[last])
        result.dropped.emplace_back(all_[b], static_cast<std::size_t>(place - result.order.begin()));
    }
  }

  std::size_t count_;
  std::vector<LoggedBatch> all_;
  std::vector<Stages> ways_;
  Stages longest_;
  std::vector<std::vector<bool>> follows_;           ///< from a stage directly to another
  std::vector<std::optional<Nanoseconds>> went_on_;  ///< when the last batch left the stage for another
};

}  // namespace

LoggedBatches logged_batches(const PipelineLog& log) { return Ways(log).sorted(); }

}  // namespace takt
