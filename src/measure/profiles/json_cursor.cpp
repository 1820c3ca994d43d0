#include "measure/profiles/json_cursor.h"

#include <bit>
#include <charconv>
#include <cstdint>

#include "measure/profiles/json_text.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace takt {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

#if defined(__SSE2__)

/// Of the 16 bytes at `at`, a bit for each one wanted: quotes, and backslashes or brackets.
std::uint32_t string_ends(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(
      _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')))));
}

std::uint32_t quotes_and_brackets(const char* at) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));  // '[' and '{', ']' and '}' differ in one bit
  const __m128i brackets =
      _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')), _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_or_si128(brackets, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"')))));
}

/// The first byte from `at` that `wanted` marks, `end` if none.
template <typename Wanted>
const char* next(const char* at, const char* end, Wanted wanted) {
  for (; at < end; at += 16)
    if (const std::uint32_t bits = wanted(at)) return std::min(at + std::countr_zero(bits), end);
  return end;
}

const char* next_string_end(const char* at, const char* end) { return next(at, end, string_ends); }
const char* next_quote_or_bracket(const char* at, const char* end) { return next(at, end, quotes_and_brackets); }

#else

const char* next_of(const char* at, const char* end, std::string_view wanted) {
  while (at < end && wanted.find(*at) == std::string_view::npos) ++at;
  return at;
}

const char* next_string_end(const char* at, const char* end) { return next_of(at, end, "\"\\"); }
const char* next_quote_or_bracket(const char* at, const char* end) { return next_of(at, end, "\"[]{}"); }

#endif

}  // namespace

std::string_view JsonCursor::raw_string() {
  expect('"');
  const char* begin = at_;
  while (true) {
    at_ = next_string_end(at_, end_);
    if (at_ == end_) throw OddJson{"ends in the middle of a value: the file is truncated or not JSON"};
    if (*at_ == '"') return {begin, static_cast<std::size_t>(at_++ - begin)};
    if (end_ - at_ < 2) throw OddJson{};
    at_ += 2;
  }
}

std::string_view JsonCursor::unescape(std::string_view raw, std::deque<std::string>& unescaped) {
  return json_string(raw.data(), {raw.data(), raw.size() + 1}, unescaped);
}

std::string_view JsonCursor::string(std::deque<std::string>& unescaped) {
  const std::string_view raw = raw_string();
  return raw.find('\\') == std::string_view::npos ? raw : unescape(raw, unescaped);
}

std::string_view JsonCursor::word() {
  const char* begin = at_;
  while (at_ != end_ && (is_digit(*at_) || (*at_ >= 'a' && *at_ <= 'z') || (*at_ >= 'A' && *at_ <= 'Z') ||
                         *at_ == '.' || *at_ == '-' || *at_ == '+'))
    ++at_;
  if (at_ == begin) throw OddJson{};
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

void JsonCursor::skip_brackets() {
  std::size_t depth = 0;
  do {
    at_ = next_quote_or_bracket(at_, end_);
    if (at_ == end_) throw OddJson{};
    if (*at_ == '"') {
      raw_string();
      continue;
    }
    const bool opens = *at_ == '{' || *at_ == '[';
    depth += opens ? 1 : std::size_t{0} - 1;
    ++at_;
    // Brackets alone do not make it JSON; where nothing can stand before them, simdjson loses its place and refuses.
    if (opens && (peek() == ':' || peek() == ',')) throw OddJson{};
  } while (depth != 0);
}

std::string_view JsonCursor::value() {
  const char first = peek();
  const char* begin = at_;
  if (first == '"')
    raw_string();
  else if (first == '{' || first == '[') {
    skip_brackets();
    const std::string_view inside(begin + 1, static_cast<std::size_t>(at_ - begin - 1));
    const std::size_t next = first == '{' ? inside.find_first_not_of(" \t\r\n") : 0;
    if (first == '{' && inside[next] != '"' && inside[next] != '}') throw OddJson{};
  } else if (is_digit(first) || first == '-' || first == 't' || first == 'f' || first == 'n')
    return word();
  else
    throw OddJson{};
  return {begin, static_cast<std::size_t>(at_ - begin)};
}

std::optional<PeerNumber> JsonCursor::number() {
  const char first = peek();
  if (!is_digit(first) && !(first == '-' && end_ - at_ > 1 && is_digit(at_[1]))) {
    if (first == 'N' || first == 'I' || first == '-') return json_number(word());  // NaN and Infinity, maybe
    if (first == '{' || first == '[') throw OddJson{};
    value();
    return std::nullopt;
  }
  const char* digits = at_ + (first == '-');
  const char* integer_end = digits;
  while (integer_end != end_ && is_digit(*integer_end)) ++integer_end;
  double number = 0;
  const auto [end, error] = std::from_chars(at_, end_, number);
  const char follower = end == end_ ? ' ' : *end;
  if (error != std::errc() || (follower != ',' && follower != '}' && follower != ' ')) return json_number(value());
  at_ = end;
  return PeerNumber{number, end == integer_end};
}

}  // namespace takt
