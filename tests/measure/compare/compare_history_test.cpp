#include "measure/compare/history.h"

#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "refused.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class CompareHistory : public testing::Test {
 protected:
  TestFolder own_;
  std::filesystem::path folder_ = own_ / "history";  // not there yet
};

TEST_F(CompareHistory, grows_in_the_order_of_dates_and_keeps_a_run_once) {
  EXPECT_THAT(history_of(folder_, 20), IsEmpty());
  const auto second = history_place(folder_, "2026-02-01T00:00:00Z", "b");
  const auto first = history_place(folder_, "2026-01-01T00:00:00Z", "a");
  add_to_history(second, "b");
  add_to_history(first, "a");
  add_to_history(first, "a");
  write_file_atomically(folder_ / "notes.txt", "not a profile");
  EXPECT_THAT(history_of(folder_, 20), ElementsAre(first, second));
  EXPECT_THAT(history_of(folder_, 1), ElementsAre(second));
  EXPECT_EQ(read_file(first), "a");
}

TEST_F(CompareHistory, a_date_cannot_lead_out_of_the_folder) {
  EXPECT_EQ(history_place(folder_, "../../x", "a").parent_path(), folder_);
  EXPECT_EQ(history_place(folder_, "-", "a").filename().string().substr(0, 8), "undated-");
}

TEST_F(CompareHistory, a_file_in_place_of_the_folder_is_refused) {
  write_file_atomically(folder_, "");
  const std::string said = folder_.string() + ": a part of the path is not a folder";
  EXPECT_EQ(refused_with([&] { add_to_history(history_place(folder_, "", "a"), "a"); }), said);
  EXPECT_EQ(refused_with([&] { history_of(folder_, 20); }), said);
}

}  // namespace
}  // namespace takt
