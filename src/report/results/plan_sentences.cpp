#include "report/results/plan_sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "base/table/number_form.h"
#include "report/results/headline.h"
#include "report/results/saved_tables.h"

namespace takt {
namespace {

std::string shown_ms(double ms) { return shown_time(Duration(ms * 1000)); }

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

std::optional<std::size_t> row_with(const Table& table, std::string_view column, std::string_view text) {
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    if (text_in(table, row, column) == text) return row;
  return std::nullopt;
}

bool add_search(ReportResult& result) {
  const Table* plans = find_table(result.tables, "plans");
  const Table* search = find_table(result.tables, "search");
  if (!plans || plans->rows.empty() || !search) return false;
  const bool is_stream = text_in(*search, 0, "objective") == "throughput";
  const auto time = number_in(*plans, 0, is_stream ? "makespan_ms" : "latency_ms");
  const auto speed_up = number_in(*plans, 0, "speed_up");
  if (!time) return false;
  result.headline = fmt::format(
      "{}: {} {}", text_in(*plans, 0, "plan"), shown_ms(*time),
      is_stream ? fmt::format("for {:.0f} batches", number_in(*search, 0, "stream_batches").value_or(0)) : "a batch");
  if (speed_up) result.headline += fmt::format(", {:.2f} times as fast as the best single unit", *speed_up);
  result.lede = text_in(*plans, 0, "optimal") == "yes" ? "For these costs no plan is better: that is proven."
                                                       : "Whether there is a better plan, the search did not tell.";
  if (const Table* differences = find_table(result.tables, "differences"); differences && !differences->rows.empty()) {
    const std::string verdict = text_in(*differences, 0, "plan_verdict"),
                      reason = text_in(*differences, 0, "verdict_reason");
    if (verdict == "unknown" && !reason.empty())
      result.lede += fmt::format(" How sure the gain is cannot be told: {}.", reason);
    else if (!verdict.empty())
      result.lede += fmt::format(" Against the best single unit: {}.", verdict);
  }
  add_facts(result, *plans, {"latency_ms", "makespan_ms", "throughput_per_s", "speed_up"});
  add_facts(result, *search, {"gap"});
  return true;
}

/// "8.4 % less time than the best single unit", or that the runs cannot tell.
std::string against_single(const Table& choice) {
  const auto change = number_in(choice, 0, "over_single_percent"),
             low = number_in(choice, 0, "over_single_low_percent"),
             high = number_in(choice, 0, "over_single_high_percent");
  if (!change) return {};
  const std::string range =
      low && high ? fmt::format(" ({} to {} %)", percentage_text(*low), percentage_text(*high)) : "";
  if (low && high && *low <= 0 && *high >= 0)
    return fmt::format("; these runs cannot tell it from the best single unit{}", range);
  return fmt::format(", {} % {} than the best single unit{}", percentage_text(std::abs(*change)),
                     *change < 0 ? "less" : "more", range);
}

bool add_plan_run(ReportResult& result) {
  const Table *runs = find_table(result.tables, "plan_runs"), *choice = find_table(result.tables, "plan_choice");
  if (!runs || runs->rows.empty() || !choice) return false;
  const std::size_t best = row_with(*runs, "role", "found").value_or(0);
  const auto time = number_in(*runs, best, "really_us");
  if (!time) return false;
  const std::string plan = text_in(*runs, best, "plan");
  result.headline = text_in(*runs, best, "numbers") == "wrong"
                        ? fmt::format("{} computes other outputs than the model", plan)
                        : fmt::format("{} takes {}{}", plan, shown_time(Duration(*time)), against_single(*choice));
  if (const auto error = number_in(*choice, 0, "mean_error_percent"))
    result.lede = fmt::format("Estimates were {} % off on average.", percentage_text(*error));
  if (const auto regret = number_in(*choice, 0, "regret_percent"))
    result.lede += *regret == 0 ? " The plan that the search named was the fastest that was run."
                                : fmt::format(" The fastest that was run takes {} % less.", percentage_text(*regret));
  add_facts(result, *choice,
            {"plans_run", "plan_rounds", "mean_error_percent", "regret_percent", "over_single_percent"});
  return true;
}

/// How many stages each unit is the fastest for, at most of the sizes; only sizes at which several units were measured.
std::map<std::string, int> winners_of(const std::vector<ReportPoint>& points) {
  using Place = std::tuple<std::string, std::int64_t, std::int64_t>;
  std::map<Place, std::pair<int, const ReportPoint*>> best;
  for (const ReportPoint& point : points) {
    auto& [units, fastest] = best[{point.stage, point.nodes, point.edges}];
    ++units;
    if (!fastest || point.measured < fastest->measured) fastest = &point;
  }
  std::map<std::string, std::map<std::string, int>> sizes;
  for (const auto& [place, found] : best)
    if (found.first > 1) ++sizes[std::get<0>(place)][found.second->unit];
  std::map<std::string, int> stages;
  for (const auto& [stage, units] : sizes)
    ++stages[std::max_element(units.begin(), units.end(), [](const auto& a, const auto& b) {
               return a.second < b.second;
             })->first];
  return stages;
}

bool add_sweep(ReportResult& result) {
  if (result.points.empty()) return false;
  const auto winners = winners_of(result.points);
  std::vector<std::pair<int, std::string>> order;
  int stages = 0;
  for (const auto& [unit, count] : winners) order.emplace_back(-count, unit), stages += count;
  std::sort(order.begin(), order.end());
  if (order.size() == 1) {
    result.headline = stages == 1 ? fmt::format("{} is the fastest", order[0].second)
                                  : fmt::format("{} is the fastest for all {} stages", order[0].second, stages);
  } else if (order.size() > 1) {
    std::vector<std::string> words;
    for (const auto& [count, unit] : order) words.push_back(fmt::format("{} {}", unit, -count));
    result.headline = fmt::format("No unit is the best for all {} stages: {}", stages, fmt::join(words, ", "));
  } else {
    const auto longest = std::max_element(result.points.begin(), result.points.end(),
                                          [](const auto& a, const auto& b) { return a.measured < b.measured; });
    result.headline =
        fmt::format("{} takes longest: up to {} on {}", longest->stage, shown_time(longest->measured), longest->unit);
  }
  if (const Table* summary = find_table(result.tables, "summary"); summary && summary->rows.size() == 1)
    add_facts(result, *summary, {"sweep_rows", "measured", "unsupported", "failed"});
  return true;
}

bool add_prediction(ReportResult& result) {
  const Table* summary = find_table(result.tables, "summary");
  const auto time = summary ? number_in(*summary, 0, "predicted_ms") : std::nullopt;
  if (!time) return false;
  const auto low = number_in(*summary, 0, "low_ms"), high = number_in(*summary, 0, "high_ms");
  result.headline = fmt::format("{} will take {}", file_name(text_in(*summary, 0, "model")), shown_ms(*time));
  if (low && high) result.headline += fmt::format(" ({} to {})", shown_ms(*low), shown_ms(*high));
  if (const auto measured = number_in(*summary, 0, "measured_percent"))
    result.lede = fmt::format("{:.0f} % of its kernels' time was measured in other models.", *measured);
  if (const auto load = number_in(*summary, 0, "load_factor"))
    result.lede += fmt::format(" The load of the machine makes it {:.2f} times as long.", *load);
  add_facts(result, *summary,
            {"predicted_ms", "low_ms", "high_ms", "model_kernels", "measured_percent", "trained_percent"});
  if (!text_in(*summary, 0, "load_from").empty()) add_facts(result, *summary, {"load_factor", "load_from"});
  return true;
}

bool add_evaluation(ReportResult& result) {
  const Table *summary = find_table(result.tables, "summary"), *models = find_table(result.tables, "models");
  const auto error = summary ? number_in(*summary, 0, "mape") : std::nullopt;
  if (!error || !models) return false;
  std::size_t known = 0, inside = 0;
  for (std::size_t row = 0; row < models->rows.size(); ++row) {
    const std::string is_inside = text_in(*models, row, "inside");
    known += is_inside.empty() ? 0 : 1;
    inside += is_inside == "yes" ? 1 : 0;
  }
  result.headline = fmt::format("Predictions are {} % off on average; {} of {} measured times lie in their intervals",
                                percentage_text(*error), inside, known);
  if (const auto noise = number_in(*summary, 0, "noise_floor_percent"))
    result.lede = fmt::format("One measurement as the prediction of the others is {} % off.", percentage_text(*noise));
  add_facts(result, *summary, {"evaluated_models", "mape", "bias_percent", "coverage_percent", "noise_floor_percent"});
  return true;
}

/// Of whole models, by takt: what a reader will meet.
bool add_fit(ReportResult& result) {
  const Table* errors = find_table(result.tables, "errors");
  std::vector<std::string> words;
  for (std::size_t row = 0; errors && row < errors->rows.size(); ++row)
    if (const auto error = number_in(*errors, row, "mape");
        error && text_in(*errors, row, "error_level") == "model" && text_in(*errors, row, "method") == "takt")
      words.push_back(fmt::format("{} % ({} held out)", percentage_text(*error), text_in(*errors, row, "split")));
  if (words.empty()) return false;
  words.resize(std::min<std::size_t>(words.size(), 3));
  result.headline = fmt::format("Predictions of new models are off by {}", fmt::join(words, ", "));
  return true;
}

}  // namespace

bool add_plan_sentences(ReportResult& result, std::string_view command) {
  if (command == "plan search") return add_search(result);
  if (command == "plan run") return add_plan_run(result);
  if (command == "sweep") return add_sweep(result);
  if (command == "predict") return add_prediction(result);
  if (command == "evaluate") return add_evaluation(result);
  return command == "fit" && add_fit(result);
}

}  // namespace takt
