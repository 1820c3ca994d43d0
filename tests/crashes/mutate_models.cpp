// mutate_models FOLDER SEED COUNT MODEL...: writes COUNT models to FOLDER, each one of the given with one to three
// random changes to its structure: files that are whole as protobufs, and as models mostly wrong in one place. Equal
// words give equal files.
#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <array>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/statistics/random.h"
#include "model/onnx/onnx.h"

namespace takt {
namespace {

class Mutation {
 public:
  Mutation(onnx::ModelProto& model, Random& random) : model_(model), graph_(*model.mutable_graph()), random_(random) {}

  /// Its name; empty: it does not suit this model, and nothing was changed.
  std::string make() {
    using Change = bool (Mutation::*)();
    static constexpr std::array<std::pair<const char*, Change>, 15> changes{
        {{"lacks_an_input", &Mutation::drop_input},
         {"leaves_an_input_out", &Mutation::leave_input_out},
         {"lacks_an_attribute", &Mutation::drop_attribute},
         {"has_another_attribute", &Mutation::change_attribute},
         {"has_another_type_of_input", &Mutation::change_type},
         {"has_another_rank_of_input", &Mutation::change_rank},
         {"has_another_operator", &Mutation::change_operator},
         {"has_a_foreign_operator", &Mutation::change_domain},
         {"clips_what_is_foreign", &Mutation::clip_foreign},
         {"has_operators_without_weights", &Mutation::drop_weights},
         {"lacks_an_initializer", &Mutation::drop_initializer},
         {"has_another_shape_of_weights", &Mutation::change_weights},
         {"lacks_an_output_of_an_operator", &Mutation::drop_output},
         {"swaps_inputs", &Mutation::swap_inputs},
         {"lacks_an_operator", &Mutation::drop_operator}}};
    const auto& [name, change] = changes[random_() % changes.size()];
    return (this->*change)() ? name : "";
  }

 private:
  int drawn(int count) { return static_cast<int>(random_() % static_cast<std::uint64_t>(count)); }

  onnx::NodeProto* node() { return graph_.node_size() == 0 ? nullptr : graph_.mutable_node(drawn(graph_.node_size())); }

  onnx::ValueInfoProto* input() {
    return graph_.input_size() == 0 ? nullptr : graph_.mutable_input(drawn(graph_.input_size()));
  }

  bool drop_input() {
    auto* const one = node();
    if (!one || one->input_size() == 0) return false;
    one->mutable_input()->DeleteSubrange(drawn(one->input_size()), 1);
    return true;
  }

  bool leave_input_out() {
    auto* const one = node();
    if (!one || one->input_size() == 0) return false;
    one->set_input(drawn(one->input_size()), "");
    return true;
  }

  bool drop_attribute() {
    auto* const one = node();
    if (!one || one->attribute_size() == 0) return false;
    one->mutable_attribute()->DeleteSubrange(drawn(one->attribute_size()), 1);
    return true;
  }

  bool change_attribute() {
    static constexpr std::array<std::int64_t, 7> values{0, -1, 1, 2, 7, -1'000'000, std::int64_t{1} << 40};
    auto* const one = node();
    if (!one || one->attribute_size() == 0) return false;
    auto& attribute = *one->mutable_attribute(drawn(one->attribute_size()));
    const std::int64_t value = values[random_() % values.size()];
    if (attribute.ints_size() > 0)
      attribute.set_ints(drawn(attribute.ints_size()), value);
    else
      attribute.set_i(value);
    return true;
  }

  bool change_type() {
    auto* const one = input();
    if (!one || !one->type().has_tensor_type()) return false;
    one->mutable_type()->mutable_tensor_type()->set_elem_type(1 + drawn(16));
    return true;
  }

  bool change_rank() {
    auto* const one = input();
    if (!one || !one->type().has_tensor_type()) return false;
    auto& shape = *one->mutable_type()->mutable_tensor_type()->mutable_shape();
    if (shape.dim_size() > 0 && random_() % 2 == 0)
      shape.mutable_dim()->DeleteSubrange(drawn(shape.dim_size()), 1);
    else
      shape.add_dim()->set_dim_value(1 + drawn(3));
    return true;
  }

  bool change_operator() {
    static constexpr std::array<const char*, 24> types{
        "Conv",   "ConvTranspose", "MatMul",    "Gemm",    "Reshape", "Resize", "Concat", "Split",
        "Gather", "Clip",          "ReduceSum", "TopK",    "Pad",     "Slice",  "LSTM",   "BatchNormalization",
        "Expand", "Where",         "Softmax",   "MaxPool", "Einsum",  "OneHot", "Range",  "ScatterElements"};
    auto* const one = node();
    if (!one) return false;
    one->set_op_type(types[random_() % types.size()]);
    return true;
  }

  bool change_domain() {
    auto* const one = node();
    if (!one) return false;
    make_foreign(*one);
    return true;
  }

