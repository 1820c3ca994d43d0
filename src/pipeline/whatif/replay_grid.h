// The answers to a what-if beforehand: every setting of a few knobs of each stage, so that a page can offer them without a
// simulator of its own. The settings are a grid, and between its points nothing is said.
#pragma once

#include <string>
#include <vector>

#include "pipeline/whatif/what_if.h"

namespace takt {

/// Something that a reader may turn. `values` are as --set takes them; one changes nothing: `values[recorded]`.
struct GridKnob {
  std::string key;  ///< "stage.infer.time"
  std::vector<std::string> values;
  std::size_t recorded = 0;
};

/// Knobs that are turned together, and an answer for each setting of them: the values of the last knob follow each other.
struct KnobGroup {
  std::string target;  ///< a stage; empty: the source
  std::vector<GridKnob> knobs;
  std::vector<WhatIfRow> answers;
};

/// The changes of a setting, which has a place among the values per knob: what is as recorded is no change.
std::vector<PipelineChange> changes_of(const KnobGroup& group, const std::vector<std::size_t>& setting);

/// The place of a setting among the answers, and back.
std::size_t answer_of(const KnobGroup& group, const std::vector<std::size_t>& setting);
std::vector<std::size_t> setting_of(const KnobGroup& group, std::size_t answer);

/// A group for each of the stages with the largest loads (time, replicas, queue), in the order of the pipeline, and one for
/// the source (batches in flight). The longer the run, the fewer stages and values, since each answer replays it: it takes
/// about 4 s at most. Empty beyond some thousand batches, and of a run that `takt pipeline whatif` refuses.
std::vector<KnobGroup> replay_grid(const PipelineRun& run);

}  // namespace takt
