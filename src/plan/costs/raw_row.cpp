#include "plan/costs/raw_row.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"
#include "plan/costs/json.h"
#include "plan/costs/row_values.h"

namespace takt {
namespace {

using Json = nlohmann::json;

constexpr Duration least_mean{0.5e-6};  // times are kept to a picosecond
constexpr double longest_ms = 1e9;      // eleven days: beyond that somebody wrote another unit

/// The values of a row (or of an object in it) with the sentences that refuse them.
class RowReader {
 public:
  RowReader(const Json& object, std::string place) : object_(object), place_(std::move(place)) {
    if (!object.is_object()) refuse_input(fmt::format("{} is {}; write an object", place_, JsonObject::shown(object)));
  }

  bool has(const char* key) const { return object_.contains(key); }

  /// nullptr: it is not there, or null.
  const Json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }

  [[noreturn]] void refuse(const char* key, const Json& value, std::string_view wanted) const {
    refuse_input(fmt::format("{}: '{}' is {}; give {}", place_, key, JsonObject::shown(value), wanted));
  }

  std::optional<Duration> time(const char* key) const {
    const Json* value = find(key);
    if (!value) return std::nullopt;
    const double ms = value->is_number() ? value->get<double>() : -1;
    if (!(ms >= 0 && ms <= longest_ms)) refuse(key, *value, "a time in ms, from 0 to 1e9");
    return from_milliseconds(ms);
  }

  Duration required_time(const char* key) const {
    const auto value = time(key);
    if (!value) refuse_input(fmt::format("{}: has no '{}'; give a time in ms", place_, key));
    return *value;
  }

  std::string text(const char* key) const {
    const Json* value = find(key);
    if (!value) return "";
    if (!value->is_string()) refuse(key, *value, "a string");
    return value->get<std::string>();
  }

  bool flag(const char* key) const {
    const Json* value = find(key);
    if (value && !value->is_boolean()) refuse(key, *value, "true or false");
    return value && value->get<bool>();
  }

  const std::string& place() const { return place_; }

 private:
  const Json& object_;
  std::string place_;
};

std::int64_t positive_integer(const RowReader& row, const char* key, const Json& value) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0 ||
      value.get<std::uint64_t>() > static_cast<std::uint64_t>(longest_sample_ns))
    row.refuse(key, value, "whole numbers above 0");
  return value.get<std::int64_t>();
}

std::vector<Nanoseconds> samples_of(const RowReader& row) {
  const Json* list = row.find("samples_ns");
  if (!list) return {};
  if (!list->is_array() || list->empty()) row.refuse("samples_ns", *list, "a list of nanoseconds");
  return checked_samples(*list, row.place() + ": 'samples_ns'");
}

/// Of so many samples each.
std::vector<std::size_t> rounds_of(const RowReader& row, std::size_t samples) {
  std::vector<std::size_t> rounds;
  const Json* list = row.find("rounds");
  if (!list) return rounds;
  if (!list->is_array() || list->empty()) row.refuse("rounds", *list, "a list of numbers of samples");
  std::size_t sum = 0;
  for (const Json& one : *list) {
    rounds.push_back(static_cast<std::size_t>(positive_integer(row, "rounds", one)));
    if (rounds.back() > samples - sum) row.refuse("rounds", *list, fmt::format("numbers whose sum is {}", samples));
    sum += rounds.back();
  }
  if (sum != samples) row.refuse("rounds", *list, fmt::format("numbers whose sum is {}", samples));
  return rounds;
}

/// Rounding on the way through other programs is fine; a value in another unit or column is not.
void check_order(const RowReader& row, const StageTimes& times) {
  constexpr double rounding = 1.01;
  if (times.mean < least_mean)
    refuse_input(fmt::format(
        "{}: 'mean' is {} ms, which is not a possible time of an inference; leave out rows that were not measured",
        row.place(), milliseconds(times.mean)));
  if (times.min > rounding * times.mean || times.mean > rounding * times.max)
    refuse_input(fmt::format("{}: 'min', 'mean' and 'max' are {}, {} and {} ms, which is not in ascending order",
                             row.place(), milliseconds(times.min), milliseconds(times.mean), milliseconds(times.max)));
}

StageTimes times_in(const RowReader& row) {
  StageTimes times;
  times.mean = row.required_time("mean");
  times.min = row.required_time("min");
  times.max = row.required_time("max");
  if (!row.has("std")) refuse_input(fmt::format("{}: has no 'std'; give a time in ms, or null", row.place()));
  times.stddev = row.time("std");
  times.median = row.time("median");
  times.p90 = row.time("p90");
  check_order(row, times);
  auto sampled = times_of(samples_of(row));
  if (!sampled) return times;
  constexpr double agreement = 1e-3;
  if (std::abs(sampled->mean / times.mean - 1) > agreement)
    refuse_input(fmt::format("{}: 'mean' is {} ms, but its 'samples_ns' have a mean of {} ms", row.place(),
                             milliseconds(times.mean), milliseconds(sampled->mean)));
  sampled->rounds = rounds_of(row, sampled->samples.size());
  return std::move(*sampled);
}

std::optional<StageCopy> copy_in(const RowReader& row, const char* key) {
  const Json* copies = row.find("copies");
  if (!copies) return std::nullopt;
  const RowReader both(*copies, row.place() + ": 'copies'");
  const Json* copy = both.find(key);
  if (!copy) return std::nullopt;
  const RowReader one(*copy, fmt::format("{}: '{}'", both.place(), key));
  const Json* bytes = one.find("bytes");
  if (!bytes) refuse_input(fmt::format("{}: has no 'bytes'", one.place()));
  const bool is_nothing = *bytes == 0u;  // the messages of a graph without edges
  return StageCopy{is_nothing ? 0 : positive_integer(one, "bytes", *bytes), one.required_time("median")};
}

StageStatus status_in(const RowReader& row) {
  const bool failed = row.flag("failed");
  const Json* value = row.find("status");
  if (!value) return failed ? StageStatus::failed : StageStatus::measured;
  const std::string name = row.text("status");
  for (const StageStatus status : {StageStatus::measured, StageStatus::unsupported, StageStatus::failed})
    if (name == status_name(status) && (status != StageStatus::measured) == failed) return status;
  row.refuse("status", *value, failed ? "unsupported or failed, as 'failed' is true" : "measured");
}

/// Why there is no time: takt calls it "reason", other programs "error".
std::string reason_in(const RowReader& row, StageStatus status) {
  if (status == StageStatus::measured) return "";
  std::string reason = row.text("reason");
  if (reason.empty()) reason = row.text("error");
  return reason.empty() ? "the file gives no reason" : reason;
}

}  // namespace

StageMeasurement parse_raw_row(const Json& json, const std::string& place) {
  const RowReader row(json, place);
  StageMeasurement measurement;
  measurement.status = status_in(row);
  measurement.reason = reason_in(row, measurement.status);
  measurement.runtime = row.text("runtime");
  measurement.device = row.text("device");
  measurement.precision = row.text("precision");
  if (measurement.status == StageStatus::measured) measurement.times = times_in(row);
  measurement.inputs_copy = copy_in(row, "inputs");
  measurement.outputs_copy = copy_in(row, "outputs");
  return measurement;
}

}  // namespace takt
