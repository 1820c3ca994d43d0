#include "pipeline/whatif/change.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/basics/units.h"

namespace takt {
namespace {

constexpr double most_count = 1e6;  // replicas, queues, requests: beyond it a chain is refused anyway

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw UsageError(fmt::format("'{}': {}", printable(text), why));
}

std::optional<double> to_number(std::string_view text) {
  const auto value = number_in<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

struct KnobName {
  std::string_view scope, name, values;
  Knob knob;
};

constexpr KnobName knobs[] = {
    {"stage", "time", "a factor such as x0.5, or a time such as 5ms", Knob::stage_time},
    {"stage", "replicas", "a whole number from 1 to 1000000", Knob::stage_replicas},
    {"stage", "queue", "a whole number from 1 to 1000000", Knob::stage_queue},
    {"stage", "device", "a device of the run", Knob::stage_device},
    {"stage", "threads", "a whole number from 1 to 1000000", Knob::stage_threads},
    {"stage", "ratio", "shares that sum to 1, such as 0.7,0.3", Knob::stage_ratio},
    {"device", "requests", "a whole number from 1 to 1000000, or none", Knob::device_requests},
    {"source", "in_flight", "a whole number from 1 to 1000000, or none", Knob::source_in_flight},
    {"source", "rate", "batches per second above 0, evenly spaced or as 'poisson 50', or closed", Knob::source_rate},
};

/// "stage.NAME.time" → its knob and NAME, which may have dots of its own.
const KnobName& find_knob(std::string_view text, std::string_view key, std::string& target) {
  const auto first = key.find('.'), last = key.rfind('.');
  if (first == std::string_view::npos)
    refuse(text, "write stage.NAME.KNOB=VALUE, device.NAME.KNOB=VALUE or source.KNOB=VALUE");
  const std::string_view scope = key.substr(0, first), name = key.substr(last + 1);
  std::vector<std::string> names;
  for (const KnobName& knob : knobs)
    if (knob.scope == scope) names.emplace_back(knob.name);
  if (names.empty()) {
    const std::vector<std::string> scopes{"stage", "device", "source"};
    const auto nearest = nearest_word(scope, scopes);
    refuse(text, nearest ? fmt::format("start with {}., not {}.", *nearest, printable(scope))
                         : "start with stage., device. or source.");
  }
  if (scope != "source") {
    if (last == first || last == first + 1) refuse(text, fmt::format("name the {}: {}.NAME.KNOB=VALUE", scope, scope));
    target = key.substr(first + 1, last - first - 1);
  } else if (last != first) {
    refuse(text, "the source has no name: source.in_flight or source.rate");
  }
  for (const KnobName& knob : knobs)
    if (knob.scope == scope && knob.name == name) return knob;
  refuse(text, fmt::format("a {} has no '{}'; {}", scope, printable(name),
                           suggestion(name, names, fmt::format("it has {}", fmt::join(names, ", ")))));
}

[[noreturn]] void refuse_value(std::string_view text, const KnobName& knob) {
  refuse(text, fmt::format("{} takes {}", knob.name, knob.values));
}

void read_time(PipelineChange& change, std::string_view value, const KnobName& knob) {
  if (value.starts_with('x')) {
    change.factor = true;
    change.number = to_number(value.substr(1));
    if (!change.number || *change.number < 0 || *change.number > 1e6) refuse_value(change.text, knob);
    return;
  }
  try {
    change.number = parse_duration(value).count() * 1e3;
  } catch (const Error&) {
    refuse_value(change.text, knob);
  }
  if (*change.number < 0 || *change.number > 1e15) refuse_value(change.text, knob);
}

void read_ratio(PipelineChange& change, std::string_view value, const KnobName& knob) {
  double sum = 0;
  for (const auto& part : split(value, ',')) {
    const auto share = to_number(trim(part));
    if (!share || *share < 0 || *share > 1) refuse_value(change.text, knob);
    change.ratio.push_back(*share);
    sum += *share;
  }
  if (std::abs(sum - 1) > 1e-6) refuse(change.text, fmt::format("the shares sum to {:.6g}; they must sum to 1", sum));
}

void read_value(PipelineChange& change, std::string_view value, const KnobName& knob) {
  switch (change.knob) {
    case Knob::stage_time:
      return read_time(change, value, knob);
    case Knob::stage_ratio:
      return read_ratio(change, value, knob);
    case Knob::stage_device:
      if (value.empty()) refuse_value(change.text, knob);
      change.device = value;
      return;
    case Knob::source_rate:
      if (value == "closed") return;
      change.random = value.starts_with("poisson ");
      change.number = to_number(change.random ? trim(value.substr(8)) : value);
      if (!change.number || *change.number < 1e-6 || *change.number > 1e9) refuse_value(change.text, knob);
      return;
    default:
      if (value == "none" && (change.knob == Knob::device_requests || change.knob == Knob::source_in_flight)) return;
      change.number = to_number(value);
      if (!change.number || *change.number != std::floor(*change.number) || *change.number < 1 ||
          *change.number > most_count)
        refuse_value(change.text, knob);
  }
}

/// A time in the largest unit that leaves at least one whole: "20ms".
std::string with_unit(double ns, std::string_view blank) {
  constexpr std::pair<double, std::string_view> units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
  for (const auto& [unit, name] : units)
    if (ns >= unit) return fmt::format("{:.10g}{}{}", ns / unit, blank, name);
  return fmt::format("{:.10g}{}ns", ns, blank);
}

/// Knobs that take names or lists have no values in between.
void refuse_unswept(std::string_view text, std::string_view key) {
  std::string target;
  const KnobName& knob = find_knob(text, key, target);
  if (knob.knob != Knob::stage_device && knob.knob != Knob::stage_ratio) return;
  std::vector<std::string> possible;
  for (const KnobName& other : knobs)
    if (other.knob != Knob::stage_device && other.knob != Knob::stage_ratio)
      possible.push_back(fmt::format("{}{}.{}", other.scope, other.scope == "source" ? "" : ".NAME", other.name));
  refuse(text, fmt::format("'{}' cannot be swept; sweep one of {}", knob.name, fmt::join(possible, ", ")));
}

}  // namespace

PipelineChange parse_change(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) refuse(text, "a change is KNOB=VALUE, such as stage.infer.time=x0.5");
  PipelineChange change;
  change.text = text;
  const KnobName& knob = find_knob(text, trim(text.substr(0, equals)), change.target);
  change.knob = knob.knob;
  read_value(change, trim(text.substr(equals + 1)), knob);
  return change;
}

