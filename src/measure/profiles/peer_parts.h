// What readers of profiles hand over: entries of the sections in the order of the file, not yet joined.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/padded_text.h"
#include "measure/profiles/bracket_scan.h"
#include "measure/profiles/peer_profile.h"

namespace takt {

struct OperatorEntry {
  std::string_view key, name, type, id, inputs;
};

struct TimesEntry {
  std::string_view key;
  PeerTimes times;
};

struct FootprintEntry {
  std::string_view key;
  std::optional<PeerNumber> computation, memory;
  std::string_view in_shapes, in_layouts, out_shapes;
};

struct TypeEntry {
  std::string_view variable, type;
};

/// Entries of one stretch of a file. A later entry of the same key replaces an earlier one.
struct PeerParts {
  std::vector<OperatorEntry> operators;
  std::vector<TimesEntry> device, host;
  std::vector<FootprintEntry> footprints;
  std::vector<TypeEntry> types;
  std::deque<std::string> unescaped;  ///< strings of the file that had escapes
};

/// Stretches in the order of the file, and which sections it has at all.
struct PeerContents {
  std::list<PeerParts> parts;
  bool has_operators = false, has_profiler = false;
  std::string_view takt_value;  ///< as it stands in the file; empty: no such key
};

/// Adds one node's or thread's times. nullopt: missing or no number.
void add_times(PeerTimes& times, const std::optional<PeerNumber>& start, const std::optional<PeerNumber>& kern,
               const std::optional<PeerNumber>& end);

/// Reads every byte with simdjson, on one thread; files of up to 4 GB. Throws Error(bad_input) that begins with `where`
/// and names the cause.
PeerContents read_peer_thoroughly(const PaddedText& text, const std::string& where, const PeerWanted& wanted);

struct QuickReading {
  unsigned threads = 1;         ///< used at most
  std::size_t piece = 1 << 20;  ///< bytes that a thread takes at once
  ScanKernel kernel = best_scan_kernel();
};

/// Finds the sections by their brackets and parses only those needed. What lies in the others is checked for strings
/// that end, brackets that balance in number, control characters in strings and UTF-8, nothing else. Throws OddJson for
/// anything unusual, however harmless: the thorough way then decides. Pages of the file that are not needed any more
/// are given back.
PeerContents read_peer_quickly(const PaddedText& text, const PeerWanted& wanted, const QuickReading& how);

}  // namespace takt
