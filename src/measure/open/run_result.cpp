#include "measure/open/run_result.h"

#include <algorithm>

namespace takt {

void add_notes(RunResult& result, const std::vector<std::string>& notes) {
  for (const auto& note : notes)
    if (std::find(result.notes.begin(), result.notes.end(), note) == result.notes.end()) result.notes.push_back(note);
}

std::vector<std::string> all_notes(const RunResult& result) {
  std::vector<std::string> all = result.notes;
  if (!result.clock_note.empty()) all.push_back(result.clock_note);
  return all;
}

}  // namespace takt
