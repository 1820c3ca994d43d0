#include "pipeline/record/collected_batches.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "base/basics/check.h"
#include "base/basics/index.h"
#include "base/statistics/sorting.h"
#include "pipeline/record/packed_batches.h"

namespace takt {
namespace {

bool tells(const ExecutionCounters& counters) {
  return counters.hardware || counters.marshalling || counters.bytes_moved;
}

/// Batches come as they were delivered, so an execution stands as many places before its own as others began between
/// it and its batch's next one: some for each batch that is inside.
constexpr std::size_t usual_moves = 64;

/// By start, then in the order in which they were decided on.
struct Place {
  Nanoseconds start{};
  std::int64_t number = 0;
  std::size_t before = 0;  ///< where it stood
  bool operator<(const Place& other) const {
    return start != other.start ? start < other.start : number < other.number;
  }
};

BatchPassage renumbered(BatchPassage passage, std::int64_t number) {
  passage.batch = number;
  for (auto& visit : passage.visits) visit.batch = number;
  for (auto& step : passage.steps) step.record.what.batch = number;
  for (auto& copy : passage.copies) copy.batch = number;
  return passage;
}

template <typename Record>
void put_in_order(std::vector<Record>& records, const std::vector<Place>& places) {
  std::vector<Record> ordered;
  ordered.reserve(records.size());
  for (const Place& place : places) ordered.push_back(records[place.before]);
  records = std::move(ordered);
}

}  // namespace

bool CollectedBatches::add(const BatchPassage& passage) {
  TAKT_CHECK(passage.visits.size() == stages_);
  if (passage.batch < size()) return false;
  if (passage.batch > size()) return early_.emplace(passage.batch, passage).second;
  append(passage);
  for (auto next = early_.begin(); next != early_.end() && next->first == size(); next = early_.erase(next))
    append(next->second);
  return true;
}

bool CollectedBatches::add_packed(std::string_view bytes) {
  PackedBatches batches(bytes, stages_);
  BatchPassage passage;
  while (batches.next(passage))
    if (!add(passage)) return false;
  return !batches.is_damaged();
}

std::int64_t CollectedBatches::keep_longest() {
  std::int64_t first = 0, most = size();
  for (auto from = early_.begin(); from != early_.end();) {
    auto to = std::next(from);
    while (to != early_.end() && to->first == std::prev(to)->first + 1) ++to;
    if (const std::int64_t count = std::distance(from, to); count > most) first = from->first, most = count;
    from = to;
  }
  if (first == 0) return first;
  auto kept = std::move(early_);
  const std::int64_t before = size();
  *this = CollectedBatches(stages_);
  passed_over_ = before;
  for (std::int64_t i = 0; i < most; ++i) append(renumbered(std::move(kept.at(first + i)), i));
  for (auto& [number, passage] : kept)
    if (number < first || number >= first + most) early_.emplace(number, std::move(passage));
  return first;
}

void CollectedBatches::append(const BatchPassage& passage) {
  schedule_.batches.push_back(passage.times);
  schedule_.visits.insert(schedule_.visits.end(), passage.visits.begin(), passage.visits.end());
  for (const auto& step : passage.steps) {
    if (tells(step.counters) && counters_.empty()) counters_.resize(schedule_.executions.size());
    schedule_.executions.push_back(step.record);
    numbers_.push_back(step.number);
    if (tells(step.counters) || !counters_.empty()) counters_.push_back(step.counters);
  }
  copies_.insert(copies_.end(), passage.copies.begin(), passage.copies.end());
}

void CollectedBatches::order_executions() {
  std::vector<Place> places;
  places.reserve(schedule_.executions.size());
  for (std::size_t i = 0; i < schedule_.executions.size(); ++i)
    places.push_back({schedule_.executions[i].start, numbers_[i], i});
  numbers_ = {};
  sort_nearly_sorted(places, std::less<>(), usual_moves);
  put_in_order(schedule_.executions, places);
  if (!counters_.empty()) put_in_order(counters_, places);
}

void CollectedBatches::move_to(PipelineRun& run) {
  order_executions();
  std::stable_sort(copies_.begin(), copies_.end(), [](auto& a, auto& b) { return a.start < b.start; });
  const auto& batches = schedule_.batches;
  if (!batches.empty()) schedule_.begin = schedule_.end = batches.front().arrived;
  for (const auto& batch : batches) schedule_.end = std::max(schedule_.end, batch.delivered);
  run.schedule = std::move(schedule_);
  run.counters = std::move(counters_);
  run.copies = std::move(copies_);
  // What a damaged file says of a stage that is not there is found by check() of the run.
  for (const CopySpan& copy : run.copies)
    if (!copy.of_outputs && copy.stage >= 0 && index(copy.stage) < run.stages.size())
      run.stages[index(copy.stage)].copies_input = true;
}

}  // namespace takt
