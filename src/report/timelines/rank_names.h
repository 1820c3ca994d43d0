// What distinguishes the files of several ranks, where there is little room.
#pragma once

#include <string>
#include <vector>

namespace takt {

/// Returns for each path what its file's name has of its own, from one word to another: "rank_0" and "rank_1" of
/// "/a/run.rank_0.pt.trace.json" and "/a/run.rank_1.pt.trace.json". Where names are equal, or one of them would be empty,
/// all are whole: the files' names, or the paths if those are equal too.
std::vector<std::string> rank_names(const std::vector<std::string>& paths);

}  // namespace takt
