#include "measure/open/fitting.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/basics/error.h"
#include "base/system/watched_work.h"
#include "model/runtime/precision.h"

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
  if (!candidate.runtime.empty()) parts.push_back("runtime " + candidate.runtime);
  if (candidate.precision) parts.push_back("precision " + precision_name(*candidate.precision));
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

/// The sessions that could be opened, warm, and their rows.
static std::vector<std::unique_ptr<Session>> open_all(
    const std::vector<Candidate>& candidates, const std::function<std::unique_ptr<Session>(const Candidate&)>& open,
    FitResult& result) {
  std::vector<std::unique_ptr<Session>> sessions;
  for (const auto& candidate : candidates) try {
      begin_step("trying " + to_string(candidate));
      auto session = open(candidate);
      if (!session) continue;
      for (int i = 0; i < 3; ++i) session->run();
      sessions.push_back(std::move(session));
      result.rows.push_back({candidate, {}, {}, std::nullopt});
    } catch (const Error& error) {
      if (!candidate.is_another_program()) throw;
      result.not_tried.push_back(fmt::format("{}: {}", to_string(candidate), error.what()));
    }
  return sessions;
}

FitResult fit(const std::vector<Candidate>& candidates,
              const std::function<std::unique_ptr<Session>(const Candidate&)>& open) {
  FitResult result;
  const auto sessions = open_all(candidates, open, result);
  std::vector<std::vector<double>> times(sessions.size());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < sessions.size(); ++i) times[i].push_back(burst(*sessions[i]));
  double fastest = 1, fastest_of_all = 1;
  const double confidence = 1 - 0.05 / static_cast<double>(std::max<std::size_t>(1, sessions.size() - 1));
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    FitRow& row = result.rows[i];
    std::vector<double> ratios;
    for (std::size_t round = 0; round < times[i].size(); ++round)
      ratios.push_back(times[0][round] > 0 ? times[i][round] / times[0][round] : 1);
    row.median = Duration(*median(times[i]));
    if (i > 0) row.time_ratio = bootstrap_median(ratios, confidence);
    const double typical = *median(ratios);
    if (!row.time_ratio || row.time_ratio->high >= 1) continue;
    if (typical < fastest_of_all) fastest_of_all = typical, result.most_helpful = i;
    if (!row.candidate.is_another_program() && typical < fastest) fastest = typical, result.best = i;
  }
  return result;
}

}  // namespace takt
