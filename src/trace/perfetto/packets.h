// A Perfetto trace as the packets it is a list of, one at a time: the file may be larger than memory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events/byte_source.h"

namespace takt::perfetto {

/// Does a file that begins so hold Perfetto's protobuf? A packet begins with a line feed, as JSON may, too.
bool looks_like_packets(std::string_view front);

/// Not thread-safe.
class PacketSource {
 public:
  enum class End : std::uint8_t { none, whole, cut_off, broken };

  explicit PacketSource(ByteSource& source) : source_(source) {}
  /// False at the end(). The view is valid until the next call.
  bool next(std::string_view& packet);
  End end() const { return end_; }
  std::uint64_t offset() const { return offset_; }  ///< in the (uncompressed) file, of the last packet or the damage

 private:
  bool fill(std::size_t wanted);
  bool stop(End why) {
    end_ = why;
    return false;
  }

  ByteSource& source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, size_ = 0;  // of what is in the buffer and not given away
  std::uint64_t offset_ = 0, taken_ = 0;
  bool at_end_ = false;
  End end_ = End::none;
};

/// What a packet of compressed packets holds, which is a trace again. False: the data is damaged, or makes more than
/// `most` bytes.
bool inflate_packets(std::string_view compressed, std::size_t most, std::string& packets);

}  // namespace takt::perfetto
