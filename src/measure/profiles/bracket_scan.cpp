#include "measure/profiles/bracket_scan.h"

#include <algorithm>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace takt {

namespace {

constexpr std::size_t block_bytes = 64, blocks_per_batch = 64;  // a batch of text and its masks stay in the first cache

/// Bits of characters that stand behind an odd number of backslashes; simdjson's method: runs of backslashes that begin
/// at odd places are added to the backslashes, so that carries show where each run ends.
inline std::uint64_t escaped_characters(std::uint64_t backslash, std::uint64_t& carry) {
  if (backslash == 0) {
    const std::uint64_t escaped = carry;
    carry = 0;
    return escaped;
  }
  constexpr std::uint64_t even_bits = 0x5555555555555555;
  backslash &= ~carry;
  const std::uint64_t behind = backslash << 1 | carry;
  const std::uint64_t odd_starts = backslash & ~even_bits & ~behind;
  const std::uint64_t ends = odd_starts + backslash;
  carry = ends < odd_starts ? 1 : 0;
  return (even_bits ^ (ends << 1)) & behind;
}

#if defined(__x86_64__)

#define TAKT_AVX2 [[gnu::target("avx2,bmi,popcnt,pclmul")]]

TAKT_AVX2 inline std::uint64_t mask_of(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

TAKT_AVX2 inline std::uint64_t equal(__m256i low, __m256i high, char c) {
  const __m256i all = _mm256_set1_epi8(c);
  return mask_of(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
}

TAKT_AVX2 void scan_avx2(const char* text, std::size_t blocks, ScanState& state, ScanBlock* out) {
  const __m256i last_control = _mm256_set1_epi8(0x1F), case_bit = _mm256_set1_epi8(0x20);
  for (std::size_t i = 0; i < blocks; ++i, text += block_bytes) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32));
    const std::uint64_t backslash = equal(low, high, '\\');
    const std::uint64_t quote = equal(low, high, '"') & ~escaped_characters(backslash, state.escaped);
    const __m128i parity = _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(quote)), _mm_set1_epi8(-1), 0);
    const std::uint64_t inside = static_cast<std::uint64_t>(_mm_cvtsi128_si64(parity)) ^ state.in_string;
    state.in_string = inside >> 63 ? ~std::uint64_t{0} : 0;
    // '[' and '{', ']' and '}' differ in one bit.
    const __m256i low_brackets = _mm256_or_si256(low, case_bit), high_brackets = _mm256_or_si256(high, case_bit);
    out[i].open = equal(low_brackets, high_brackets, '{') & ~inside;
    out[i].close = equal(low_brackets, high_brackets, '}') & ~inside;
    out[i].opens = static_cast<std::uint32_t>(_mm_popcnt_u64(out[i].open));
    out[i].closes = static_cast<std::uint32_t>(_mm_popcnt_u64(out[i].close));
    const std::uint64_t control = mask_of(_mm256_cmpeq_epi8(_mm256_min_epu8(low, last_control), low),
                                          _mm256_cmpeq_epi8(_mm256_min_epu8(high, last_control), high));
    state.flaws |= (control & inside) | (backslash & ~inside);
    state.beyond_ascii |= mask_of(low, high);
  }
}

#undef TAKT_AVX2
#endif

}  // namespace

void scan_portable(const char* text, std::size_t blocks, ScanState& state, ScanBlock* out) {
  for (std::size_t i = 0; i < blocks; ++i, text += block_bytes) {
    out[i] = {};
    for (std::size_t bit = 0; bit < block_bytes; ++bit) {
      const auto c = static_cast<unsigned char>(text[bit]);
      const bool escaped = state.escaped != 0;
      state.escaped = c == '\\' && !escaped;
      if (c == '"' && !escaped) {
        state.in_string = ~state.in_string;
      } else if (state.in_string != 0) {
        state.flaws |= c < 0x20;
      } else {
        state.flaws |= c == '\\';
        out[i].open |= std::uint64_t{c == '{' || c == '['} << bit;
        out[i].close |= std::uint64_t{c == '}' || c == ']'} << bit;
      }
      state.beyond_ascii |= c & 0x80U;
    }
    out[i].opens = static_cast<std::uint32_t>(std::popcount(out[i].open));
    out[i].closes = static_cast<std::uint32_t>(std::popcount(out[i].close));
  }
}

ScanKernel best_scan_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt") &&
      __builtin_cpu_supports("pclmul"))
    return scan_avx2;
#endif
  return scan_portable;
}

std::optional<std::size_t> JsonScanner::end_of(std::size_t begin, std::size_t piece_size, const PieceSink& sink) {
  ScanState state;
  ScanBlock blocks[blocks_per_batch];
  std::size_t depth = 0, piece = begin + 1;
  for (std::size_t at = begin; at < text_.size();) {
    const std::size_t count = std::min(blocks_per_batch, (text_.size() - at + block_bytes - 1) / block_bytes);
    kernel_(text_.data() + at, count, state, blocks);
    beyond_ascii_ = beyond_ascii_ || state.beyond_ascii != 0;
    if (state.flaws != 0) return std::nullopt;
    for (std::size_t i = 0; i < count; ++i, at += block_bytes) {
      // Most blocks can reach neither the end of the whole nor, where a piece is long enough, of an element.
      const std::size_t depth_of_interest = at + block_bytes - piece >= piece_size ? 1 : 0;
      if (blocks[i].closes + depth_of_interest < depth) {
        depth = depth + blocks[i].opens - blocks[i].closes;
        continue;
      }
      for (std::uint64_t bits = blocks[i].open | blocks[i].close; bits != 0; bits &= bits - 1) {
        const std::uint64_t bit = bits & (~bits + 1);
        if (blocks[i].open & bit) {
          ++depth;
          continue;
        }
        const std::size_t end = at + static_cast<std::size_t>(std::countr_zero(bits));
        if (--depth == 0) {
          if (end > text_.size()) return std::nullopt;
          sink(piece, end);
          return end + 1;
        }
        if (depth == 1 && end + 1 - piece >= piece_size) {
          sink(piece, end + 1);
          piece = end + 1;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace takt
