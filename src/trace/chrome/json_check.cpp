#include "trace/chrome/json_check.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "trace/chrome/json_scan.h"

namespace takt {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_one_of(char c, const char* those) { return c != '\0' && std::strchr(those, c) != nullptr; }

}  // namespace

void JsonCheck::take(std::span<const char> bytes) {
  const char* const begin = bytes.data();
  const char* const end = begin + bytes.size();
  for (const char* p = begin; p < end && !fault_; ++p) {
    if (state_ == State::text) p = json_scan::find_special(p, end);
    if (p < end && !step(*p)) fault_ = seen_ + static_cast<std::uint64_t>(p - begin);
  }
  seen_ += bytes.size();
}

void JsonCheck::end() {
  const bool is_done = open_.empty() && (state_ == State::behind_value || is_whole_number());
  if (!fault_ && !is_done) fault_ = seen_;
}

bool JsonCheck::step(char c) {
  switch (state_) {
    case State::text:
      if (c == '"') state_ = is_key_ ? State::colon : State::behind_value;
      if (c == '\\') state_ = State::escape;
      return c == '"' || c == '\\';  // a control character else
    case State::escape:
      hex_left_ = 4;
      state_ = c == 'u' ? State::hex_digits : State::text;
      return is_one_of(c, "\"\\/bfnrtu");
    case State::hex_digits:
      if (--hex_left_ == 0) state_ = State::text;
      return is_hex_digit(c);
    case State::word:
      if (*rest_ != c) return false;
      if (*++rest_ == '\0') state_ = State::behind_value;
      return true;
    case State::value:
    case State::first_value:
    case State::first_key:
    case State::key:
    case State::colon:
    case State::behind_value:
      return json_scan::is_blank(c) || in_structure(c);
    default:
      return in_number(c);
  }
}

bool JsonCheck::in_structure(char c) {
  switch (state_) {
    case State::first_value:
      return c == ']' ? close(c) : begin_value(c);
    case State::first_key:
      if (c == '}') return close(c);
      [[fallthrough]];
    case State::key:
      is_key_ = true;
      state_ = State::text;
      return c == '"';
    case State::colon:
      state_ = State::value;
      return c == ':';
    case State::behind_value:
      if (open_.empty()) return false;
      if (c != ',') return close(c);
      state_ = open_.back() ? State::key : State::value;
      return true;
    default:
      return begin_value(c);
  }
}

bool JsonCheck::close(char c) {
  if (c != (open_.back() ? '}' : ']')) return false;
  open_.pop_back();
  state_ = State::behind_value;
  return true;
}

bool JsonCheck::begin_value(char c) {
  if (c == '{' || c == '[') {
    open_.push_back(c == '{');
    state_ = c == '{' ? State::first_key : State::first_value;
  } else if (c == '"') {
    is_key_ = false;
    state_ = State::text;
  } else if (c == '-') {
    state_ = State::minus;
  } else if (is_digit(c)) {
    state_ = c == '0' ? State::zero : State::whole;
  } else {
    state_ = State::word;
    rest_ = c == 't' ? "rue" : c == 'f' ? "alse" : c == 'n' ? "ull" : "";
    return *rest_ != '\0';
  }
  return true;
}

bool JsonCheck::is_whole_number() const {
  return state_ == State::zero || state_ == State::whole || state_ == State::fraction ||
         state_ == State::exponent_digits;
}

bool JsonCheck::in_number(char c) {
  const bool has_exponent = state_ == State::exponent_digits, has_point = has_exponent || state_ == State::fraction;
  if (is_digit(c)) {
    if (state_ == State::zero) return false;
    if (state_ == State::minus) state_ = c == '0' ? State::zero : State::whole;
    if (state_ == State::point) state_ = State::fraction;
    if (state_ == State::exponent || state_ == State::exponent_sign) state_ = State::exponent_digits;
    return true;
  }
  if (state_ == State::exponent && is_one_of(c, "+-")) {
    state_ = State::exponent_sign;
    return true;
  }
  if (!is_whole_number()) return false;
  if (c == '.' && !has_point) {
    state_ = State::point;
    return true;
  }
  if (is_one_of(c, "eE") && !has_exponent) {
    state_ = State::exponent;
    return true;
  }
  state_ = State::behind_value;
  return step(c);
}

std::size_t CheckedSource::read(std::span<char> buffer) {
  const std::size_t count = source_.read(buffer);
  check_.take(buffer.first(count));
  size_ += count;
  return count;
}

bool CheckedSource::rewind() {
  if (!source_.rewind()) return false;
  check_ = {};
  size_ = 0;
  return true;
}

std::optional<std::uint64_t> CheckedSource::fault_before_end() {
  std::array<char, 1 << 16> rest;
  while (read(rest) == rest.size()) {
  }
  check_.end();
  return check_.fault() < size_ ? check_.fault() : std::nullopt;
}

void add_json_fault(CheckedSource& source, TraceRead& read) {
  const auto says_so = [](const TraceFault& fault) {
    switch (fault.rule) {
      case TraceRule::byte_order_mark:
      case TraceRule::text_after_end:
      case TraceRule::malformed_event:
      case TraceRule::control_character:
      case TraceRule::not_a_number:
      case TraceRule::argument_not_a_number:
        return true;
      default:
        return false;
    }
  };
  const auto byte = source.fault_before_end();
  if (!byte || std::any_of(read.faults.begin(), read.faults.end(), says_so)) return;
  const auto behind = std::find_if(read.faults.begin(), read.faults.end(),
                                   [](const TraceFault& fault) { return fault.rule > TraceRule::not_json; });
  read.faults.insert(behind, {TraceRule::not_json, 1, "byte " + std::to_string(*byte)});
}

}  // namespace takt
