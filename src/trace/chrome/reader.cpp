// Windows of a file (window_source.h) are parsed by several threads; see there how the file is cut.
#include "trace/chrome/reader.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/affinity.h"
#include "trace/chrome/assembly.h"
#include "trace/chrome/json_check.h"
#include "trace/chrome/window_source.h"
#include "trace/chrome/windows.h"
#include "trace/events/byte_source.h"
#include "trace/events/recorder_faults.h"
#include "trace/events/trace_origin.h"

namespace takt {
namespace {

using chrome::CollectedWindow;
using chrome::EventParser;
using chrome::Frame;
using chrome::HeadState;
using chrome::WindowSource;

class ChromeReader {
 public:
  ChromeReader(ByteSource& source, std::string name, const TraceReadSettings& settings,
               chrome::WindowVisitor* visitor = nullptr)
      : source_(source), name_(std::move(name)), settings_(settings), visitor_(visitor) {}

  TraceRead read() {
    unsigned threads =
        settings_.threads != 0 ? settings_.threads : std::min(static_cast<unsigned>(usable_core_count()), 8u);
    if (threads > 1 && source_.rewind()) {
      if (read_in_parallel(threads)) return finish();
      if (!source_.rewind()) throw Error(ErrorKind::io, "cannot read '" + name_ + "': it changed while it was read");
      forget();
    }
    read_alone();
    return finish();
  }

 private:
  void forget() {
    parsers_.clear();
    collector_ = {};
    faults_ = {};
    if (visitor_ != nullptr) visitor_->restart();
  }

  /// A parsed window joins the trace, unless the visitor wants nothing of it. Of several threads, `mutex` is held
  /// meanwhile; the visitor looks before that.
  void collect(CollectedWindow parsed, bool keeps) {
    if (!keeps) return collector_.give_back(std::move(parsed.window.slices));
    // Of a piece there is less than of the file: nobody knows how much.
    collector_.add(std::move(parsed), visitor_ == nullptr ? source_.expected_size() : std::nullopt);
  }

  /// Texts that nobody will ask for are forgotten before they fill the memory.
  void renew(std::unique_ptr<EventParser>& parser) const {
    constexpr std::size_t most_texts = 100'000;
    if (parser->texts().size() > most_texts) parser = std::make_unique<EventParser>(settings_.only_slices);
  }

  /// Up to the list of events; what follows is carried over in `windows`.
  void read_head(WindowSource& windows) {
    std::vector<char> buffer;
    for (std::size_t size = settings_.window_bytes;; size *= 2) {
      windows.fill(buffer, std::max(size, windows.carry().size() + 1));
      windows.carry().assign(buffer.data(), windows.filled());
      std::size_t position = 0;
      const HeadState state = chrome::read_head(windows.carry(), frame_, position);
      if (state == HeadState::needs_more && !windows.at_end()) {
        windows.drop_blanks();
        if (windows.carry().empty()) size = settings_.window_bytes / 2;
        continue;
      }
      if (state == HeadState::at_events) {
        if (frame_.has_mark) faults_.add(TraceRule::byte_order_mark, 0, [] { return std::string("byte 0"); });
        return windows.skip(position);
      }
      refuse(state, windows.carry());
    }
  }

  [[noreturn]] void refuse(HeadState state, std::string_view text) const {
    std::string what = "this is not JSON";
    if (!source_.damage().empty())
      what = source_.damage();
    else if (trim(text).empty())
      what = "the file is empty";
    else if (state == HeadState::no_events && text.find("\"graph_exec\"") != text.npos)
      throw Error(ErrorKind::bad_input, printable(name_) + ": this is a profile, not a trace; 'takt analyze " +
                                            printable(name_) +
                                            "' prints it, and 'takt run MODEL --trace FILE' writes a "
                                            "trace");
    else if (state == HeadState::no_events)
      what = "the JSON has no 'traceEvents'";
    else if (state == HeadState::needs_more)
      what = "the file ends before its list of events";
    throw Error(ErrorKind::bad_input, printable(name_) + ": " + what +
                                          "; give a trace in Chrome's JSON format (a list of events, or an object with "
                                          "'traceEvents') or Perfetto's protobuf");
  }

