#include "plan/gnn/stage_model.h"

#include <fmt/format.h>

#include <limits>

#include "base/basics/error.h"
#include "plan/gnn/stage_writer.h"

namespace takt {
namespace {

using WriteStage = void (*)(StageWriter&);

/// Stages by number minus one. The tensors that they read and make have the names of network.h.
std::string product(StageWriter& w, const std::string& left, const std::string& weight) {
  return w.node("MatMul", {left, weight});
}

void gather(StageWriter& w) {
  if (!w.bags()) w.make("x_j", "Gather", {"x", w.sources()}, {{"axis", std::int64_t{0}}});
}

void activate(StageWriter& w) { w.make("activated", "Relu", {"out"}); }

constexpr WriteStage write_sage[] = {
    gather,
    [](StageWriter& w) {
      if (!w.bags()) w.make("messages", "Identity", {"x_j"});
    },
    [](StageWriter& w) {
      if (w.bags())
        w.bag_of("x", {}, "sum_agg");
      else
        w.sum_of("messages", w.settings().features, "sum_agg");
    },
    [](StageWriter& w) { w.edge_counts("count"); },
    [](StageWriter& w) {
      const std::string divisor = w.to_precision(w.node("Max", {"count", w.number(1.0f)}));
      w.make("mean_agg", "Div", {"sum_agg", w.column(divisor)});
    },
    [](StageWriter& w) {
      const std::int64_t rows = w.settings().features, columns = w.settings().hidden;
      const std::string mean = product(w, "mean_agg", w.weight("w_l", rows, columns));
      const std::string shifted = w.node("Add", {mean, w.weight("b", columns, 0)});
      w.make("out", "Add", {shifted, product(w, w.target_rows("x"), w.weight("w_r", rows, columns))});
    },
    activate,
};

constexpr WriteStage write_gcn[] = {
    [](StageWriter& w) {
      const std::string degrees = w.edge_counts();
      const std::string roots = w.node("Sqrt", {w.node("Max", {degrees, w.number(1.0f)})});
      // A node that no edge leads to has no norm; the power −½ of its degree would be infinite.
      const std::string inverse = w.node("Where", {w.node("Greater", {degrees, w.number(0.0f)}),
                                                   w.node("Div", {w.number(1.0f), roots}), w.number(0.0f)});
      const std::vector<NamedAttribute> rows{{"axis", std::int64_t{0}}};
      const std::string both = w.node(
          "Mul", {w.node("Gather", {inverse, w.sources()}, rows), w.node("Gather", {inverse, w.targets()}, rows)});
      w.make("norm", "Identity", {w.to_precision(both)});
    },
    gather,
    [](StageWriter& w) {
      if (!w.bags()) w.make("messages", "Mul", {w.column("norm"), "x_j"});
    },
    [](StageWriter& w) {
      if (w.bags())
        w.bag_of("x", "norm", "agg");
      else
        w.sum_of("messages", w.settings().features, "agg");
    },
    [](StageWriter& w) {
      const std::string weighted = product(w, "agg", w.weight("w", w.settings().features, w.settings().hidden));
      w.make("out", "Add", {weighted, w.weight("b", w.settings().hidden, 0)});
    },
    activate,
};

/// Both ends are scored per node and then gathered.
bool scores_nodes(const StageWriter& w) { return w.range().has(2) && w.range().has(3); }

constexpr WriteStage write_gat[] = {
    [](StageWriter& w) {
      w.make("wx", "MatMul", {"x", w.weight("w", w.settings().features, w.settings().hidden)});
    },
    [](StageWriter& w) {
      const std::vector<NamedAttribute> rows{{"axis", std::int64_t{0}}};
      if (!scores_nodes(w)) w.make("wx_i", "Gather", {"wx", w.targets()}, rows);
      if (!w.bags()) w.make("wx_j", "Gather", {"wx", w.sources()}, rows);
    },
    [](StageWriter& w) {
      const std::string of_target = w.weight("att_dst", w.settings().hidden, 1);
      const std::string of_source = w.weight("att_src", w.settings().hidden, 1);
      const std::vector<NamedAttribute> rows{{"axis", std::int64_t{0}}};
      const std::string sum = scores_nodes(w)
                                  ? w.node("Add", {w.node("Gather", {product(w, "wx", of_target), w.targets()}, rows),
                                                   w.node("Gather", {product(w, "wx", of_source), w.sources()}, rows)})
                                  : w.node("Add", {product(w, "wx_i", of_target), product(w, "wx_j", of_source)});
      w.make_vector("scores", w.node("LeakyRelu", {sum}, {{"alpha", 0.2f}}));
    },
    [](StageWriter& w) {
      // The largest score of each node is taken off first, as e^100 is beyond float32. In float32 also where features
      // are halves: sums of many numbers below 1 would stand still at 2048.
      const std::vector<NamedAttribute> rows{{"axis", std::int64_t{0}}};
      const std::string scores = w.to_float32("scores");
      const std::string largest = w.reduced(scores, "max", std::numeric_limits<float>::lowest());
      const std::string below = w.node("Sub", {scores, w.node("Gather", {largest, w.targets()}, rows)});
      const std::string powers = w.node("Exp", {below});
      const std::string sums = w.node("Gather", {w.reduced(powers, "add", 0.0f), w.targets()}, rows);
      // Each sum holds a 1, so that nothing need be added against a division by zero.
      w.make("alpha", "Identity", {w.to_precision(w.node("Div", {powers, sums}))});
    },
    [](StageWriter& w) {
      if (!w.bags()) w.make("messages", "Mul", {w.column("alpha"), "wx_j"});
    },
    [](StageWriter& w) {
      if (w.bags())
        w.bag_of("wx", "alpha", "agg");
      else
        w.sum_of("messages", w.settings().hidden, "agg");
    },
    [](StageWriter& w) { w.make("activated", "Elu", {"agg"}); },
};

WriteStage writer_of(Network network, int stage) {
  const auto place = static_cast<std::size_t>(stage) - 1;
  if (network == Network::sage) return write_sage[place];
  return network == Network::gcn ? write_gcn[place] : write_gat[place];
}

/// Opset 17 is what older runtimes read; the largest of a node's scores needs 18.
int opset_of(const StageRange& range) { return range.network == Network::gat && range.has(4) ? 18 : 17; }

void check_settings(const StageRange& range, const StageModelSettings& settings) {
  const auto refuse = [](const std::string& what) { refuse_input("a model of stages cannot be built: " + what); };
  if (settings.precision != ElementType::f32 && settings.precision != ElementType::f16)
    refuse("its precision must be float32 or float16");
  if (settings.features < 1 || settings.hidden < 1)
    refuse(fmt::format("it needs at least one feature, and has {} and {}", settings.features, settings.hidden));
  if (settings.size && (settings.size->nodes < 1 || settings.size->edges < 0))
    refuse(fmt::format("a graph of {} nodes and {} edges is not possible", settings.size->nodes, settings.size->edges));
  if (!settings.table_rows) return;
  if (!settings.size || *settings.table_rows < settings.size->nodes)
    refuse("a part of a graph needs a size, and a table with at least as many rows as it has nodes");
  if (range.network == Network::gcn && range.has(1))
    refuse("stage 1 of GCN counts the edges of both ends, but a part has only the edges to its own nodes");
}

}  // namespace

std::string_view table_of(const StageRange& range) {
  switch (range.network) {
    case Network::sage:
      return range.has(1) ? "x" : "";
    case Network::gcn:
      return range.has(2) ? "x" : "";
    case Network::gat:
      break;
  }
  if (!range.has(2)) return "";
  return range.has(1) ? "x" : "wx";
}

bool can_bag(const StageRange& range) {
  switch (range.network) {
    case Network::sage:
      return range.has(1) && range.has(3);
    case Network::gcn:
      return range.has(2) && range.has(4);
    case Network::gat:
      break;
  }
  return range.has(2) && range.has(6);
}

OnnxModel stage_model(const StageRange& range, const StageModelSettings& settings) {
  check_settings(range, settings);
  StageWriter writer(range, settings);
  for (int stage = range.first; stage <= range.last; ++stage) writer_of(range.network, stage)(writer);
  return writer.finish(opset_of(range));
}

}  // namespace takt
