#include "report/page/packed.h"

#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <vector>

#include "base/basics/error.h"

namespace takt {

std::string packed(std::string_view text) {
  std::vector<std::uint8_t> level_buffer(ISAL_DEF_LVL3_DEFAULT);
  std::vector<char> piece(std::size_t{1} << 18);
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.level = 3;
  stream.level_buf = level_buffer.data();
  stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
  stream.gzip_flag = IGZIP_DEFLATE;
  constexpr std::size_t most = std::size_t{1} << 30;  // the library counts in 32 bits
  std::string bytes;
  do {
    const std::string_view part = text.substr(0, most);
    text.remove_prefix(part.size());
    stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(part.data()));
    stream.avail_in = static_cast<std::uint32_t>(part.size());
    stream.end_of_stream = text.empty();
    do {
      stream.next_out = reinterpret_cast<std::uint8_t*>(piece.data());
      stream.avail_out = static_cast<std::uint32_t>(piece.size());
      if (isal_deflate(&stream) != COMP_OK) throw Error(ErrorKind::io, "cannot compress the page: igzip failed");
      bytes.append(piece.data(), piece.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  } while (!text.empty());
  return base64(bytes);
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? letters[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace takt
