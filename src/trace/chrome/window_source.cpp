// How the file is cut. Reading and inflating go from front to back, under one lock; the parsing of a window is left to
// the thread that took it. Where a window may be cut is only known once it is parsed, so the cut is guessed: before
// the last text that looks like the start of an event (a comma, a brace, a usual key). A parser that ends exactly there
// proves the guess right. If one does not (an argument that looks like an event, a broken event), the file is read
// again by one thread that cuts where its parser stopped. That costs odd files twice the time, and good ones no second
// scan.
#include "trace/chrome/window_source.h"

#include <algorithm>
#include <cstring>

#include "trace/chrome/events.h"
#include "trace/chrome/json_scan.h"

namespace takt::chrome {
namespace {

constexpr std::size_t padding = EventParser::readable;  // zeros behind a window, which parsers may look at

/// A comma in the text, behind which an event seems to start: as far back as possible. 0: none.
std::size_t guess_cut(std::string_view text) {
  const char* const begin = text.data();
  for (std::size_t at = text.size(); at > 1;) {
    const void* found = ::memrchr(begin, ',', at);
    if (found == nullptr) return 0;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - begin);
    std::size_t before = at;
    while (before > 0 && json_scan::is_blank(text[before - 1])) --before;
    if (before == 0 || text[before - 1] != '}') continue;
    std::size_t next = at + 1;
    while (next < text.size() && json_scan::is_blank(text[next])) ++next;
    if (next + 8 > text.size() || text[next] != '{') continue;
    const std::string_view rest = text.substr(next + 1);
    const std::size_t quote = rest.find_first_not_of(" \t\r\n");
    if (quote == rest.npos || rest[quote] != '"') continue;
    const std::string_view key = rest.substr(quote + 1);
    for (const std::string_view usual : {"ph\"", "name\"", "cat\"", "pid\"", "ts\"", "args\"", "tid\"", "dur\""}) {
      if (key.starts_with(usual)) return at;
    }
  }
  return 0;
}

}  // namespace

void WindowSource::fill(std::vector<char>& buffer, std::size_t size) {
  buffer.resize(size + padding);
  std::memcpy(buffer.data(), carry_.data(), carry_.size());
  const std::size_t room = size - carry_.size();
  const std::size_t count = source_.read({buffer.data() + carry_.size(), room});
  at_end_ = count < room;
  filled_ = carry_.size() + count;
  std::memset(buffer.data() + filled_, 0, padding);
}

bool WindowSource::next(std::vector<char>& buffer, std::string_view& text, Window& window) {
  if (at_end_ && carry_.empty()) return false;
  std::size_t size = std::max(window_bytes_, carry_.size() * 2), cut = 0;
  while (true) {
    fill(buffer, size);
    if (at_end_) {
      cut = filled_;
      break;
    }
    cut = guess_cut({buffer.data(), filled_});
    if (cut != 0) break;
    carry_.assign(buffer.data(), filled_);
    drop_blanks();
    size = std::max(window_bytes_, carry_.size() * 2);
  }
  carry_.assign(buffer.data() + cut, filled_ - cut);
  std::memset(buffer.data() + cut, 0, std::min(padding, filled_ + padding - cut));
  text = {buffer.data(), cut};
  give_number(window, cut);
  return true;
}

bool WindowSource::next_uncut(std::vector<char>& buffer, std::string_view& text, Window& window, std::size_t least) {
  if (at_end_ && carry_.empty()) return false;
  fill(buffer, std::max({window_bytes_, least, carry_.size() + 1}));
  text = {buffer.data(), filled_};
  carry_.clear();
  give_number(window, 0);
  return true;
}

void WindowSource::consume(std::string_view text, std::size_t consumed) {
  carry_.assign(text.substr(consumed));
  offset_ += consumed;
  if (consumed == 0) drop_blanks();
}

void WindowSource::drop_blanks() {
  const std::size_t begin = carry_.starts_with(',') ? 1 : 0;
  const std::size_t end = std::min(carry_.find_first_not_of(" \t\r\n", begin), carry_.size());
  carry_.erase(begin, end - begin);
  offset_ += end - begin;
}

void WindowSource::drop_last_blanks() {
  constexpr std::size_t most_blanks = std::size_t{1} << 20;
  const std::size_t last = carry_.find_last_not_of(" \t\r\n");
  const std::size_t text = last == carry_.npos ? 0 : last + 1;
  if (carry_.size() - text > most_blanks) carry_.resize(text + most_blanks);
}

void WindowSource::skip(std::size_t bytes) {
  carry_.erase(0, bytes);
  offset_ += bytes;
}

void WindowSource::give_number(Window& window, std::size_t taken) {
  window.number = number_++;
  window.offset = offset_;
  window.file_bytes = source_.expected_size();
  offset_ += taken;
}

}  // namespace takt::chrome
