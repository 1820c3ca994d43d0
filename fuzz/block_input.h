// Files of binary blocks from what a fuzzer makes up: blocks without their check sums, which no fuzzer would guess.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/files/block_file.h"

namespace takt {

/// `magic` and the blocks of `input`, each as type (1 byte), size (2), bytes. The last one may be cut short.
inline std::string file_of_blocks(std::string_view magic, std::string_view input) {
  std::string file(magic);
  while (input.size() >= 3) {
    const std::uint32_t type = static_cast<unsigned char>(input[0]);
    const std::size_t length = static_cast<unsigned char>(input[1]) + 256u * static_cast<unsigned char>(input[2]);
    input.remove_prefix(3);
    append_block(file, type, input.substr(0, length));
    input.remove_prefix(std::min(length, input.size()));
  }
  return file;
}

}  // namespace takt