std::vector<PipelineChange> last_of_each_knob(std::span<const PipelineChange> changes) {
  std::vector<PipelineChange> list;
  for (const PipelineChange& change : changes) {
    std::erase_if(list, [&](const PipelineChange& earlier) {
      return earlier.knob == change.knob && earlier.target == change.target;
    });
    list.push_back(change);
  }
  return list;
}

std::string value_text(const PipelineChange& change) {
  if (change.knob == Knob::stage_time && change.number && !change.factor) return with_unit(*change.number, " ");
  const auto equals = change.text.find('=');
  return std::string(trim(std::string_view(change.text).substr(equals == std::string::npos ? 0 : equals + 1)));
}

std::vector<PipelineChange> parse_sweep(std::string_view text) {
  const auto equals = text.find('=');
  auto ends = split(text.substr(equals == std::string_view::npos ? 0 : equals + 1), ':');
  if (equals == std::string_view::npos || ends.size() != 3)
    refuse(text, "a sweep is KNOB=A:B:STEP, such as stage.infer.time=x0.2:x1:x0.2 or stage.infer.replicas=1:4:1");
  const std::string key(trim(text.substr(0, equals)));
  refuse_unswept(text, key);
  std::vector<std::string> words;
  for (const auto& end : ends) words.emplace_back(trim(end));
  for (std::string& word : words)
    if (words[0].starts_with('x') && to_number(word)) word = "x" + word;
  const PipelineChange first = parse_change(key + "=" + words[0]), last = parse_change(key + "=" + words[1]);
  const PipelineChange step = parse_change(key + "=" + words[2]);
  if (!first.number || !last.number || !step.number || first.factor != last.factor || first.factor != step.factor)
    refuse(text, "a sweep needs two numbers of the same kind");
  if (*step.number <= 0 || *last.number < *first.number)
    refuse(text, "a sweep is ascending; A is at most B and STEP above 0");
  const double count = std::floor((*last.number - *first.number) / *step.number + 1e-9);
  if (count >= 1000) refuse(text, "a sweep has at most 1,000 values; take a larger step");
  std::vector<PipelineChange> changes;
  for (int i = 0; i <= static_cast<int>(count); ++i) {
    const double value = *first.number + i * *step.number;
    const std::string spelled = first.knob != Knob::stage_time ? fmt::format("{:.10g}", value)
                                : first.factor                 ? fmt::format("x{:.10g}", value)
                                                               : with_unit(value, "");
    changes.push_back(parse_change(key + "=" + spelled));
  }
  return changes;
}

}  // namespace takt
