#include "trace/chrome_frame.h"

#include <nlohmann/json.hpp>

#include "trace/json_scan.h"

namespace takt::chrome {
namespace {

using json_scan::skip_blanks;
using nlohmann::ordered_json;

std::optional<std::int64_t> integer_of(const ordered_json& value) {
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) {
    const auto parsed = ordered_json::parse(value.get<std::string>(), nullptr, false);
    if (parsed.is_number_integer()) return parsed.get<std::int64_t>();
  }
  return std::nullopt;
}

void keep(std::string_view key, std::string_view text, Frame& frame) {
  if (key != "baseTimeNanoseconds" && key != "distributedInfo" && key != "metadata") return;
  const auto value = ordered_json::parse(text, nullptr, false);
  if (key == "baseTimeNanoseconds") frame.base_time_ns = integer_of(value);
  if (!value.is_object()) return;
  if (key == "distributedInfo" && value.contains("rank")) frame.rank = integer_of(value["rank"]);
  if (key != "metadata" || !value.contains("takt") || !value["takt"].is_object()) return;
  const ordered_json& takt = value["takt"];
  frame.provenance = takt.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  if (takt.contains("host") && takt["host"].is_string()) frame.host = takt["host"].get<std::string>();
}

/// One `"key": value` at `p`; nullptr: the text ends too early or is not JSON. `key` is set when it was read.
const char* read_pair(const char* p, const char* end, std::string_view& key, std::string_view& value) {
  json_scan::Text text;
  key = {};
  if (p >= end || *p != '"') return nullptr;
  p = json_scan::scan_text(p + 1, end, text);
  if (p == nullptr) return nullptr;
  p = skip_blanks(p, end);
  if (p >= end || *p != ':') return nullptr;
  p = skip_blanks(p + 1, end);
  if (p >= end) return nullptr;
  key = text.raw;
  if (key == "traceEvents" && *p == '[') return p;
  const char* const after = json_scan::skip_value(p, end);
  if (after == nullptr || after == end) return nullptr;  // a number at the very end may go on
  value = std::string_view(p, static_cast<std::size_t>(after - p));
  return after;
}

}  // namespace

HeadState read_head(std::string_view text, Frame& frame, std::size_t& position) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* p = begin;
  if (text.starts_with("\xEF\xBB\xBF")) p += 3;
  p = skip_blanks(p, end);
  if (p >= end) return HeadState::needs_more;
  frame = {};
  frame.is_object = *p == '{';
  if (*p != '{' && *p != '[') return HeadState::not_json;
  p = skip_blanks(p + 1, end);
  position = static_cast<std::size_t>(p - begin);
  if (!frame.is_object) return HeadState::at_events;
  while (p < end) {
    if (*p == '}') return HeadState::no_events;
    if (*p != '"') return HeadState::not_json;
    std::string_view key, value;
    p = read_pair(p, end, key, value);
    if (p == nullptr) return HeadState::needs_more;
    if (key == "traceEvents" && *p == '[') {
      position = static_cast<std::size_t>(p - begin) + 1;
      return HeadState::at_events;
    }
    keep(key, value, frame);
    p = skip_blanks(p, end);
    if (p < end && *p == ',') p = skip_blanks(p + 1, end);
  }
  return HeadState::needs_more;
}

Tail read_tail(std::string_view text, Frame& frame) {
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const char* p = skip_blanks(begin, end);
  bool complete = !frame.is_object;
  while (!complete && p < end) {
    if (*p == ',') {
      p = skip_blanks(p + 1, end);
      continue;
    }
    if (*p == '}') {
      complete = true;
      p = skip_blanks(p + 1, end);
      break;
    }
    std::string_view key, value;
    const char* const after = read_pair(p, end, key, value);
    if (after == nullptr) break;
    if (value.empty()) {  // a second list of events
      p = json_scan::skip_value(after, end);
      if (p == nullptr) return {false, text.size()};
    } else {
      keep(key, value, frame);
      p = after;
    }
    p = skip_blanks(p, end);
  }
  return {complete, complete ? static_cast<std::size_t>(p - begin) : text.size()};
}

}  // namespace takt::chrome
