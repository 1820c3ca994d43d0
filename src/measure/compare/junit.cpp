#include <fmt/format.h>

#include "base/basics/text.h"
#include "base/table/number_form.h"
#include "measure/compare/report.h"

namespace takt {
namespace {

/// Text for an attribute or element of XML 1.0.
std::string xml(std::string_view text) {
  std::string shown = printable(text), escaped;
  for (std::string_view forbidden : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (auto at = shown.find(forbidden); at != std::string::npos; at = shown.find(forbidden, at))
      shown.replace(at, forbidden.size(), "\xEF\xBF\xBD");
  for (char c : shown) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

/// "from -3.0 % to +12.5 %"
std::string interval(const Change& change) {
  const auto end = [](double percent) {
    return percent > furthest_percentage ? percentage_text(percent) : fmt::format("{:+.1f}", percent);
  };
  return fmt::format("from {} % to {} %", end(*change.low * 100), end(*change.high * 100));
}

/// Why a row was not judged.
std::string reason(const Change& change, const std::optional<Gate>& gate) {
  if (!change.ratio) return std::string(verdict_name(change.verdict));
  if (!gate)
    return fmt::format("{}: {:+.1f} %, {}", verdict_name(change.verdict), *change.ratio * 100, interval(change));
  return cannot_rule_out(change, *gate);
}

std::string test_case(const Change& change, Outcome outcome, const std::optional<Gate>& gate, std::string_view suite) {
  const double seconds = change.after ? change.after->count() / 1e6 : 0;
  const std::string head =
      fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.9f}")", xml(suite),
                  xml(change.type.empty() ? change.name : change.name + " " + change.type), seconds);
  if (outcome == Outcome::passed) return head + "/>\n";
  if (outcome == Outcome::skipped)
    return fmt::format("{}>\n      <skipped message=\"{}\"/>\n    </testcase>\n", head, xml(reason(change, gate)));
  return fmt::format("{}>\n      <failure message=\"{:+.1f} % slower, {}\"/>\n    </testcase>\n", head,
                     *change.ratio * 100, xml(interval(change)));
}

std::string suite(const Comparison& comparison, const std::optional<Gate>& gate) {
  const std::string name = comparison.before + " -> " + comparison.after;
  std::string cases;
  std::size_t failures = 0, skipped = 0;
  auto add = [&](const Change& change, bool is_whole) {
    const Outcome result = outcome(change, gate, is_whole);
    failures += result == Outcome::failed, skipped += result == Outcome::skipped;
    cases += test_case(change, result, gate, name);
  };
  add(comparison.whole, true);
  if (comparison.tail) add(*comparison.tail, false);
  for (const Change& op : comparison.ops) add(op, false);
  return fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n{}  </testsuite>\n",
      xml(name), comparison.ops.size() + (comparison.tail ? 2 : 1), failures, skipped, cases);
}

}  // namespace

std::string to_junit(std::span<const Comparison> comparisons, const std::optional<Gate>& gate) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  for (const Comparison& comparison : comparisons) text += suite(comparison, gate);
  return text + "</testsuites>\n";
}

}  // namespace takt
