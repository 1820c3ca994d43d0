#include "report/results/titles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/results/headline.h"
#include "report/results/saved_tables.h"
#include "report/results/trace_bars.h"

namespace takt {
namespace {

std::string board_title(const ReportBoard& board) {
  std::vector<std::string> busy;
  std::size_t idle = 0;
  for (const auto& station : board.stations) {
    idle += station.spare ? 1 : 0;
    if (!station.spare) busy.push_back(station.name);
  }
  const auto longest = std::max_element(board.stations.begin(), board.stations.end(),
                                        [](const auto& a, const auto& b) { return a.load < b.load; });
  if (!board.cycle) return {};
  if (idle == 0)
    return 1.02 * longest->load < *board.cycle
               ? fmt::format("No stage alone takes as long as the beat; {} takes longest: {}", longest->name,
                             shown_time(longest->load))
               : "All stages take as long as the beat: none has time to spare";
  if (busy.size() > 3) return {};
  return fmt::format("{} {} time to spare; {} {} none", idle == 1 ? "One stage" : fmt::format("{} stages", idle),
                     idle == 1 ? "has" : "have", fmt::join(busy, " and "), busy.size() == 1 ? "has" : "have");
}

/// The largest wait of all devices; where none waits for a tenth of the run, who works most.
std::string devices_title(const std::vector<ReportBar>& bars) {
  const ReportBar* where = nullptr;
  const ReportPart* most = nullptr;
  double share = 0.1;
  for (const ReportBar& bar : bars)
    for (const ReportPart& part : bar.parts)
      if (bar.view == "devices" && part.kind != "busy" && bar.whole.count() > 0 && part.time / bar.whole > share)
        where = &bar, most = &part, share = part.time / bar.whole;
  if (!where) return "Every device works nearly all the time";
  return fmt::format("{} is idle {:.0f} % of the time: {}", where->title, 100 * share, most->label);
}

std::optional<double> sum_in(const Table& table, std::string_view column, std::size_t first) {
  double sum = 0;
  for (std::size_t row = first; row < table.rows.size(); ++row) {
    const auto value = number_in(table, row, column);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::string latency_title(const std::vector<ReportTable>& tables) {
  const Table *batches = find_table(tables, "batches"), *summary = find_table(tables, "summary");
  if (!batches || !summary) return {};
  const double warmup = number_in(*summary, 0, "warmup_batches").value_or(0);
  const auto first = static_cast<std::size_t>(std::clamp(warmup, 0.0, static_cast<double>(batches->rows.size())));
  const auto all = sum_in(*batches, "latency_us", first), waits = sum_in(*batches, "queue_wait_us", first);
  if (!all || !waits || *all <= 0) return {};
  return fmt::format("{:.0f} % of a batch's latency is waiting in queues", 100 * *waits / *all);
}

/// Of the kernels of the first model: how few take half of its time.
std::string carry_title(const Table& kernels) {
  std::vector<std::pair<double, std::string>> times;
  double all = 0;
  for (std::size_t row = 0; row < kernels.rows.size(); ++row)
    if (const auto time = number_in(kernels, row, "predicted_us");
        time && text_in(kernels, row, "model") == text_in(kernels, 0, "model"))
      times.emplace_back(-*time, text_in(kernels, row, "kernel_name")), all += *time;
  std::stable_sort(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t count = 0;
  for (double sum = 0; count < times.size() && sum < all / 2; ++count) sum -= times[count].first;
  if (all <= 0) return {};
  return fmt::format("{} of {} kernels take half of the predicted time; the longest: {}, {}", count, times.size(),
                     times.front().second, shown_time(Duration(-times.front().first)));
}

/// The group that takes most of the time, and the one that is furthest off.
std::string groups_title(const Table& groups) {
  std::optional<std::size_t> worst;
  for (std::size_t row = 0; row < groups.rows.size(); ++row)
    if (const auto error = number_in(groups, row, "mape");
        error && (!worst || *error > *number_in(groups, *worst, "mape")))
      worst = row;
  const auto share = number_in(groups, 0, "group_share_percent"), error = number_in(groups, 0, "mape");
  if (!worst || !share || !error) return {};
  std::string title = fmt::format("{} kernels take {:.0f} % of the time and are {:.1f} % off",
                                  text_in(groups, 0, "kernel_group"), *share, *error);
  if (*worst != 0)
    title += fmt::format("; furthest off: {}, {:.1f} %", text_in(groups, *worst, "kernel_group"),
                         *number_in(groups, *worst, "mape"));
  return title;
}

}  // namespace

void add_titles(ReportResult& result) {
  const auto add = [&](const char* view, std::string sentence) {
    if (!sentence.empty()) result.titles.push_back({view, std::move(sentence)});
  };
  if (result.board) {
    add("board", board_title(*result.board));
    add("devices", devices_title(result.bars));
    add("latency", latency_title(result.tables));
  }
  if (const Table* kernels = find_table(result.tables, "kernels"); kernels && !kernels->rows.empty())
    add("carry", carry_title(*kernels));
  if (const Table* groups = find_table(result.tables, "groups"); groups && !groups->rows.empty())
    add("groups", groups_title(*groups));
  for (ReportTitle& title : titles_of_trace(result.bars)) result.titles.push_back(std::move(title));
  add("what-if", result.what_if.title);
}

}  // namespace takt
