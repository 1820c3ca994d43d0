// Loops in the tile registers of x86-64 (AMX), which multiply 16 rows of 64 bytes at once.
//
// Tiles are large, so Linux gives them only to a process that asks (arch_prctl, since 5.16); permission holds for all
// of its threads. Where the CPU, the system or the container says no there are no such loops. Each thread loads the
// tiles' layout itself, and releases them, so that no later switch between threads carries 8 KiB.
//
// Six tiles of sums: a product takes 52 cycles and one starts every 16, so four are under way; the other two tiles are
// the operands.
#include "base/machine/peak_kernels.h"

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstring>
#endif

namespace takt::x86 {

#if defined(__x86_64__) && defined(__linux__)

namespace {

constexpr int tiles = 8, sums = 6, tile_rows = 16, row_bytes = 64;

/// As the instruction wants it.
struct alignas(64) TileLayout {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t bytes_per_row[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileLayout) == 64);

TileLayout full_tiles() {
  TileLayout layout;
  for (int i = 0; i < tiles; ++i) layout.bytes_per_row[i] = row_bytes, layout.rows[i] = tile_rows;
  return layout;
}

using Tile = std::array<std::uint16_t, std::size_t{tile_rows} * row_bytes / 2>;

/// g++ 12 does not know that the instructions read memory, and would leave out what only they read.
void write_out(const void* data) { asm volatile("" : : "r"(data) : "memory"); }

__attribute__((target("amx-tile"))) void begin_tiles(const Tile& operand) {
  const TileLayout layout = full_tiles();
  write_out(&layout), write_out(operand.data());
  _tile_loadconfig(&layout);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_loadd(6, operand.data(), row_bytes);
  _tile_loadd(7, operand.data(), row_bytes);
}

__attribute__((target("amx-tile,amx-bf16"))) float tile_bf16(std::int64_t rounds) {
  alignas(64) Tile operand, sum{};
  operand.fill(0x3c00);  // 2^-7 as bfloat16: sums grow slowly
  begin_tiles(operand);
  for (std::int64_t i = 0; i < rounds; ++i) {
    _tile_dpbf16ps(0, 6, 7);
    _tile_dpbf16ps(1, 6, 7);
    _tile_dpbf16ps(2, 6, 7);
    _tile_dpbf16ps(3, 6, 7);
    _tile_dpbf16ps(4, 6, 7);
    _tile_dpbf16ps(5, 6, 7);
  }
  _tile_stored(0, sum.data(), row_bytes);
  _tile_release();
  float first = 0;
  std::memcpy(&first, sum.data(), sizeof first);
  return first;
}

__attribute__((target("amx-tile,amx-int8"))) float tile_int8(std::int64_t rounds) {
  alignas(64) Tile operand, sum{};
  operand.fill(0x0101);
  begin_tiles(operand);
  for (std::int64_t i = 0; i < rounds; ++i) {
    _tile_dpbusd(0, 6, 7);
    _tile_dpbusd(1, 6, 7);
    _tile_dpbusd(2, 6, 7);
    _tile_dpbusd(3, 6, 7);
    _tile_dpbusd(4, 6, 7);
    _tile_dpbusd(5, 6, 7);
  }
  _tile_stored(0, sum.data(), row_bytes);
  _tile_release();
  std::int32_t first = 0;
  std::memcpy(&first, sum.data(), sizeof first);
  return static_cast<float>(first);
}

bool is_permitted() {
  constexpr long ask_for_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, ask_for_permission, tile_data) == 0;
}

}  // namespace

void add_tile_kernels(std::vector<ComputeKernel>& kernels) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return;
  const bool has_bf16 = (d >> 22 & 1) != 0, has_tiles = (d >> 24 & 1) != 0, has_int8 = (d >> 25 & 1) != 0;
  if (!has_tiles || !(has_bf16 || has_int8) || !is_permitted()) return;
  constexpr double products = sums * tile_rows * row_bytes / 4.0;  // elements of the sums
  if (has_bf16) kernels.push_back({NumberType::bf16, "AMX", 2 * products * row_bytes / 2, tile_bf16});
  if (has_int8) kernels.push_back({NumberType::int8, "AMX", 2 * products * row_bytes, tile_int8});
}

#else

void add_tile_kernels(std::vector<ComputeKernel>&) {}

#endif

}  // namespace takt::x86
