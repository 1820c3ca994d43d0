// A cursor over JSON text that is thought to be well formed: strict where it looks, and never past its end.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "measure/profiles/peer_profile.h"

namespace takt {

/// The text is not what the quick way understands; whether it is wrong, the thorough way decides. `what` is why, in
/// words that follow a file's name.
struct OddJson {
  const char* what = "is not well-formed JSON";
};

class JsonCursor {
 public:
  /// Bytes [begin, end) of `padded_text`, which must stay readable for 16 bytes behind its own end.
  JsonCursor(std::string_view padded_text, std::size_t begin, std::size_t end)
      : base_(padded_text.data()), at_(base_ + begin), end_(base_ + end) {}

  std::size_t offset() const { return static_cast<std::size_t>(at_ - base_); }
  void move_to(std::size_t offset) { at_ = base_ + offset; }

  /// The next character that is no blank; '\0' at the end.
  char peek() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
    return at_ == end_ ? '\0' : *at_;
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) throw OddJson{};
  }

  /// The string that comes next, without its quotes and as written.
  std::string_view raw_string();

  /// The same unescaped, if need be into a new element of `unescaped`.
  std::string_view string(std::deque<std::string>& unescaped);

  /// The text of the value that comes next, whatever it is.
  std::string_view value();

  /// The number that comes next; nullopt: another value, which is passed.
  std::optional<PeerNumber> number();

  /// Walks the members of the object that comes next. `member(key)` must consume the value. Keys with escapes are
  /// unescaped first.
  template <typename Member>
  void object(Member member) {
    expect('{');
    if (take('}')) return;
    do {
      const std::string_view raw = raw_string();
      expect(':');
      if (raw.find('\\') == std::string_view::npos) {
        member(raw);
      } else {
        std::deque<std::string> unescaped;
        member(unescape(raw, unescaped));
      }
    } while (take(','));
    expect('}');
  }

 private:
  static std::string_view unescape(std::string_view raw, std::deque<std::string>& unescaped);
  std::string_view word();
  void skip_brackets();

  const char *base_, *at_, *end_;
};

}  // namespace takt
