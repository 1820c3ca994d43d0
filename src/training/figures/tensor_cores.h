// How much of the kernels' time used matrix units (tensor cores), and how much could have.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "training/steps/activity.h"

namespace takt {

enum class MatrixUnit : std::uint8_t {
  used,      ///< the kernel's name tells of one
  eligible,  ///< an operator that has kernels with them launched one without
  none,      ///< other kernels
  not_told,  ///< the trace does not tell which operator launched it
};
constexpr std::size_t matrix_unit_count = 4;
std::string_view name_of(MatrixUnit unit);

struct MatrixUnitFigure {
  std::int64_t kernels = 0;
  std::int64_t time_ns = 0;
  std::optional<StringId> longest;  ///< the kernel that takes most of it
};

/// By MatrixUnit: of all computing kernels of all devices.
std::array<MatrixUnitFigure, matrix_unit_count> matrix_unit_figures(const Trace& trace, const Activity& activity);

/// By its name alone, as libraries of NVIDIA and AMD call such kernels.
bool uses_matrix_unit(std::string_view kernel);
/// Whether the kernel may be a product, by its name: those that copy, add or reorder beside one are none.
bool is_a_product(std::string_view kernel);
/// A product in float32 without matrix units, by its name: "ampere_sgemm_128x64_nn", "…_simt_sgemm_…".
bool multiplies_without(std::string_view kernel);
/// Whether there are kernels for this operator that use matrix units.
bool could_use_matrix_unit(std::string_view op);

}  // namespace takt
