#include "trace/events/byte_source.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/files/file.h"

namespace takt {
namespace {

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : file_(path) {}
  std::size_t read(std::span<char> buffer) override { return file_.read(buffer); }
  std::uint64_t skip(std::uint64_t bytes) override { return file_.skip(bytes) ? bytes : ByteSource::skip(bytes); }
  bool rewind() override { return file_.rewind(); }
  std::optional<std::size_t> expected_size() const override { return file_.size(); }

 private:
  InputFile file_;
};

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : text_(text) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), text_.size() - position_);
    std::memcpy(buffer.data(), text_.data() + position_, count);
    position_ += count;
    return count;
  }
  bool rewind() override {
    position_ = 0;
    return true;
  }
  std::optional<std::size_t> expected_size() const override { return text_.size(); }

 private:
  std::string_view text_;
  std::size_t position_ = 0;
};

/// Bytes already taken from the front of a source, then the source: for looking at the first bytes of a pipe.
class PushedBack : public ByteSource {
 public:
  PushedBack(std::unique_ptr<ByteSource> source, std::string front)
      : source_(std::move(source)), front_(std::move(front)) {}
  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), front_.size() - position_);
    std::memcpy(buffer.data(), front_.data() + position_, count);
    position_ += count;
    return count + (count < buffer.size() ? source_->read(buffer.subspan(count)) : 0);
  }
  bool rewind() override {
    if (!source_->rewind()) return false;
    position_ = front_.size();
    return true;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::string front_;
  std::size_t position_ = 0;
};

// Traces and datasets pack to a tenth or a fiftieth of their size; what unpacks to more than this is blanks, or was
// made to fill the memory of whoever opens it.
constexpr std::size_t most_times_larger = 200;
constexpr std::size_t always_unpacked = std::size_t{1} << 30;

/// gzip, also several members in a row.
class GzipSource : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> source) : source_(std::move(source)), input_(std::size_t{1} << 18) {
    start_member();
  }

  std::size_t read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !done_) {
      if (state_.avail_in == 0) refill();
      if (state_.block_state == ISAL_BLOCK_FINISH && !next_member()) break;
      // The counters are 32 bits wide.
      const auto room = static_cast<std::uint32_t>(std::min<std::size_t>(buffer.size() - filled, 1u << 30));
      state_.next_out = reinterpret_cast<std::uint8_t*>(buffer.data() + filled);
      state_.avail_out = room;
      const std::uint32_t before = state_.avail_in;
      const int result = isal_inflate(&state_);
      filled += room - state_.avail_out;
      if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT) stop("the compressed data is damaged");
      if (end_of_input_ && state_.avail_in == before && state_.avail_out == room &&
          state_.block_state != ISAL_BLOCK_FINISH) {
        stop("the compressed data is truncated");
      }
    }
    produced_ += filled;
    if (produced_ > always_unpacked && produced_ / most_times_larger > taken_)
      stop(fmt::format(
          "it unpacks to more than {} times its size and to more than 1 GB, which is unusual for a trace or table; if "
          "this is correct, unpack it with gunzip first",
          most_times_larger));
    return filled;
  }

  bool rewind() override {
    if (!source_->rewind()) return false;
    done_ = end_of_input_ = false;
    taken_ = produced_ = 0;
    damage_.clear();
    start_member();
    state_.avail_in = 0;
    return true;
  }
  /// As if the rest were packed as tightly as what came so far.
  std::optional<std::size_t> expected_size() const override {
    const auto packed = source_->expected_size();
    if (!packed || taken_ == 0) return std::nullopt;
    return static_cast<std::size_t>(static_cast<double>(*packed) * static_cast<double>(produced_) /
                                    static_cast<double>(taken_));
  }
  std::string damage() const override { return damage_; }

 private:
  void start_member() {
    const std::uint32_t left = state_.avail_in;
    std::uint8_t* const next = state_.next_in;
    isal_inflate_init(&state_);
    state_.crc_flag = ISAL_GZIP;
    state_.avail_in = left;
    state_.next_in = next;
  }
  void refill() {
    if (end_of_input_) return;
    const std::size_t count = source_->read(input_);
    end_of_input_ = count < input_.size();
    taken_ += count;
    state_.next_in = reinterpret_cast<std::uint8_t*>(input_.data());
    state_.avail_in = static_cast<std::uint32_t>(count);
  }
  /// False at the end. Zeros behind the last member are padding.
  bool next_member() {
    while (state_.avail_in > 0 && *state_.next_in == 0) {
      ++state_.next_in;
      if (--state_.avail_in == 0) refill();
    }
    if (state_.avail_in == 0) {
      done_ = true;
      return false;
    }
    start_member();
    return true;
  }
  void stop(std::string why) {
    done_ = true;
    damage_ = std::move(why);
  }

  std::unique_ptr<ByteSource> source_;
  std::vector<char> input_;
  inflate_state state_{};
  std::size_t taken_ = 0, produced_ = 0;
  bool end_of_input_ = false, done_ = false;
  std::string damage_;
};

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source) {
  const bool is_gzip = look_ahead(source, 2) == "\x1f\x8b";
  if (is_gzip) return std::make_unique<GzipSource>(std::move(source));
  return source;
}

}  // namespace

std::uint64_t ByteSource::skip(std::uint64_t bytes) {
  constexpr std::uint64_t at_once = std::uint64_t{1} << 18;
  std::vector<char> passed(static_cast<std::size_t>(std::min(bytes, at_once)));
  std::uint64_t skipped = 0;
  while (skipped < bytes) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(bytes - skipped, passed.size()));
    const std::size_t count = read({passed.data(), wanted});
    skipped += count;
    if (count < wanted) break;
  }
  return skipped;
}

std::string read_rest(ByteSource& source) {
  constexpr std::size_t at_once = std::size_t{1} << 20;
  std::string text;
  for (std::size_t count = at_once; count == at_once;) {
    const std::size_t size = text.size();
    text.resize(size + at_once);
    count = source.read({text.data() + size, at_once});
    text.resize(size + count);
  }
  return text;
}

std::string look_ahead(std::unique_ptr<ByteSource>& source, std::size_t bytes) {
  std::string front(bytes, '\0');
  front.resize(source->read(front));
  if (!source->rewind()) source = std::make_unique<PushedBack>(std::move(source), front);
  return front;
}

std::unique_ptr<ByteSource> open_source(const std::filesystem::path& path) {
  return decompressed(std::make_unique<FileSource>(path));
}

std::unique_ptr<ByteSource> text_source(std::string_view text) {
  return decompressed(std::make_unique<TextSource>(text));
}

}  // namespace takt
