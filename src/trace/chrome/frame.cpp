#include "trace/chrome/frame.h"

#include <nlohmann/json.hpp>

#include "base/basics/nesting.h"
#include "trace/chrome/json_scan.h"

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

/// takt writes a backslash at the end of a text as \u005c; nothing else about the JSON is changed, so that numbers of
/// any length are kept.
std::string with_usual_backslashes(std::string_view json) {
  constexpr std::string_view long_form = "\\u005c";
  std::string text;
  for (std::size_t i = 0; i < json.size();) {
    const bool is_long = json.substr(i, long_form.size()) == long_form;
    const std::size_t size = is_long ? long_form.size() : json[i] == '\\' ? 2 : 1;
    text += is_long ? "\\\\" : json.substr(i, size);
    i += size;
  }
  return text;
}

/// The value with valid escapes: writers forget them in the paths of Windows. Empty: something else is wrong with it.
std::string with_valid_escapes(std::string_view json) {
  std::string mended;
  bool repaired = false;
  const char* const after = json_scan::copy_value(json.data(), json.data() + json.size(), mended, repaired);
  return after == nullptr || repaired ? std::string() : mended;
}

/// takt's own part of the metadata; what else it holds is a property of the file like any other key.
void keep_metadata(ordered_json metadata, Frame& frame) {
  if (metadata.contains("takt") && metadata["takt"].is_object()) {
    frame.provenance = metadata["takt"].dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    metadata.erase("takt");
  }
  if (metadata.empty()) return;
  frame.properties.push_back({"metadata", metadata.dump(-1, ' ', false, ordered_json::error_handler_t::replace)});
}

void keep(std::string_view key, std::string_view text, Frame& frame) {
  if (key == "displayTimeUnit" || key == "traceEvents") return;  // takt writes its own
  if (nests_deeper(text)) return;
  auto value = ordered_json::parse(text, nullptr, false);
  std::string mended;
  if (value.is_discarded()) {
    mended = with_valid_escapes(text);
    value = ordered_json::parse(mended, nullptr, false);
    text = mended;
  }
  if (value.is_discarded()) return;
  if (key == "samples" && value.is_array()) frame.samples += value.size();
  if (key == "baseTimeNanoseconds") {
    frame.base_time_ns = integer_of(value);
  } else if (key == "metadata") {
    if (value.is_object()) keep_metadata(std::move(value), frame);
  } else if (const auto name = ordered_json::parse("\"" + std::string(key) + "\"", nullptr, false); name.is_string()) {
    frame.properties.push_back({name.get<std::string>(), with_usual_backslashes(text)});
  }
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
  const bool has_mark = text.starts_with("\xEF\xBB\xBF");
  if (has_mark) p += 3;
  p = skip_blanks(p, end);
  if (p >= end) return HeadState::needs_more;
  frame = {};
  frame.has_mark = has_mark;
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
