// Streams of batches of different sizes: read from a file, or drawn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

#include "plan/gnn/edge_list.h"
#include "plan/sets/set.h"

namespace takt {

using BatchStream = std::vector<GraphSize>;

/// Text with a batch per line, "nodes,edges"; empty lines and those that begin with # are skipped, and so is a first
/// line of words. Throws Error(bad_input), "WHERE: line N: …", for anything else, for no batch, and for more than a
/// million.
BatchStream parse_batch_stream(std::string_view text, std::string_view where);
/// Throws Error(io) where it cannot be read, and as parse_batch_stream() does.
BatchStream read_batch_stream(const std::filesystem::path& path);

struct RandomStream {
  std::int64_t batches = 1000;
  std::int64_t stay = 1;  ///< batches that follow each other have one size, so many of them on average
  std::uint64_t seed = 1;
};

/// Sizes on the set's line, from its first to its last; how many rows they have is uniform on a logarithmic scale, as
/// small graphs are as many as large ones. How long a size stays is geometric.
BatchStream random_batch_stream(const PlanSet& set, const RandomStream& wanted);

}  // namespace takt
