// What the writing and the reading end of run_journal.h agree on.
#pragma once

#include <cstdint>
#include <string_view>

namespace takt::journal {

/// The number at the end is the version; 32-bit words of the machine's own order follow, so the order is in it, too.
inline constexpr std::string_view family = "takt pipeline journal ";
inline constexpr std::string_view magic{"takt pipeline journal 1\n\1\0\0\0", 28};

enum BlockType : std::uint32_t { head_block = 1, start_block, batches_block, end_block };

}  // namespace takt::journal
