#include "trace/cut/file_piece.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "trace/chrome/reader.h"
#include "trace/chrome/windows.h"
#include "trace/cut/byte_ranges.h"
#include "trace/events/trace_origin.h"
#include "trace/perfetto/packets.h"
#include "trace/read/reader.h"
#include "trace/recorder/recording_file.h"
#include "trace/write/chrome_writer.h"
#include "trace/write/perfetto_writer.h"

namespace takt {
namespace {

class Siever : public chrome::WindowVisitor {
 public:
  Siever(const TracePart& part, std::int64_t last_moment) : part_(part), last_moment_(last_moment) {}
  bool visit(const chrome::EventParser& parser, chrome::Window& window) override {
    sieve(parser, window, part_);
    return true;
  }
  void restart() override {}
  std::optional<std::int64_t> last_moment() const override { return last_moment_; }

 private:
  const TracePart& part_;
  std::int64_t last_moment_;
};

/// The front of the file, the windows that the piece needs, and the last one with all behind it, which closes the file.
std::vector<ByteRange> needed_ranges(const TraceSurvey& survey, TimeInterval span) {
  if (survey.windows.empty()) return {{0, UINT64_MAX}};
  std::vector<ByteRange> ranges{{0, survey.windows.front().begin}};
  const auto add = [&](std::uint64_t begin, std::uint64_t end) {
    if (ranges.back().end == begin)
      ranges.back().end = end;
    else
      ranges.push_back({begin, end});
  };
  for (std::size_t i = 0; i + 1 < survey.windows.size(); ++i) {
    const SurveyedWindow& window = survey.windows[i];
    const bool touches = window.span && window.span->end >= span.start && window.span->start <= span.end;
    if (touches || window.is_needed) add(window.begin, survey.windows[i + 1].begin);
  }
  add(survey.windows.back().begin, UINT64_MAX);
  return ranges;
}

std::uint64_t written_bytes(const Trace& trace, bool as_perfetto) {
  std::uint64_t bytes = 0;
  const auto count = [&](std::string_view piece) { bytes += piece.size(); };
  if (as_perfetto)
    stream_perfetto(trace, count);
  else
    stream_chrome(trace, count);
  return bytes;
}

/// A new end so that the piece is about `share` as long: after a whole step if one fits.
std::int64_t shorter_end(const PartChoice& choice, double share) {
  const TimeInterval span = choice.part.span;
  const double length = static_cast<double>(span.end - span.start) * share;
  const std::int64_t end = std::clamp(span.start + static_cast<std::int64_t>(length), span.start + 1, span.end - 1);
  const auto after = std::upper_bound(choice.step_ends.begin(), choice.step_ends.end(), end);
  return after == choice.step_ends.begin() ? end : *std::prev(after);
}

class FileCutter {
 public:
  FileCutter(const std::filesystem::path& file, const TraceReadSettings& settings) : file_(file), settings_(settings) {
    // Small windows: each thread has one, and what it makes of it, beside the piece.
    settings_.window_bytes = std::min(settings_.window_bytes, std::size_t{1} << 20);
  }

  FilePiece cut(const PartWish& wish, std::optional<double> most_bytes, bool as_perfetto) {
    FilePiece result;
    const TraceSurvey survey = look();
    result.choice = choose_part(survey, wish, file_.string(), rank_);
    PartChoice& choice = result.choice;
    const std::int64_t wanted = choice.part.span.end;
    if (most_bytes && !whole_) {
      const std::int64_t end = survey.bytes.end_for(choice.part.span.start, wanted, *most_bytes);
      if (end < wanted)
        choice.part.span.end = shorter_end(choice, static_cast<double>(end - choice.part.span.start) /
                                                       static_cast<double>(wanted - choice.part.span.start));
    }
    if (!whole_) whole_ = read_part(survey, choice.part);
    result.piece = cut_trace(*whole_, choice.part);
    while (most_bytes) {
      const std::uint64_t bytes = written_bytes(result.piece.trace, as_perfetto);
      if (static_cast<double>(bytes) <= *most_bytes) break;
      if (choice.part.span.end - choice.part.span.start <= 1) refuse_size(*most_bytes, bytes);
      choice.part.span.end = shorter_end(choice, *most_bytes / static_cast<double>(bytes) * 0.98);
      result.piece = cut_trace(*whole_, choice.part);
    }
    result.was_shortened = choice.part.span.end != wanted;
    return result;
  }

 private:
  /// Fills `whole_` where the file cannot be looked through.
  TraceSurvey look() {
    if (is_recording(file_)) return read_whole();
    source_ = open_source(file_);
    const std::string front = look_ahead(source_, 4096);
    if (perfetto::looks_like_packets(front) || !source_->rewind())
      return keep(read_trace(std::move(source_), file_.string(), settings_));
    TraceSurvey survey = survey_chrome_trace(*source_, file_.string(), settings_);
    if (!survey.marks_in_order) return read_whole();
    rank_ = survey.rank;
    if (!source_->rewind())
      throw Error(ErrorKind::io, "cannot read '" + file_.string() + "': it changed while it was read");
    return survey;
  }

  TraceSurvey read_whole() { return keep(read_trace(file_, settings_)); }
  TraceSurvey keep(TraceRead read) {
    rank_ = read.rank;
    whole_ = std::move(read.trace);
    return survey_of(*whole_);
  }

  Trace read_part(const TraceSurvey& survey, const TracePart& part) {
    Siever siever(part, survey.last_moment);
    ByteRanges ranges(*source_, needed_ranges(survey, part.span));
    return chrome::read_windows(ranges, file_.string(), settings_, siever).trace;
  }

  [[noreturn]] void refuse_size(double most, std::uint64_t bytes) const {
    refuse_input(fmt::format("{}: --max {}: the first moment of the excerpt alone takes {}; allow more",
                             printable(file_.string()), format_bytes(most), format_bytes(static_cast<double>(bytes))));
  }

  std::filesystem::path file_;
  TraceReadSettings settings_;
  std::unique_ptr<ByteSource> source_;
  std::optional<Trace> whole_;  // or all of the piece, not clipped
  std::optional<std::int64_t> rank_;
};

}  // namespace

FilePiece cut_file(const std::filesystem::path& file, const PartWish& wish, std::optional<double> most_bytes,
                   bool as_perfetto, const TraceReadSettings& settings) {
  return FileCutter(file, settings).cut(wish, most_bytes, as_perfetto);
}

}  // namespace takt