  /// False: a cut was guessed wrong, or the list ends before the last window.
  bool read_in_parallel(unsigned threads) {
    WindowSource windows(source_, settings_.window_bytes);
    read_head(windows);
    std::mutex mutex;
    std::atomic<bool> failed{false};
    std::exception_ptr error;
    bool tail_seen = false;
    const auto work = [&](std::unique_ptr<EventParser>& owner) {
      std::vector<char> buffer;
      try {
        while (!failed.load(std::memory_order_relaxed)) {
          EventParser& parser = *owner;
          CollectedWindow parsed{.parser = &parser};
          std::string_view text;
          bool last = false;
          {
            const std::lock_guard lock(mutex);
            parsed.window.slices = collector_.spare();
            if (!windows.next(buffer, text, parsed.window)) return;
            last = parsed.window.is_last = windows.at_end() && windows.carry().empty();
          }
          parser.parse(text, parsed.window);
          const bool whole = parsed.window.consumed == text.size() && !parsed.window.ended;
          if (!last && !whole) failed = true;
          const bool keeps = visitor_ == nullptr || visitor_->visit(parser, parsed.window);
          if (!keeps) renew(owner);
          const std::lock_guard lock(mutex);
          if (last) {
            tail_seen = true;
            end_reading(text, parsed.window);
          }
          collect(std::move(parsed), keeps);
        }
      } catch (...) {
        const std::lock_guard lock(mutex);
        error = std::current_exception();
        failed = true;
      }
    };
    for (unsigned i = 0; i < threads; ++i) parsers_.push_back(std::make_unique<EventParser>(settings_.only_slices));
    std::vector<std::thread> running;
    for (unsigned i = 1; i < threads; ++i) running.emplace_back([&, i] { work(parsers_[i]); });
    work(parsers_[0]);
    for (std::thread& thread : running) thread.join();
    if (error) std::rethrow_exception(error);
    if (failed) return false;
    if (!tail_seen) {
      chrome::Window none;
      none.offset = windows.offset();
      end_reading({}, none);
    }
    return true;
  }

  void read_alone() {
    WindowSource windows(source_, settings_.window_bytes);
    read_head(windows);
    std::unique_ptr<EventParser>& owner = parsers_.emplace_back(std::make_unique<EventParser>(settings_.only_slices));
    std::vector<char> buffer;
    std::size_t least = 0;
    chrome::Window end;
    end.offset = windows.offset();
    std::string_view text;
    while (true) {
      EventParser& parser = *owner;
      CollectedWindow parsed{.parser = &parser};
      parsed.window.slices = collector_.spare();
      if (!windows.next_uncut(buffer, text, parsed.window, least)) {
        text = {};
        break;
      }
      const bool last = parsed.window.is_last = windows.at_end();
      parser.parse(text, parsed.window);
      const std::size_t consumed = parsed.window.consumed;
      const bool ended = parsed.window.ended;
      if (ended || last) {
        end = {};
        end.offset = parsed.window.offset;
        end.consumed = consumed;
        end.ended = ended;
      }
      const bool keeps = visitor_ == nullptr || visitor_->visit(parser, parsed.window);
      collect(std::move(parsed), keeps);
      if (!keeps) renew(owner);
      if (last) break;
      windows.consume(text, consumed);
      if (ended) {
        read_rest(windows);
        text = windows.carry();
        end.offset += consumed;
        end.consumed = 0;
        break;
      }
      // An event longer than the window: take twice as much.
      least = consumed == 0 ? windows.carry().size() * 2 : 0;
    }
    end_reading(text, end);
  }

