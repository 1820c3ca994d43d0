#include "base/basics/regex.h"

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/utf8.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace takt {

namespace {

std::string reason(int code) {
  unsigned char buffer[256];
  pcre2_get_error_message(code, buffer, sizeof buffer);
  return reinterpret_cast<const char*>(buffer);
}

}  // namespace

void Regex::Free::operator()(void* code) const { pcre2_code_free(static_cast<pcre2_code*>(code)); }

Regex::Regex(std::string_view pattern) {
  int error = 0;
  std::size_t offset = 0;
  pcre2_compile_context* context = pcre2_compile_context_create(nullptr);
  pcre2_set_newline(context, PCRE2_NEWLINE_LF);
  pcre2_code* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                   PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &offset, context);
  pcre2_compile_context_free(context);
  if (!code)
    throw Error(ErrorKind::bad_input, "pattern '" + std::string(pattern) + "': " + reason(error) + " (at character " +
                                          std::to_string(offset) + ")");
  code_.reset(code);
  pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // without it matching is slower, not different
}

std::optional<Regex::Match> Regex::find(std::string_view text, std::size_t from, bool anchored) const {
  const auto* code = static_cast<const pcre2_code*>(code_.get());
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create_from_pattern(code, nullptr), &pcre2_match_data_free);
  // PCRE2_ANCHORED switches just-in-time matching off, which costs time only.
  const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), from,
                                anchored ? PCRE2_ANCHORED : 0, data.get(), nullptr);
  if (found == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (found < 0) throw Error(ErrorKind::bad_input, "a pattern cannot be applied: " + reason(found));
  const std::size_t* ends = pcre2_get_ovector_pointer(data.get());
  Match match{ends[0], ends[1], 0, 0};
  if (found > 1 && ends[2] != PCRE2_UNSET) match.group_start = ends[2], match.group_end = ends[3];
  return match;
}

std::string Regex::replaced(std::string_view text, std::string_view by) const {
  std::string result;
  std::size_t kept = 0;
  for (std::size_t at = 0; const auto match = find(text, at);) {
    if (match->end == match->start) {
      if (match->end >= text.size()) break;
      at = match->end + std::max<std::size_t>(utf8_length(text.substr(match->end)), 1);
      continue;
    }
    result.append(text.substr(kept, match->start - kept)).append(by);
    kept = at = match->end;
  }
  return result.append(text.substr(kept));
}

}  // namespace takt
