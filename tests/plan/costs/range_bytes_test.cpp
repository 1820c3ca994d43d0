#include "plan/costs/range_bytes.h"

#include <gtest/gtest.h>

#include <vector>

namespace takt {
namespace {

constexpr std::int64_t n = 1000, e = 7000, f = 500;

std::vector<std::int64_t> bytes_of_stages(Network network) {
  std::vector<std::int64_t> bytes;
  for (int stage = 1; stage <= static_cast<int>(stages_of(network).size()); ++stage)
    bytes.push_back(bytes_of({network, stage, stage}, {n, e}, f));
  return bytes;
}

TEST(RangeBytes, stages_of_graphsage_move_what_their_formulas_say) {
  EXPECT_EQ(
      bytes_of_stages(Network::sage),
      (std::vector<std::int64_t>{4 * n * f + 16 * e + 4 * e * f, 8 * e * f, 4 * e * f + 16 * e + 4 * n * f,
                                 16 * e + 4 * n, 4 * n * f + 4 * n + 4 * n * f, 8 * n * f + 4 * n * f, 8 * n * f}));
}

TEST(RangeBytes, stages_of_gcn_move_what_their_formulas_say) {
  EXPECT_EQ(bytes_of_stages(Network::gcn),
            (std::vector<std::int64_t>{16 * e + 4 * e, 4 * n * f + 16 * e + 4 * e * f, 4 * e * f + 4 * e + 4 * e * f,
                                       4 * e * f + 16 * e + 4 * n * f, 8 * n * f, 8 * n * f}));
}

TEST(RangeBytes, a_fused_range_moves_only_what_goes_in_and_comes_out) {
  // Stages 1 to 4 of GraphSAGE: features and edges in, sums and counts out; nothing with E × F numbers.
  EXPECT_EQ(bytes_of({Network::sage, 1, 4}, {n, e}, f), 4 * n * f + 16 * e + 4 * n * f + 4 * n);
  EXPECT_EQ(bytes_of({Network::sage, 5, 7}, {n, e}, f), 4 * n * f + 4 * n + 4 * n * f + 4 * n * f);
}

TEST(RangeBytes, sizes_beyond_32_bits_do_not_overflow) {
  EXPECT_EQ(bytes_of({Network::sage, 2, 2}, {100000, 10000000}, 500), std::int64_t{40000000000});
}

TEST(RangeBytes, without_edges_only_nodes_count) { EXPECT_EQ(bytes_of({Network::sage, 4, 4}, {n, 0}, f), 4 * n); }

}  // namespace
}  // namespace takt
