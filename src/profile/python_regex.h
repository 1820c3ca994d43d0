// Regular expressions: a thin owner of a PCRE2 pattern, and Python's `re` syntax translated to it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace takt {

/// A compiled pattern in PCRE2's own syntax, UTF-8 throughout. Movable; matching is thread-safe.
class Regex {
 public:
  struct Match {
    std::size_t start, end;              ///< of the whole match, in bytes
    std::size_t group_start, group_end;  ///< of the first group; both 0 when it took no part
  };

  /// Throws Error(bad_input) with PCRE2's reason.
  explicit Regex(std::string_view pattern);

  /// The first match at or after `from`; with `anchored`, only one that starts there. `text` must be valid UTF-8.
  /// Throws Error(bad_input) when the pattern needs more backtracking than PCRE2 allows.
  std::optional<Match> find(std::string_view text, std::size_t from = 0, bool anchored = false) const;

 private:
  struct Free {
    void operator()(void* code) const;
  };
  std::unique_ptr<void, Free> code_;
};

/// The PCRE2 pattern that means the same as the Python 3.11 pattern. Throws Error(bad_input) for what Python refuses.
std::string translate_python_pattern(std::string_view pattern);

}  // namespace takt
