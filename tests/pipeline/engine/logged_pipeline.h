// A user's pipeline as its own program logs it, and what its tables say.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "takt/error.h"
#include "takt/pipeline_profiler.h"

namespace takt {

using std::chrono::microseconds;
using std::chrono::milliseconds;

/// A profiler with times counted in milliseconds from a moment of its own.
class Log {
 public:
  void event(const char* stage, const char* device, std::int64_t batch, std::int64_t from_ms, std::int64_t to_ms) {
    profiler.log_event(stage, device, batch, base_ + milliseconds(from_ms), base_ + milliseconds(to_ms));
  }
  std::chrono::nanoseconds at(std::int64_t ms) const { return base_ + milliseconds(ms); }

  PipelineProfiler profiler{"mine"};

 private:
  std::chrono::nanoseconds base_ = PipelineProfiler::now();
};

inline std::size_t column_of(const ProfileTable& table, const std::string& name) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), name);
  EXPECT_NE(found, table.columns.end()) << name;
  return static_cast<std::size_t>(found - table.columns.begin());
}

/// The column of a table, every value as a double (text and what is missing as not a number).
inline std::vector<double> numbers(const PipelineProfiler& profiler, const std::string& table,
                                   const std::string& column) {
  for (const ProfileTable& candidate : profiler.tables()) {
    if (candidate.name != table) continue;
    std::vector<double> result;
    for (const auto& row : candidate.rows) {
      const auto& value = row[column_of(candidate, column)];
      if (const auto* integer = std::get_if<std::int64_t>(&value))
        result.push_back(static_cast<double>(*integer));
      else
        result.push_back(std::holds_alternative<double>(value) ? std::get<double>(value) : std::nan(""));
    }
    return result;
  }
  ADD_FAILURE() << "no table " << table;
  return {};
}

inline std::vector<std::string> texts(const PipelineProfiler& profiler, const std::string& table,
                                      const std::string& column) {
  std::vector<std::string> result;
  for (const ProfileTable& candidate : profiler.tables())
    if (candidate.name == table)
      for (const auto& row : candidate.rows) result.push_back(std::get<std::string>(row[column_of(candidate, column)]));
  return result;
}

template <typename Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;

}  // namespace takt
