// The text of a file in windows, which parsers take one by one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/chrome/windows.h"
#include "trace/events/byte_source.h"

namespace takt::chrome {

/// Not thread-safe. Behind the text of a window lie zeros, which parsers may look at (EventParser::readable).
class WindowSource {
 public:
  WindowSource(ByteSource& source, std::size_t window_bytes) : source_(source), window_bytes_(window_bytes) {}

  /// Fills `buffer` with what was carried over and more of the file. At the end of the file `last` is set.
  void fill(std::vector<char>& buffer, std::size_t size);
  /// The next window, cut where an event seems to end. False: there is none.
  bool next(std::vector<char>& buffer, std::string_view& text, Window& window);
  /// The next window, not cut; the parser tells how much of it was events. At least `least` bytes, if there are.
  bool next_uncut(std::vector<char>& buffer, std::string_view& text, Window& window, std::size_t least);
  void consume(std::string_view text, std::size_t consumed);
  /// Those between the last event and the next one, which may be more than memory holds.
  void drop_blanks();
  /// Those behind the list, where nothing but the end of the file can follow so many.
  void drop_last_blanks();
  void skip(std::size_t bytes);

  bool at_end() const { return at_end_; }
  std::size_t filled() const { return filled_; }
  std::string& carry() { return carry_; }
  std::uint64_t offset() const { return offset_; }

 private:
  void give_number(Window& window, std::size_t taken);

  ByteSource& source_;
  std::size_t window_bytes_;
  std::string carry_;
  std::size_t filled_ = 0;
  std::uint64_t number_ = 0, offset_ = 0;
  bool at_end_ = false;
};

}  // namespace takt::chrome
