// A thin owner of a regular expression of PCRE2: std::regex is slow, and recurses once per character until the stack
// ends.
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

  /// `text` with every match that is not empty replaced by `by`. Throws as find().
  std::string replaced(std::string_view text, std::string_view by) const;

 private:
  struct Free {
    void operator()(void* code) const;
  };
  std::unique_ptr<void, Free> code_;
};

}  // namespace takt
