#include "plan/sweep/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/basics/text.h"

namespace takt {
namespace {

using Rounds = std::vector<const StageRecord*>;

std::string what_ran(const StageRecord& record) {
  return fmt::format("{} on {} in {}", record.row.runtime, record.row.device, record.row.precision);
}

/// Their bytes are the same.
std::optional<StageCopy> middle_copy(const Rounds& rounds, std::optional<StageCopy> StageMeasurement::*copy) {
  std::vector<StageCopy> copies;
  for (const StageRecord* round : rounds)
    if (round->row.*copy) copies.push_back(*(round->row.*copy));
  if (copies.empty()) return std::nullopt;
  std::sort(copies.begin(), copies.end(), [](const StageCopy& a, const StageCopy& b) { return a.median < b.median; });
  return copies[(copies.size() - 1) / 2];
}

StageRecord refused(const StageRecord& first, const StageRecord& other) {
  StageRecord record{first.network, first.asked, {}};
  record.row.key = first.row.key;
  record.row.status = StageStatus::failed;
  record.row.reason = fmt::format("its rounds ran differently: {}, then {}; measure it into another folder",
                                  printable(what_ran(first)), printable(what_ran(other)));
  return record;
}

StageRecord whole_row(Rounds rounds) {
  std::sort(rounds.begin(), rounds.end(),
            [](const StageRecord* a, const StageRecord* b) { return a->round < b->round; });
  StageRecord whole = *rounds.front();
  whole.round = 1;
  if (rounds.size() == 1) return whole;
  for (const StageRecord* round : rounds)
    if (round->row.status != StageStatus::measured) return {round->network, round->asked, round->row};
  std::vector<Nanoseconds> samples;
  std::vector<std::size_t> sizes;
  for (const StageRecord* round : rounds) {
    if (what_ran(*round) != what_ran(whole)) return refused(whole, *round);
    const auto& of_round = round->row.times->samples;
    samples.insert(samples.end(), of_round.begin(), of_round.end());
    sizes.push_back(of_round.size());
  }
  whole.row.times = times_of(std::move(samples));
  whole.row.times->rounds = std::move(sizes);
  whole.row.inputs_copy = middle_copy(rounds, &StageMeasurement::inputs_copy);
  whole.row.outputs_copy = middle_copy(rounds, &StageMeasurement::outputs_copy);
  return whole;
}

}  // namespace

std::int64_t iterations_of_round(std::int64_t iterations, int round, int rounds) {
  return iterations * round / rounds - iterations * (round - 1) / rounds;
}

std::vector<StageRecord> whole_rows(const std::vector<StageRecord>& by_round) {
  std::map<std::pair<Network, StageKey>, std::size_t> places;
  std::vector<Rounds> rows;
  for (const StageRecord& record : by_round) {
    const auto [place, is_new] = places.emplace(std::pair(record.network, record.row.key), rows.size());
    if (is_new) rows.emplace_back();
    rows[place->second].push_back(&record);
  }
  std::vector<StageRecord> whole;
  for (Rounds& rounds : rows) whole.push_back(whole_row(std::move(rounds)));
  return whole;
}

}  // namespace takt
