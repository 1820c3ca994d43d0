// Columns of the shapes of an operator's tensors, wherever operators stand in a table.
#pragma once

#include "base/table/table.h"

namespace takt::shape_columns {

inline constexpr ColumnText in_shapes{
    "in_shapes", "In shapes", "Shapes of the tensors that the operator reads, separated by a space: {1,3,224,224}."};
inline constexpr ColumnText out_shapes{
    "out_shapes", "Out shapes",
    "Shapes of the tensors that the operator writes, separated by a space: {1,64,111,111}."};

}  // namespace takt::shape_columns
