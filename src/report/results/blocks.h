// Blocks of a large model, so that thousands of operators can be read: layers and what is inside them.
//
// Runtimes and exporters name operators by the module that they are of: "/encoder/layer.3/attention/MatMul",
// "layers.3.mlp.up_proj/MatMul". Such a scope of at least eight operators is a block; an operator without a scope
// belongs to what the operators around it have in common. Where names tell nothing of that, or hundreds of operators
// share a scope, the piece of the order of execution that repeats is a block (by types of operators), else so many
// operators in a row are one.
#pragma once

#include <string>
#include <vector>

#include "report/page/page.h"

namespace takt {

/// Returns the blocks, outer ones before those inside, all in the order of execution, and fills `block` of the steps.
/// Empty: there are fewer than a hundred steps, or they have no blocks.
std::vector<ReportBlock> blocks_of(std::vector<ReportStep>& steps);

/// "24 blocks like layer.0 take 92.1 % of the time; the longest: layer.7, 1.30 ms"; empty: there are no blocks.
std::string blocks_title(const std::vector<ReportBlock>& blocks, const std::vector<ReportStep>& steps);

}  // namespace takt
