// A model as its kernels: which record each of them has, and who feeds whom.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "predict/kernels/record.h"

namespace takt {

/// One execution of a kernel in a model.
struct KernelInstance {
  std::string name;                          ///< of the runtime's node; unique in its model
  std::string record;                        ///< its id in KernelFile::records
  std::vector<std::string> inputs, outputs;  ///< tensors' names in the optimised graph; empty where left out
  std::vector<int> producers, consumers;     ///< places in KernelGraph::kernels, ascending
  std::vector<std::string> model_ops;        ///< operators of the model that it stands for, where the runtime tells
};

/// A model's kernels in the order in which the runtime executes them.
struct KernelGraph {
  std::string model;                         ///< file name
  std::string runtime, version, device;      ///< that made the graph, "onnxruntime", "1.31.1", "CPU"
  std::vector<std::string> inputs, outputs;  ///< tensors' names
  std::vector<KernelInstance> kernels;
};

/// What a file of kernels holds: each record once, and the models whose kernels they are (none: single records).
struct KernelFile {
  std::map<std::string, KernelRecord> records;  ///< by id
  std::vector<KernelGraph> models;
};

/// Fills producers and consumers from the tensors' names.
void connect(KernelGraph& graph);

/// Puts a model with its records in; a record that is there already stays.
void add(KernelFile& file, KernelGraph graph, std::map<std::string, KernelRecord> records);

}  // namespace takt
