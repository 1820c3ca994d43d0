// The graphs that graph neural networks work on: who is connected with whom. ("Graph" alone is a model in takt.)
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace takt {

struct GraphSize {
  std::int64_t nodes = 0, edges = 0;
};

/// Directed edges; edge i leads from sources[i] to targets[i], both in [0, nodes). An edge may stand there twice and
/// may lead back to its own node; a node may have none.
struct EdgeList {
  std::int64_t nodes = 0;
  std::vector<std::int64_t> sources, targets;

  std::int64_t edges() const { return static_cast<std::int64_t>(sources.size()); }
};

/// Text with an edge per line, "source,target": separated by a comma, a semicolon, blanks or a tab. Lines that begin
/// with # or % and empty ones are skipped, and so is a first line of two words that are no numbers. Further columns are
/// not read. There are as many nodes as the largest number says, one more than it. Throws Error(bad_input) that begins
/// with `where` and names the line: no two numbers, a negative one, one beyond 2^31 − 2 (runtimes count nodes in 32
/// bits), no edge at all.
EdgeList parse_edge_list(std::string_view text, std::string_view where);

/// The same of a file. Throws Error(io) where it cannot be read.
EdgeList read_edge_list(const std::filesystem::path& path);

}  // namespace takt
