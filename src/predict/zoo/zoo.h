// A zoo of model architectures that takt builds itself: what a predictor learns from and is tested on.
//
// An architecture is a family, a depth and a width; a model is an architecture with a batch and an input size. Layers
// are those of the papers, so the shapes are the ones that users have; weights are random, since time does not depend
// on them, and lie in one file for all models (src/predict/zoo/weights.h).
//
//   resnet        10, 18, 34: basic blocks; 26, 50: bottlenecks      He et al., 2015
//   vgg           11, 13, 16                                         Simonyan and Zisserman, 2014
//   mobilenetv2   inverted residuals; 10: half of the blocks, 19     Sandler et al., 2018
//   squeezenet    10 (v1.0), 11 (v1.1)                               Iandola et al., 2016
//   densenet      59, 121: layers, growth 32·width                   Huang et al., 2016
//   efficientnet  9, 16: blocks with squeeze-and-excitation, swish   Tan and Le, 2019
//   inception     5, 9: modules of four branches                     Szegedy et al., 2014
//   transformer   encoders of 2, 4, 6 layers, 256·width numbers per word, as many words as `input`
//   mlp           3, 6: layers of 1024·width; `input` numbers go in
//   sage, gcn, gat   one layer of a graph neural network (plan/gnn/network.h), 500·width features; `input` nodes, four
//   edges
//                 for each
//   soup          random chains of blocks to learn from, numbers 1 to 240 (src/predict/zoo/random_chains.cpp), in no zoo that
//   does not ask
//                 for them
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

struct ZooFamily {
  std::string_view name;
  std::vector<int> depths;
  std::vector<double> widths;  ///< usual ones; others are possible
  std::int64_t input = 224;    ///< usual size
  std::int64_t least_input = 32;
};

/// Returns the family's depths as text: "18, 34", "1 to 184".
std::string depths_text(const ZooFamily& family);
/// The family of chains to learn from, whose time nobody wants to know; as models and datasets say it.
inline constexpr std::string_view random_chains_family = "soup";

const std::vector<ZooFamily>& zoo_families();
/// nullptr: none is called so.
const ZooFamily* zoo_family(std::string_view name);

struct ZooModel {
  std::string family;
  int depth = 0;
  double width = 1;
  std::int64_t batch = 1;
  std::int64_t input = 224;

  std::string architecture() const;  ///< "resnet18_w0.5"
  std::string name() const;          ///< "resnet18_w0.5_b1_224", of its file
};

/// All architectures of the families with their usual depths and widths, at batch 1 and the usual input; no random chains.
std::vector<ZooModel> usual_zoo();

struct ZooConfig {
  std::uint64_t seed = 1;  ///< of the weights
  std::vector<ZooModel> models;
};

/// A YAML file:
///
///   seed: 1
///   models:
///     - {family: resnet, depth: 18, width: 1, batch: [16, 64, 128], input: [224, 320, 512]}
///     - {family: vgg}          # all usual depths and widths, batch 1, usual input
///
/// Lists span a grid. Throws Error(bad_input), "FILE:LINE: KEY: what is wrong".
ZooConfig parse_zoo_config(const std::string& text, const std::string& origin);
ZooConfig read_zoo_config(const std::filesystem::path& path);

}  // namespace takt
