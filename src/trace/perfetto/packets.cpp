#include "trace/perfetto/packets.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "trace/write/perfetto_wire.h"

namespace takt::perfetto {
namespace {

constexpr char packet_tag = 0x0A;  // field 1 of the trace, a message
constexpr std::size_t longest_head = 11;
constexpr std::size_t largest_packet = std::size_t{1} << 28;
constexpr std::size_t read_at_once = std::size_t{1} << 20;

}  // namespace

bool looks_like_packets(std::string_view front) {
  if (front.empty() || front[0] != packet_tag) return false;
  const char* const end = front.data() + front.size();
  const auto [begin, size] = read_varint(front.data() + 1, end);
  if (begin == nullptr) return false;
  const std::string_view rest(begin, static_cast<std::size_t>(end - begin));
  Field field;
  if (size <= rest.size()) {
    Fields fields(rest.substr(0, static_cast<std::size_t>(size)));
    while (fields.next(field)) continue;
    return !fields.is_broken() && (size < rest.size() ? rest[static_cast<std::size_t>(size)] == packet_tag : true);
  }
  // A first packet that is longer than what can be seen. A size of several bytes begins with none that JSON has there;
  // of a short file that is cut off JSON's brackets and braces make no field, and its blanks are blanks.
  const bool is_blank = size == ' ' || size == '\t' || size == '\n' || size == '\r';
  return begin - front.data() > 2 || rest.empty() || (!is_blank && Fields(rest).next(field));
}

/// Sees to `wanted` bytes in the buffer; false: the file has fewer.
bool PacketSource::fill(std::size_t wanted) {
  while (size_ < wanted && !at_end_) {
    if (begin_ != 0) std::memmove(buffer_.data(), buffer_.data() + begin_, size_);
    begin_ = 0;
    buffer_.resize(std::max(buffer_.size(), size_ + read_at_once));
    const std::size_t room = buffer_.size() - size_;
    const std::size_t count = source_.read({buffer_.data() + size_, room});
    at_end_ = count < room;
    size_ += count;
  }
  return size_ >= wanted;
}

bool PacketSource::next(std::string_view& packet) {
  while (end_ == End::none) {
    if (size_ < longest_head) fill(longest_head);
    offset_ = taken_;
    if (size_ == 0) return stop(source_.damage().empty() ? End::whole : End::cut_off);
    const char* const begin = buffer_.data() + begin_;
    const char* const end = begin + size_;
    if (*begin != packet_tag) return stop(End::broken);
    const auto [body, size] = read_varint(begin + 1, end);
    if (body == nullptr) return stop(size_ < longest_head ? End::cut_off : End::broken);
    if (size > largest_packet) return stop(End::broken);
    const auto head = static_cast<std::size_t>(body - begin);
    const std::size_t whole = head + static_cast<std::size_t>(size);
    if (size_ < whole && !fill(whole)) return stop(End::cut_off);
    packet = {buffer_.data() + begin_ + head, static_cast<std::size_t>(size)};
    begin_ += whole;
    size_ -= whole;
    taken_ += whole;
    return true;
  }
  return false;
}

bool inflate_packets(std::string_view compressed, std::size_t most, std::string& packets) {
  packets.clear();
  inflate_state state{};
  isal_inflate_init(&state);
  state.crc_flag = ISAL_ZLIB;
  state.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(compressed.data()));
  state.avail_in = static_cast<std::uint32_t>(compressed.size());
  std::array<char, 1 << 16> piece;
  while (state.block_state != ISAL_BLOCK_FINISH) {
    state.next_out = reinterpret_cast<std::uint8_t*>(piece.data());
    state.avail_out = static_cast<std::uint32_t>(piece.size());
    if (isal_inflate(&state) != ISAL_DECOMP_OK) return false;
    const std::size_t count = piece.size() - state.avail_out;
    if (packets.size() + count > most) return false;
    packets.append(piece.data(), count);
    if (count == 0 && state.avail_in == 0 && state.block_state != ISAL_BLOCK_FINISH) return false;
  }
  return true;
}

}  // namespace takt::perfetto
