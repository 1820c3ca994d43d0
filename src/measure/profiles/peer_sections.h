// Entries of one section of a profile, out of a piece of its text.
#pragma once

#include <cstddef>
#include <string_view>

#include "measure/profiles/peer_parts.h"

namespace takt {

enum class PeerSection { operators, device, host, footprints, types };

/// A stretch of a section's members: from the first one, or from the comma behind an earlier piece.
struct PeerPiece {
  PeerSection section;
  std::size_t begin = 0, end = 0;  ///< offsets into the text
  bool first = true;
  PeerParts* parts = nullptr;
};

/// Fills the piece's parts. Throws OddJson. Pieces with different parts may be read at the same time.
void read_peer_piece(std::string_view padded_text, const PeerPiece& piece);

}  // namespace takt
