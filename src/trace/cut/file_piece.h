// A piece out of a trace file that is too large to open.
//
// The file is read twice: once to see what is where, keeping nothing (survey.h), and once more only the parts that the
// piece needs, of which the rest is dropped at once (window_sieve.h). So memory holds the piece, and the second reading
// of an uncompressed file is short. What cannot be read so is read whole: Perfetto's protobuf, a recorder's own file, a
// pipe, and traces whose begins and ends do not come by time.
#pragma once

#include <filesystem>
#include <optional>

#include "trace/cut/cut.h"
#include "trace/cut/part_choice.h"
#include "trace/events/trace_read.h"

namespace takt {

struct FilePiece {
  PartChoice choice;
  TracePiece piece;
  bool was_shortened = false;  ///< to fit `most_bytes`
};

/// `most_bytes`: how long the piece may be as uncompressed text of its format (`as_perfetto`: protobuf, else Chrome
/// JSON); then it ends earlier, after a whole step where one fits. Throws Error(bad_input) where the wish cannot be met
/// or not even one event fits, Error(io).
FilePiece cut_file(const std::filesystem::path& file, const PartWish& wish, std::optional<double> most_bytes,
                   bool as_perfetto, const TraceReadSettings& settings);

}  // namespace takt
