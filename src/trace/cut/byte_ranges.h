// Some parts of a source as if nothing stood between them: a piece of a file too large to read as a whole.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/events/byte_source.h"

namespace takt {

struct ByteRange {
  std::uint64_t begin = 0, end = 0;  ///< half open; UINT64_MAX: to the end of the source
};

/// `source`, which stands at its front and outlives the result. Ranges in order and disjoint. Cannot be rewound.
class ByteRanges : public ByteSource {
 public:
  ByteRanges(ByteSource& source, std::vector<ByteRange> ranges) : source_(source), ranges_(std::move(ranges)) {}
  std::size_t read(std::span<char> buffer) override;
  bool rewind() override;
  std::string damage() const override { return source_.damage(); }

 private:
  ByteSource& source_;
  std::vector<ByteRange> ranges_;
  std::size_t at_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace takt
