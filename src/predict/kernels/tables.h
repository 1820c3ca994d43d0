// Tables of kernels: of models, by name, and those that were taken out.
#pragma once

#include <string>
#include <vector>

#include "base/table/table.h"
#include "predict/kernels/extract.h"
#include "predict/kernels/graph.h"

namespace takt {

/// "kernels", a row per kernel of each model, and "kernel_names", a row per canonical name. A file without models has a
/// row per record.
std::vector<Table> kernel_tables(const KernelFile& file);
std::vector<TableSchema> kernel_schemas();

/// "extracted": a row per kernel.
std::vector<Table> extract_tables(const std::vector<ExtractedKernel>& extracted);
std::vector<TableSchema> extract_schemas();

/// What tables of kernels share.
namespace kernel_columns {
inline constexpr ColumnText number{
    "kernel_number", "No", "Position of a kernel in the order in which the runtime executes its model, from 1."};
inline constexpr ColumnText name{
    "kernel_name", "Kernel",
    "What a kernel computes, spelled the same for every model, layout and runtime: operators in the order in which "
    "they apply, fused ones after an underscore, e.g. Conv_Add_Relu."};
inline constexpr ColumnText record{"kernel_record", "Record",
                                   "The kernel's name, its output shape and a fingerprint of everything that "
                                   "determines its time; kernels with equal records are the same kernel."};
inline constexpr ColumnText node{"kernel_node", "Node", "Name of the kernel's node in the runtime's graph."};
}  // namespace kernel_columns

}  // namespace takt
