// The tracks of a Perfetto trace, which events name by numbers, as rows, processes and counters of a Trace.
//
// A track belongs to a thread or a process, or to another track that does. A thread's is its row; any other is a row of
// its process, and tracks of one name are one row, as viewers draw them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/chrome/rows.h"
#include "trace/events/trace.h"

namespace takt::perfetto {

struct Track {
  std::uint64_t parent = 0;
  StringId name{};
  StringId stand_in{};  ///< what the row is called if the track has no name: the first event's category
  std::optional<std::int64_t> process, thread;
  bool is_described = false, is_whole_process = false, is_counter = false;
  // For counters: a value counts this many units, and may be written as an increment.
  std::int64_t unit = 1;
  bool is_incremental = false;
  double sum = 0;
  // For tracks of events.
  std::int64_t last_time = INT64_MIN;
  std::uint32_t open_slice = 0;                 ///< 1 + the event that began last and has not ended, 0: none
  bool has_events = false, has_slices = false;  ///< of any kind; of other than values of a counter: it needs a row
};

/// Not thread-safe. Tracks are known by their position; 0 is the track of the whole trace.
class Tracks {
 public:
  Tracks() : tracks_(1) { positions_.emplace(0, 0); }

  /// Takes a TrackDescriptor message. False: it is broken.
  bool describe(std::string_view descriptor, Trace& trace);
  std::uint32_t find(std::uint64_t uuid);
  /// For writers without tracks.
  std::uint32_t of_thread(std::int64_t process, std::int64_t thread);
  /// One per async event, so that each nests by itself; their row is that of their process and category.
  std::uint32_t of_async(std::int64_t process, StringId category, std::uint64_t id);
  void name_thread(std::int64_t process, std::int64_t thread, StringId name);

  Track& operator[](std::uint32_t position) { return tracks_[position]; }
  std::size_t size() const { return tracks_.size(); }
  /// Returns the number of the process that the track belongs to; nullopt if it belongs to none.
  std::optional<std::int64_t> process_of(std::uint32_t position) const;

  /// Adds processes and rows to the trace. With `fold_lanes`, rows that are lanes of another become that row.
  void add_to(Trace& trace, bool fold_lanes);
  RowId row(std::uint32_t position) const { return rows_[position]; }               ///< of one that has slices
  ProcessId process(std::uint32_t position) const { return processes_[position]; }  ///< of a counter

 private:
  bool take_process(std::string_view message, Track& track, Trace& trace);
  bool take_thread(std::string_view message, Track& track, Trace& trace);
  bool take_counter(std::string_view message, Track& track);
  chrome::Id process_id(std::uint32_t position, Trace& trace) const;
  chrome::RowKey row_key(std::uint32_t position, Trace& trace) const;

  std::vector<Track> tracks_;
  std::unordered_map<std::uint64_t, std::uint32_t> positions_;              // by uuid
  std::array<std::pair<std::uint64_t, std::uint32_t>, 64> lately_found_{};  // of them; 0: none
  std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> threads_;
  std::map<std::tuple<std::int64_t, StringId, std::uint64_t>, std::uint32_t> asyncs_;
  chrome::RowPlan plan_;
  std::vector<RowId> rows_;
  std::vector<ProcessId> processes_;
};

}  // namespace takt::perfetto
