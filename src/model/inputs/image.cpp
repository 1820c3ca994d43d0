#include "model/inputs/image.h"

#include <fmt/format.h>

#include <charconv>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

struct ImageHeader {
  bool is_text = false;
  std::int64_t channels = 1, width = 0, height = 0;
  std::uint32_t largest = 0;  ///< sample value
};

class NetpbmParser {
 public:
  NetpbmParser(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  GivenTensor parse() {
    read_header();
    const Shape shape{1, header_.height, header_.width, header_.channels};
    const auto count = element_count(shape);
    const std::size_t size = header_.largest > 255 ? 2 : 1;
    if (!count || *count > largest_tensor_bytes / static_cast<std::int64_t>(size))
      fail(fmt::format("its size of {} x {} would take more than 8 GiB", header_.width, header_.height));
    tensor_ = {"", size == 2 ? ElementType::u16 : ElementType::u8, shape, {}, {}};
    const auto samples = static_cast<std::size_t>(*count);
    header_.is_text ? read_text(samples) : read_bytes(samples, size);
    return {std::move(tensor_), GivenAs::image};
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}; save the image again as PPM or PGM", where_, what));
  }

  void read_header() {
    constexpr std::string_view formats = "P2P3P5P6";
    const auto kind = text_.size() < 3 ? std::string_view::npos : formats.find(text_.substr(0, 2));
    if (kind == std::string_view::npos || kind % 2 != 0 || !is_blank(text_[2]))
      fail("is not an image of format P2, P3, P5 or P6");
    header_.is_text = kind < 4;
    header_.channels = kind % 4 == 0 ? 1 : 3;
    at_ = 2;
    header_.width = number("width");
    header_.height = number("height");
    const std::int64_t largest = number("maximum");
    if (header_.width < 1 || header_.height < 1) fail("has no pixels");
    if (largest < 1 || largest > 65535) fail(fmt::format("its maximum is {}, which is not in 1 to 65535", largest));
    header_.largest = static_cast<std::uint32_t>(largest);
  }

  static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f'; }

  /// Comments run from '#' to the end of the line and may stand wherever a blank may.
  void skip_blanks() {
    while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '#'))
      at_ = text_[at_] == '#' ? std::min(text_.find_first_of("\n\r", at_), text_.size()) : at_ + 1;
  }

  std::int64_t number(std::string_view what) {
    skip_blanks();
    std::int64_t value = 0;
    const char* const begin = text_.data() + at_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (at_ == text_.size()) fail(fmt::format("ends before its {}", what));
    if (code != std::errc() || *begin == '-') fail(fmt::format("its {} is not a number", what));
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  void check(std::uint32_t sample, std::size_t index) const {
    if (sample > header_.largest)
      fail(fmt::format("sample {} is {}, above the maximum {} of its header", index, sample, header_.largest));
  }

  void append(std::uint32_t sample) {
    tensor_.bytes.push_back(static_cast<std::byte>(sample & 255));
    if (header_.largest > 255) tensor_.bytes.push_back(static_cast<std::byte>(sample >> 8));
  }

  void read_text(std::size_t samples) {
    // A sample is a digit and a blank at least: what a header promises beyond that is not allocated.
    if (samples > (text_.size() - at_) / 2 + 1) fail_length(samples);
    tensor_.bytes.reserve(samples);
    for (std::size_t i = 0; i < samples; ++i) {
      skip_blanks();
      if (at_ == text_.size()) fail(fmt::format("holds {} of {} samples", i, samples));
      const std::int64_t value = number("sample");
      check(static_cast<std::uint32_t>(std::min<std::int64_t>(value, 1 << 20)), i);
      append(static_cast<std::uint32_t>(value));
    }
    skip_blanks();
    if (at_ != text_.size()) fail(fmt::format("holds more than its {} samples", samples));
  }

  void read_bytes(std::size_t samples, std::size_t size) {
    // A comment that begins directly behind the maximum ends with the blank that must follow it.
    if (at_ < text_.size() && text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ == text_.size() || !is_blank(text_[at_])) fail("has no blank after its maximum");
    const std::size_t wanted = samples * size;
    const bool is_crlf = text_.substr(at_, 2) == "\r\n" && text_.size() - at_ == wanted + 2;
    std::string_view raster = text_.substr(at_ + (is_crlf ? 2 : 1));
    if (raster.size() < wanted || !trim(raster.substr(wanted)).empty()) fail_length(samples);
    tensor_.bytes.reserve(wanted);
    for (std::size_t i = 0; i < samples; ++i) {
      const auto byte = [&](std::size_t k) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(raster[k]));
      };
      const std::uint32_t sample = size == 2 ? byte(2 * i) << 8 | byte(2 * i + 1) : byte(i);
      check(sample, i);
      append(sample);
    }
  }

  [[noreturn]] void fail_length(std::size_t samples) const {
    fail(fmt::format("has another length than its {} samples need", samples));
  }

  std::string_view text_, where_;
  std::size_t at_ = 0;
  ImageHeader header_;
  HostTensor tensor_;
};

}  // namespace

GivenTensor parse_netpbm(std::span<const std::byte> file, std::string_view where) {
  return NetpbmParser({reinterpret_cast<const char*>(file.data()), file.size()}, where).parse();
}

}  // namespace takt
