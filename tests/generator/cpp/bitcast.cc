// The example of TensorFlow's RFC on kernel and op registration: an op with shape inference, and its kernel, in C++.
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "tensorflow/c/kernels.hpp"
#include "tensorflow/c/ops.hpp"
#include "tensorflow/c/tf_datatype.hpp"
#include "tensorflow/c/tf_tensor.hpp"

namespace {

class BitcastOp {
 public:
  explicit BitcastOp(tf::OpKernelConstruction construction)
      : type_(construction.GetAttrType("type").OrThrow()) {
    if (tf::DataTypeSize(type_) == 0) {
      throw tf::StatusError(TF_INVALID_ARGUMENT, "nothing is bitcast to strings");
    }
  }

  tf::Status Compute(tf::OpKernelContext context) const {
    const tf::Tensor input = context.GetInput(0).OrThrow();
    std::vector<std::int64_t> shape;
    for (int at = 0; at < input.NumDims(); ++at) {
      shape.push_back(input.Dim(at));
    }
    if (tf::DataTypeSize(type_) != tf::DataTypeSize(input.Type())) {
      const std::string message = "elements of " + std::to_string(tf::DataTypeSize(input.Type())) + " bytes";
      return tf::Status(TF_INVALID_ARGUMENT, message.c_str());
    }
    const tf::Tensor output = context.AllocateOutput(0, type_, shape, input.ByteSize()).OrThrow();
    std::memcpy(output.Data(), input.Data(), input.ByteSize());
    return {};
  }

 private:
  TF_DataType type_;
};

tf::Status InferShape(tf::ShapeInferenceContext context) {
  const tf::ShapeHandle shape = tf::ShapeHandle::New();
  context.GetInput(0, shape).OrThrow();
  return context.SetOutput(0, shape);
}

void Register() {
  tf::OpDefinitionBuilder op = tf::OpDefinitionBuilder::New("Bitcast");
  op.AddInput("input: T");
  op.AddOutput("output: type");
  op.AddAttr("T: {float, int32, int64}");
  op.AddAttr("type: {float, int32, int64, string}");
  op.SetShapeInferenceFunction<&InferShape>();
  std::move(op).RegisterOpDefinition().OrThrow();

  tf::KernelBuilder kernel = tf::KernelBuilder::New<BitcastOp>("Bitcast", "CPU");
  tf::RegisterKernelBuilder("BitcastOp", std::move(kernel)).OrThrow();
}

}  // namespace

extern "C" void TF_InitKernel() { tf::InitKernel<&Register>(); }
