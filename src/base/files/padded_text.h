// Text that parsers may read beyond: simdjson and the scanners look at whole blocks of bytes.
//
// A mapped file is such a text as it is, so that large files are read in place; any other text is copied once.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/files/file.h"

namespace takt {

/// Copies share the bytes, and views into text() live as long as any of them. Thread-safe like a const value.
class PaddedText {
 public:
  static constexpr std::size_t padding = 64;  ///< readable zeros after the text

  explicit PaddedText(std::shared_ptr<const MappedFile> file) : file_(std::move(file)), text_(file_->text()) {}

  template <typename Text>
  requires std::convertible_to<const Text&, std::string_view> PaddedText(const Text& text)
      : PaddedText(Copied{}, text) {}

  std::string_view text() const { return text_; }

  /// As MappedFile::give_back(); nothing for a text that came from no file.
  void give_back(std::size_t begin, std::size_t end) const {
    if (file_) file_->give_back(begin, end);
  }

 private:
  struct Copied {};
  PaddedText(Copied, std::string_view text) {
    auto copy = std::make_shared<std::string>();
    copy->reserve(text.size() + padding);
    copy->append(text).append(padding, '\0');
    text_ = std::string_view(*copy).substr(0, text.size());
    copy_ = std::move(copy);
  }

  std::shared_ptr<const MappedFile> file_;   ///< nullptr: the text is a copy
  std::shared_ptr<const std::string> copy_;  ///< nullptr: the text is a file's
  std::string_view text_;
};

}  // namespace takt
