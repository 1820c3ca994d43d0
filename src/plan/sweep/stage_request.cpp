#include "plan/sweep/stage_request.h"

#include <cstring>
#include <future>
#include <optional>
#include <string>

#include "base/basics/error.h"
#include "pipeline/stages/buffer_pool.h"

namespace takt {
namespace {

SharedTensor in_pipeline_memory(const HostTensor& tensor) {
  if (tensor.bytes.empty()) return std::make_shared<HostTensor>(tensor);
  const std::shared_ptr<std::byte> memory = BufferPool(tensor.bytes.size()).take();
  std::memcpy(memory.get(), tensor.bytes.data(), tensor.bytes.size());
  return std::make_shared<HostTensor>(HostTensor{tensor.name, tensor.type, tensor.shape,
                                                 Bytes(memory, memory.get(), tensor.bytes.size()), tensor.strings});
}

}  // namespace

StageRequest::StageRequest(Session& session, const std::vector<HostTensor>& inputs,
                           const std::vector<HostTensor>& outputs)
    : request_(session.make_request()) {
  for (std::size_t port = 0; port < inputs.size(); ++port) request_->set_input(port, in_pipeline_memory(inputs[port]));
  for (std::size_t port = 0; port < outputs.size(); ++port)
    if (const std::size_t size = outputs[port].bytes.size(); size > 0)
      outputs_.push_back({port, outputs[port].shape, BufferPool(size).take()});
}

Nanoseconds StageRequest::run() {
  for (const Output& output : outputs_) request_->set_output(output.port, output.shape, output.memory);
  struct Answer {
    Nanoseconds completed{};
    std::optional<std::string> error;
  };
  const auto promise = std::make_shared<std::promise<Answer>>();  // the callback's, too, however late it ends
  const Nanoseconds submitted = steady_now();
  request_->start_async([promise](Nanoseconds at, std::optional<std::string> error) {
    promise->set_value({at, std::move(error)});
  });
  const Answer answer = promise->get_future().get();
  if (answer.error) throw Error(ErrorKind::runtime, *answer.error);
  request_->wait();
  request_->take_outputs();  // an output that lies elsewhere goes there anew each time, as in a pipeline
  return answer.completed - submitted;
}

}  // namespace takt
