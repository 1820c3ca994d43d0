#include "plan/costs/stage_measurement.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "base/basics/text.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

std::optional<std::int64_t> count_in(std::string_view text) {
  const auto value = number_in<std::int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

std::optional<int> stage_number(std::string_view text) {
  const auto value = count_in(text);
  if (!value || *value < 1 || *value > 99) return std::nullopt;
  return static_cast<int>(*value);
}

}  // namespace

std::string to_string(const StageKey& key) {
  const std::string stages =
      key.first == key.last ? std::to_string(key.first) : fmt::format("{}-{}", key.first, key.last);
  return fmt::format("{},{},{},{}", key.nodes, key.edges, key.unit, stages);
}

std::optional<StageKey> parse_stage_key(std::string_view text) {
  const std::vector<std::string> parts = split(text, ',');
  if (parts.size() != 4 || parts[2].empty()) return std::nullopt;
  const auto nodes = count_in(parts[0]), edges = count_in(parts[1]);
  const std::string_view stages = parts[3];
  const auto dash = stages.find('-');
  const auto first = stage_number(stages.substr(0, dash));
  const auto last = dash == stages.npos ? first : stage_number(stages.substr(dash + 1));
  if (!nodes || !edges || !first || !last || *last < *first) return std::nullopt;
  return StageKey{*nodes, *edges, std::string(parts[2]), *first, *last};
}

std::optional<StageTimes> times_of(std::vector<Nanoseconds> samples) {
  const auto summary = summarize(samples);
  if (!summary) return std::nullopt;
  return StageTimes{summary->mean,   summary->min, summary->max,      summary->stddev,
                    summary->median, summary->p90, std::move(samples)};
}

std::optional<MeanError> error_of_mean(const StageTimes& times) {
  const auto count = static_cast<double>(times.samples.size());
  if (count < 2 || !times.stddev) return std::nullopt;
  const MeanError within{*times.stddev / std::sqrt(count), count - 1};
  if (times.rounds.size() < 2) return within;
  std::vector<Nanoseconds> means;
  auto from = times.samples.begin();
  for (const std::size_t size : times.rounds) {
    const auto to = from + static_cast<std::ptrdiff_t>(size);
    means.push_back(std::accumulate(from, to, Nanoseconds(0)) / static_cast<std::int64_t>(size));
    from = to;
  }
  const auto rounds = static_cast<double>(means.size());
  const MeanError between{*summarize(means)->stddev / std::sqrt(rounds), rounds - 1};
  return between.standard_error > within.standard_error ? between : within;
}

std::string_view status_name(StageStatus status) {
  return status == StageStatus::measured ? "measured" : status == StageStatus::unsupported ? "unsupported" : "failed";
}

}  // namespace takt
