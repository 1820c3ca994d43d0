#include "plan/sets/batch_stream.h"

#include <fmt/format.h>

#include <cmath>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/statistics/random.h"

namespace takt {
namespace {

constexpr std::size_t most_batches = 1'000'000;
constexpr std::int64_t most_rows = 2'147'483'646;

std::optional<GraphSize> batch_in(std::string_view line) {
  const auto words = split(line, ',');
  if (words.size() != 2) return std::nullopt;
  const auto nodes = number_in<std::int64_t>(trim(words[0])), edges = number_in<std::int64_t>(trim(words[1]));
  if (!nodes || !edges || *nodes < 1 || *edges < 0 || *nodes > most_rows || *edges > most_rows) return std::nullopt;
  return GraphSize{*nodes, *edges};
}

bool is_heading(std::string_view line) {
  const auto words = split(line, ',');
  return words.size() == 2 && !number_in<double>(trim(words[0])) && !number_in<double>(trim(words[1]));
}

}  // namespace

BatchStream parse_batch_stream(std::string_view text, std::string_view where) {
  BatchStream stream;
  std::size_t number = 0;
  bool is_first = true;
  for (const std::string& raw : split(text, '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#') continue;
    const auto batch = batch_in(line);
    if (!batch && !(is_first && is_heading(line)))
      refuse_input(fmt::format("{}: line {}: '{}' is not a batch; write nodes,edges, for example 1000,5000", where,
                               number, printable(line.substr(0, 40))));
    is_first = false;
    if (batch) stream.push_back(*batch);
    if (stream.size() > most_batches) refuse_input(fmt::format("{}: has more than a million batches", where));
  }
  if (stream.empty()) refuse_input(fmt::format("{}: has no batches; write a line nodes,edges for each", where));
  return stream;
}

BatchStream read_batch_stream(const std::filesystem::path& path) {
  return parse_batch_stream(read_file(path), printable(path.string()));
}

BatchStream random_batch_stream(const PlanSet& set, const RandomStream& wanted) {
  std::vector<GraphSize> corners;
  for (const PlanSet::Point& point : set.points) corners.push_back(point.size);
  const SizeLine line(corners);
  const double first = std::log(static_cast<double>(rows_of(corners.front()))),
               last = std::log(static_cast<double>(rows_of(corners.back())));
  Random random(wanted.seed);
  BatchStream stream;
  while (static_cast<std::int64_t>(stream.size()) < wanted.batches) {
    const double place = uniform(random), change = uniform(random);
    const bool changes = stream.empty() || change * static_cast<double>(wanted.stay) < 1;
    stream.push_back(changes ? line.with_rows(std::exp(first + place * (last - first))) : stream.back());
  }
  return stream;
}

}  // namespace takt
