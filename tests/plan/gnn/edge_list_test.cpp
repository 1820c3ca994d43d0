#include "plan/gnn/edge_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "refused.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;

EdgeList parsed(std::string_view text) { return parse_edge_list(text, "edges.csv"); }

std::string refusal(std::string_view text) {
  try {
    parsed(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(EdgeLists, there_are_as_many_nodes_as_the_largest_number_says) {
  const EdgeList list = parsed("0,1\n7,2\n");
  EXPECT_EQ(list.nodes, 8);
  EXPECT_THAT(list.sources, ElementsAre(0, 7));
  EXPECT_THAT(list.targets, ElementsAre(1, 2));
}

TEST(EdgeLists, a_heading_comments_blank_lines_and_further_columns_are_skipped) {
  const EdgeList list = parsed("# from somewhere\n% matrix market\n\nsource,target,weight\r\n3,1,0.5\r\n\n1,3,0.25");
  EXPECT_THAT(list.sources, ElementsAre(3, 1));
  EXPECT_THAT(list.targets, ElementsAre(1, 3));
}

TEST(EdgeLists, words_are_separated_by_tabs_blanks_or_semicolons_too) {
  const EdgeList list = parsed("0\t1\n 2   3 \n4;5\n6, 7\n");
  EXPECT_THAT(list.sources, ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(list.targets, ElementsAre(1, 3, 5, 7));
}

TEST(EdgeLists, edges_that_stand_there_twice_and_self_loops_are_kept) {
  EXPECT_EQ(parsed("1,1\n0,1\n0,1\n").edges(), 3);
}

TEST(EdgeLists, what_is_no_edge_is_refused_with_its_line) {
  EXPECT_THAT(refusal("0,1\n2\n"), testing::StartsWith("edges.csv: line 2: has no two nodes"));
  EXPECT_THAT(refusal("0,1\nsource,target\n"), testing::StartsWith("edges.csv: line 2: 'source' is not a node"));
  EXPECT_THAT(refusal("0,-1\n"), testing::StartsWith("edges.csv: line 1: '-1' is not a node"));
  EXPECT_THAT(refusal("0,1.5\n"), testing::StartsWith("edges.csv: line 1: '1.5' is not a node"));
  EXPECT_THAT(refusal("\n0,nan\n"), testing::StartsWith("edges.csv: line 2: 'nan' is not a node"));
  // One more than takes part in 32 bits, and more than fits 64.
  EXPECT_THAT(refusal("0,2147483647\n"), testing::HasSubstr("'2147483647' is not a node"));
  EXPECT_EQ(parsed("0,2147483646\n").nodes, 2147483647);
  EXPECT_THAT(refusal("99999999999999999999,0\n"), testing::HasSubstr("is not a node"));
}

TEST(EdgeLists, a_file_without_an_edge_is_refused) {
  for (const char* text : {"", "\n\n", "# nothing\n", "source,target\n"})
    EXPECT_THAT(refusal(text), testing::StartsWith("edges.csv: has no edge")) << text;
}

TEST(EdgeLists, a_file_is_read_and_its_absence_told) {
  const TestFolder folder;
  EXPECT_EQ(read_edge_list(folder.write("graph.csv", "0,1\n")).nodes, 2);
  EXPECT_EQ(refused_with([&] { read_edge_list(folder / "none.csv"); }),
            "cannot read '" + (folder / "none.csv").string() + "': no such file");
}

}  // namespace
}  // namespace takt