  void make_foreign(onnx::NodeProto& one) {
    one.set_domain("com.example");
    one.set_op_type("Mystery");
    for (const auto& opset : model_.opset_import())
      if (opset.domain() == "com.example") return;
    auto& opset = *model_.add_opset_import();
    opset.set_domain("com.example");
    opset.set_version(1);
  }

  /// A reader that has no node for the first of them finds none where the second one looks.
  bool clip_foreign() {
    if (graph_.input_size() == 0 || !graph_.input(0).type().has_tensor_type()) return false;
    auto& foreign = *graph_.add_node();
    foreign.add_input(graph_.input(0).name());
    foreign.add_output("foreign");
    foreign.set_name("foreign");
    make_foreign(foreign);
    if (random_() % 2 == 0) {
      foreign.set_domain("ai.onnx.ml");
      foreign.set_op_type("Scaler");
    }
    auto& clip = *graph_.add_node();
    clip.set_op_type("Clip");
    clip.add_input("foreign");
    const bool has_least = random_() % 2 == 0;
    clip.add_input(has_least ? "bound" : "");
    if (!has_least) clip.add_input("bound");
    clip.add_output("clipped");
    auto& bound = *graph_.add_initializer();
    bound.set_name("bound");
    bound.set_data_type(onnx::TensorProto::FLOAT);
    bound.add_float_data(0.5f);
    graph_.add_output()->set_name("clipped");
    return true;
  }

  bool drop_weights() {
    bool is_changed = false;
    for (auto& one : *graph_.mutable_node()) {
      const bool has_weights = one.op_type() == "Conv" || one.op_type() == "ConvTranspose" || one.op_type() == "Gemm" ||
                               one.op_type() == "LSTM" || one.op_type() == "MatMul";
      if (!has_weights || one.input_size() < 2) continue;
      one.mutable_input()->DeleteSubrange(1, one.input_size() - 1);
      is_changed = true;
    }
    return is_changed;
  }

  bool drop_initializer() {
    if (graph_.initializer_size() == 0) return false;
    graph_.mutable_initializer()->DeleteSubrange(drawn(graph_.initializer_size()), 1);
    return true;
  }

  /// Of as many elements, or of none.
  bool change_weights() {
    if (graph_.initializer_size() == 0) return false;
    auto& one = *graph_.mutable_initializer(drawn(graph_.initializer_size()));
    if (one.dims_size() == 0) return false;
    if (random_() % 2 == 0) {
      one.add_dims(1);
    } else {
      std::int64_t count = 1;
      for (const auto dim : one.dims()) count *= dim;
      one.clear_dims();
      one.add_dims(count);
    }
    return true;
  }

  bool drop_output() {
    auto* const one = node();
    if (!one || one->output_size() == 0) return false;
    one->mutable_output()->RemoveLast();
    return true;
  }

  bool swap_inputs() {
    auto* const one = node();
    if (!one || one->input_size() < 2) return false;
    one->mutable_input()->SwapElements(0, one->input_size() - 1);
    return true;
  }

  bool drop_operator() {
    if (graph_.node_size() == 0) return false;
    graph_.mutable_node()->DeleteSubrange(drawn(graph_.node_size()), 1);
    return true;
  }

  onnx::ModelProto& model_;
  onnx::GraphProto& graph_;
  Random& random_;
};

std::string mutate(const std::filesystem::path& model, Random& random, std::string& bytes) {
  onnx::ModelProto proto;
  if (!proto.ParseFromString(read_file(model))) return {};
  std::string name = model.stem().string();
  int left = 1 + static_cast<int>(random() % 3);
  for (int tried = 0; tried < 30 && left > 0; ++tried)
    if (const std::string made = Mutation(proto, random).make(); !made.empty()) name += "-" + made, --left;
  bytes = serialize_onnx(proto);
  return name;
}

void write_mutants(const std::filesystem::path& folder, std::uint64_t seed, int count,
                   const std::vector<std::filesystem::path>& models) {
  std::filesystem::create_directories(folder);
  Random random(seed);
  for (int written = 0; written < count;) {
    std::string bytes;
    const std::string name = mutate(models[random() % models.size()], random, bytes);
    if (!name.empty()) write_file_atomically(folder / fmt::format("{:05}-{}.onnx", written++, name), bytes);
  }
}

}  // namespace
}  // namespace takt

int main(int count, char** arguments) {
  const auto number = [&](int at) { return takt::number_in<int>(arguments[at]).value_or(-1); };
  if (count < 5 || number(2) < 0 || number(3) < 0)
    return std::fputs("usage: mutate_models FOLDER SEED COUNT MODEL...\n", stderr), 2;
  try {
    takt::write_mutants(arguments[1], static_cast<std::uint64_t>(number(2)), number(3),
                        std::vector<std::filesystem::path>(arguments + 4, arguments + count));
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "mutate_models: %s\n", error.what()), 1;
  }
}