  /// All that is left of the file, behind the list.
  void read_rest(WindowSource& windows) {
    std::vector<char> buffer;
    while (!windows.at_end()) {
      windows.fill(buffer, windows.carry().size() * 2 + settings_.window_bytes);
      windows.carry().assign(buffer.data(), windows.filled());
      windows.drop_last_blanks();
    }
  }

  /// `text` holds the last window; what is behind its events is the end of the file.
  void end_reading(std::string_view text, const chrome::Window& window) {
    const std::uint64_t size = window.offset + text.size();
    const auto at = [&](std::uint64_t offset) { return [offset] { return "byte " + std::to_string(offset); }; };
    if (!window.ended) {
      const bool inside = window.consumed < text.size();
      const std::uint64_t offset = inside ? window.offset + window.consumed : size;
      // A bare list may stay open: whoever writes event by event leaves it so, and nothing is lost.
      const bool is_whole = !inside && !frame_.is_object && source_.damage().empty();
      faults_.add(is_whole ? TraceRule::unclosed_list : TraceRule::unterminated, offset, at(offset));
      return;
    }
    const std::string_view behind = text.substr(window.consumed);
    const chrome::Tail tail = chrome::read_tail(behind, frame_);
    if (!tail.complete) faults_.add(TraceRule::unterminated, size, at(size));
    if (tail.complete && tail.extra < behind.size()) {
      const std::uint64_t offset = window.offset + window.consumed + tail.extra;
      faults_.add(TraceRule::text_after_end, offset, at(offset));
    }
  }

  TraceRead finish() {
    TraceRead result;
    for (const auto& parser : parsers_) faults_.merge(parser->faults());
    for (const CollectedWindow& parsed : collector_.windows()) result.file_events += parsed.window.events;
    if (!source_.damage().empty() && faults_.count(TraceRule::unterminated) == 0) {
      faults_.add(TraceRule::unterminated, 0, [&] { return source_.damage(); });
    }
    if (result.file_events == 0) faults_.add(TraceRule::empty, 0, [] { return std::string("the file"); });
    if (frame_.samples > 0) {
      constexpr std::uint64_t behind_events = std::uint64_t{1} << 62;
      faults_.add(
          TraceRule::sampled_profile, behind_events, [] { return std::string("'samples' beside the events"); },
          frame_.samples);
    }
    add_recorder_faults(frame_.provenance, faults_);
    const auto last_moment = visitor_ == nullptr ? std::nullopt : visitor_->last_moment();
    result.trace = chrome::assemble(collector_.take(), frame_, settings_, last_moment, faults_);
    result.rank = rank_of(result.trace);
    result.host = host_of(result.trace);
    result.faults = faults_.list();
    return result;
  }

  ByteSource& source_;
  std::string name_;
  TraceReadSettings settings_;
  chrome::WindowVisitor* visitor_;
  Frame frame_;
  std::vector<std::unique_ptr<EventParser>> parsers_;
  chrome::WindowCollector collector_;
  FaultList faults_;
};

}  // namespace

TraceRead chrome::read_windows(ByteSource& source, const std::string& name, const TraceReadSettings& settings,
                               WindowVisitor& visitor) {
  return ChromeReader(source, name, settings, &visitor).read();
}

TraceRead read_chrome_trace(ByteSource& source, const std::string& name, const TraceReadSettings& settings) {
  if (!settings.checks_json) return ChromeReader(source, name, settings).read();
  CheckedSource checked(source);
  TraceRead read = ChromeReader(checked, name, settings).read();
  add_json_fault(checked, read);
  return read;
}

TraceRead read_chrome_trace(const std::filesystem::path& path, const TraceReadSettings& settings) {
  return read_chrome_trace(*open_source(path), path.string(), settings);
}

TraceRead parse_chrome_trace(std::string_view text, const std::string& name, const TraceReadSettings& settings) {
  return read_chrome_trace(*text_source(text), name, settings);
}

}  // namespace takt
