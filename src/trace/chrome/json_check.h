// Whether bytes that come in pieces are JSON, of any size and depth in a few bytes of memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/events/byte_source.h"
#include "trace/events/trace_read.h"

namespace takt {

/// JSON as RFC 8259 has it; only whether texts are UTF-8 is not looked at. Not thread-safe.
class JsonCheck {
 public:
  void take(std::span<const char> bytes);
  /// Nothing more comes.
  void end();
  /// The first byte that no JSON has there, counted from 0; the number of bytes where they end too early.
  std::optional<std::uint64_t> fault() const { return fault_; }

 private:
  enum class State : std::uint8_t {
    value,        ///< has to come
    first_value,  ///< or the list ends
    first_key,    ///< or the object ends
    key,          ///< has to come
    colon,
    behind_value,  ///< a comma, a closing bracket or the end
    text,
    escape,
    hex_digits,
    word,  ///< true, false, null
    minus,
    zero,
    whole,
    point,
    fraction,
    exponent,
    exponent_sign,
    exponent_digits,
  };

  bool step(char c);
  bool begin_value(char c);
  bool in_structure(char c);
  bool in_number(char c);
  bool close(char c);
  bool is_whole_number() const;

  State state_ = State::value;
  std::vector<bool> open_;  ///< what is open: objects are true
  bool is_key_ = false;     ///< the text
  int hex_left_ = 0;
  const char* rest_ = "";  ///< of the word
  std::uint64_t seen_ = 0;
  std::optional<std::uint64_t> fault_;
};

/// A source whose bytes are checked as they are read. `source` must outlive it.
class CheckedSource : public ByteSource {
 public:
  explicit CheckedSource(ByteSource& source) : source_(source) {}
  std::size_t read(std::span<char> buffer) override;
  bool rewind() override;
  std::optional<std::size_t> expected_size() const override { return source_.expected_size(); }
  std::string damage() const override { return source_.damage(); }

  /// Reads what is left. Returns where the bytes are no JSON, unless they only end too early; nullopt: nowhere.
  std::optional<std::uint64_t> fault_before_end();

 private:
  ByteSource& source_;
  JsonCheck check_;
  std::uint64_t size_ = 0;
};

/// Adds the fault not_json to what was read from `source`, unless a fault says already that the file is no JSON.
void add_json_fault(CheckedSource& source, TraceRead& read);

}  // namespace takt
