// An extension of OpenVINO as a user builds one: the operator Doubling of the opset test, y = 2 x.
#include <openvino/core/extension.hpp>
#include <openvino/core/op_extension.hpp>
#include <openvino/op/op.hpp>

namespace {

class Doubling : public ov::op::Op {
 public:
  OPENVINO_OP("Doubling", "test");
  Doubling() = default;
  explicit Doubling(const ov::Output<ov::Node>& x) : Op({x}) { constructor_validate_and_infer_types(); }

  void validate_and_infer_types() override {
    set_output_type(0, get_input_element_type(0), get_input_partial_shape(0));
  }
  std::shared_ptr<ov::Node> clone_with_new_inputs(const ov::OutputVector& inputs) const override {
    return std::make_shared<Doubling>(inputs.at(0));
  }
  bool visit_attributes(ov::AttributeVisitor&) override { return true; }
  bool has_evaluate() const override { return true; }
  bool evaluate(ov::TensorVector& outputs, const ov::TensorVector& inputs) const override {
    outputs[0].set_shape(inputs[0].get_shape());
    for (std::size_t i = 0; i < inputs[0].get_size(); ++i)
      outputs[0].data<float>()[i] = 2 * inputs[0].data<const float>()[i];
    return true;
  }
};

}  // namespace

OPENVINO_CREATE_EXTENSIONS(std::vector<ov::Extension::Ptr>({std::make_shared<ov::OpExtension<Doubling>>()}))
