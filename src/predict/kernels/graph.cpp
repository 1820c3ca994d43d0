#include "predict/kernels/graph.h"

#include <algorithm>
#include <unordered_map>

namespace takt {
namespace {

void insert_once(std::vector<int>& list, int place) {
  const auto at = std::lower_bound(list.begin(), list.end(), place);
  if (at == list.end() || *at != place) list.insert(at, place);
}

}  // namespace

void connect(KernelGraph& graph) {
  std::unordered_map<std::string_view, int> maker;
  for (std::size_t i = 0; i < graph.kernels.size(); ++i) {
    graph.kernels[i].producers.clear();
    graph.kernels[i].consumers.clear();
    for (const std::string& name : graph.kernels[i].outputs)
      if (!name.empty()) maker.emplace(name, static_cast<int>(i));
  }
  for (std::size_t i = 0; i < graph.kernels.size(); ++i)
    for (const std::string& name : graph.kernels[i].inputs)
      if (const auto found = maker.find(name); !name.empty() && found != maker.end()) {
        insert_once(graph.kernels[i].producers, found->second);
        insert_once(graph.kernels[static_cast<std::size_t>(found->second)].consumers, static_cast<int>(i));
      }
}

void add(KernelFile& file, KernelGraph graph, std::map<std::string, KernelRecord> records) {
  file.records.merge(records);
  file.models.push_back(std::move(graph));
}

}  // namespace takt
