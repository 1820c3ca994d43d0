#include <simdjson.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "measure/profiles/json_cursor.h"
#include "measure/profiles/peer_sections.h"

namespace takt {

namespace {

/// Pieces that wait to be read, and the threads that read them while more are found.
class PieceQueue {
 public:
  PieceQueue(std::string_view text, PeerContents& contents, unsigned threads)
      : text_(text), contents_(contents), helpers_wanted_(threads > 1 ? threads - 1 : 0) {}
  ~PieceQueue() { close(); }
  PieceQueue(const PieceQueue&) = delete;
  PieceQueue& operator=(const PieceQueue&) = delete;

  void add(PeerSection section, std::size_t begin, std::size_t end, bool first) {
    {
      const std::lock_guard lock(mutex_);
      pieces_.push_back({section, begin, end, first, &contents_.parts.emplace_back()});
    }
    changed_.notify_one();
    if (helpers_.size() < helpers_wanted_ && pieces_.size() > helpers_.size()) start_helper();
  }

  /// Reads what is left, waits for the others, throws what any of them threw.
  void finish() {
    {
      const std::lock_guard lock(mutex_);
      complete_ = true;
    }
    changed_.notify_all();
    work();
    close();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void start_helper() {
    try {
      helpers_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      helpers_wanted_ = 0;  // no more threads to be had: this one does it
    }
  }

  void close() {
    {
      const std::lock_guard lock(mutex_);
      if (!complete_) stopped_ = true;
      complete_ = true;
    }
    changed_.notify_all();
    for (auto& helper : helpers_) helper.join();
    helpers_.clear();
  }

  /// nullptr: there will be no more.
  const PeerPiece* take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return complete_ || stopped_ || next_ < pieces_.size(); });
    return stopped_ || next_ == pieces_.size() ? nullptr : &pieces_[next_++];
  }

  void work() {
    try {
      while (const PeerPiece* piece = take()) read_peer_piece(text_, *piece);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      stopped_ = true;
    }
  }

  std::string_view text_;
  PeerContents& contents_;
  std::size_t helpers_wanted_;
  std::vector<std::thread> helpers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PeerPiece> pieces_;  ///< addresses stay while more are added
  std::size_t next_ = 0;
  bool complete_ = false, stopped_ = false;
  std::exception_ptr error_;
};

/// Walks the two outer levels; what is inside a section is found by its brackets and put into the queue.
class QuickReader {
 public:
  QuickReader(const PaddedText& text, const PeerWanted& wanted, const QuickReading& how)
      : text_(text),
        wanted_(wanted),
        piece_size_(how.piece),
        cursor_(text.text(), 0, text.text().size()),
        scanner_(text.text(), how.kernel),
        queue_(text.text(), contents_, how.threads) {}

  PeerContents read() {
    cursor_.object([&](std::string_view key) {
      if (check(key) == "graph_exec")
        read_graph();
      else if (key == "profiler")
        read_profiler();
      else
        pass(key == "takt");
    });
    cursor_.peek();
    const std::string_view text = text_.text();
    if (cursor_.offset() != text.size()) throw OddJson{"has further text after the profile"};
    if (scanner_.beyond_ascii() && !simdjson::validate_utf8(text.data(), text.size()))
      throw OddJson{"is not UTF-8 text"};
    queue_.finish();
    return std::move(contents_);
  }

 private:
  /// Keys and other text that the scanner does not see must be free of what it would report.
  static std::string_view check(std::string_view text) {
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c > 0x7E; })) throw OddJson{};
    return text;
  }

  void read_graph() {
    cursor_.object([&](std::string_view key) {
      if (check(key) == "operator") {
        contents_.has_operators = true;
        read_section(PeerSection::operators);
      } else if (key == "var" && wanted_.types) {
        read_section(PeerSection::types);
      } else {
        pass();
      }
    });
  }

  void read_profiler() {
    contents_.has_profiler = true;
    cursor_.object([&](std::string_view key) {
      if (check(key), !wanted_.times)
        pass();
      else if (key == "device")
        read_section(PeerSection::device);
      else if (key == "host")
        read_section(PeerSection::host);
      else if (key == "opr_footprint")
        read_section(PeerSection::footprints);
      else
        pass();
    });
  }

  void read_section(PeerSection section) {
    if (cursor_.peek() != '{') throw OddJson{};
    bool first = true;
    scan(piece_size_, [&](std::size_t begin, std::size_t end) {
      queue_.add(section, begin, end, first);
      first = false;
    });
  }

  void pass(bool is_takt = false) {
    const char first = cursor_.peek();
    const std::size_t begin = cursor_.offset();
    pass_value(first);
    if (is_takt) contents_.takt_value = text_.text().substr(begin, cursor_.offset() - begin);
  }

  void pass_value(char first) {
    if (first != '{' && first != '[') {
      check(cursor_.value());
      return;
    }
    constexpr std::size_t bytes_given_back = 4 << 20;
    scan(bytes_given_back, [&](std::size_t begin, std::size_t end) { text_.give_back(begin, end); });
  }

  void scan(std::size_t piece_size, const JsonScanner::PieceSink& sink) {
    const auto end = scanner_.end_of(cursor_.offset(), piece_size, sink);
    if (!end) throw OddJson{"ends in the middle of a value: the file is truncated or not JSON"};
    cursor_.move_to(*end);
  }

  const PaddedText& text_;
  PeerWanted wanted_;
  std::size_t piece_size_;
  JsonCursor cursor_;
  JsonScanner scanner_;
  PeerContents contents_;
  PieceQueue queue_;  ///< last: its threads write to the contents
};

}  // namespace

PeerContents read_peer_quickly(const PaddedText& text, const PeerWanted& wanted, const QuickReading& how) {
  return QuickReader(text, wanted, how).read();
}

}  // namespace takt
