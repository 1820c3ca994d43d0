#include "measure/open/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/system/watched_work.h"

namespace takt {
namespace {

constexpr int rounds = 15, most_runs = 50;
constexpr Nanoseconds round_time{20'000'000};  ///< of one candidate in one round

/// Median time of a short burst, in microseconds.
double burst(Session& session) {
  std::vector<Nanoseconds> samples;
  Nanoseconds spent{};
  while (samples.size() < 3 || (spent < round_time && samples.size() < most_runs)) {
    samples.push_back(session.run());
    spent += samples.back();
  }
  return median(samples)->count();
}

}  // namespace

std::string to_string(const Candidate& candidate) {
  std::vector<std::string> parts;
  if (candidate.threads) parts.push_back(fmt::format("threads {}", *candidate.threads));
  for (const auto& [name, value] : candidate.tuning) parts.push_back(fmt::format("{} {}", name, value));
  std::string text;
  for (auto& part : parts) {
    std::replace(part.begin(), part.end(), '_', ' ');
    text += (text.empty() ? "" : ", ") + part;
  }
  return text.empty() ? "defaults" : text;
}

std::vector<Candidate> candidates_for(Runtime& runtime, int cores, std::optional<int> threads) {
  std::vector<Candidate> candidates{{threads, {}}};
  const auto tunings = runtime.tunings();
  for (const auto& tuning : tunings) candidates.push_back({threads, tuning});
  if (threads || tunings.empty()) return candidates;  // the user settled it, or the runtime has no threads
  for (const int count : std::set<int>{1, std::max(1, cores / 2), cores}) candidates.push_back({count, {}});
  return candidates;
}

FitResult fit(const std::vector<Candidate>& candidates,
              const std::function<std::unique_ptr<Session>(const Candidate&)>& open) {
  std::vector<std::unique_ptr<Session>> sessions;
  for (const auto& candidate : candidates) {
    begin_step("trying " + to_string(candidate));
    sessions.push_back(open(candidate));
    for (int i = 0; i < 3; ++i) sessions.back()->run();
  }
  std::vector<std::vector<double>> times(candidates.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < candidates.size(); ++i) times[i].push_back(burst(*sessions[i]));
  FitResult result;
  double fastest = 1;
  const double confidence = 1 - 0.05 / static_cast<double>(std::max<std::size_t>(1, candidates.size() - 1));
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < times[i].size(); ++round)
      ratios.push_back(times[0][round] > 0 ? times[i][round] / times[0][round] : 1);
    FitRow row{candidates[i], {}, Duration(*median(times[i])), std::nullopt};
    if (i > 0) row.time_ratio = bootstrap_median(ratios, confidence);
    const double typical = *median(ratios);
    if (row.time_ratio && row.time_ratio->high < 1 && typical < fastest) fastest = typical, result.best = i;
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace takt
