#include "model/openvino/mapped_weights.h"

#include <fmt/format.h>

#include <cstddef>
#include <fstream>
#include <openvino/core/graph_util.hpp>
#include <openvino/core/rt_info.hpp>
#include <openvino/op/constant.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/error.h"
#include "base/files/temporary_folder.h"

namespace takt::openvino {
namespace {

using ov::op::v0::Constant;

constexpr std::size_t alignment = 64;      // as OpenVINO's own memory; it copies what lies otherwise
constexpr std::size_t least_bytes = 4096;  // below, a page of the file is more than the constant

std::vector<std::shared_ptr<Constant>> large_constants(const ov::Model& model) {
  std::vector<std::shared_ptr<Constant>> constants;
  for (const auto& node : model.get_ordered_ops())
    if (auto constant = ov::as_type_ptr<Constant>(node);
        constant && constant->get_element_type() != ov::element::string && constant->get_byte_size() >= least_bytes)
      constants.push_back(std::move(constant));
  return constants;
}

/// Where each constant begins in the file.
std::vector<std::size_t> write(const std::vector<std::shared_ptr<Constant>>& constants,
                               const std::filesystem::path& path) {
  std::vector<std::size_t> offsets;
  std::size_t end = 0;
  std::ofstream file(path, std::ios::binary);
  for (const auto& constant : constants) {
    const std::size_t begin = (end + alignment - 1) / alignment * alignment;
    file << std::string(begin - end, '\0');
    file.write(static_cast<const char*>(constant->get_data_ptr()),
               static_cast<std::streamsize>(constant->get_byte_size()));
    offsets.push_back(begin);
    end = begin + constant->get_byte_size();
  }
  if (!file.flush())
    throw Error(ErrorKind::io, fmt::format("{}: cannot be written; set TMPDIR to a folder with room", path.string()));
  return offsets;
}

void replace(const std::shared_ptr<Constant>& old, const std::shared_ptr<const MappedFile>& file, std::size_t offset) {
  const auto moved = std::make_shared<Constant>(old->get_element_type(), old->get_shape(), file->text().data() + offset,
                                                std::const_pointer_cast<MappedFile>(file));
  moved->set_friendly_name(old->get_friendly_name());
  moved->output(0).set_names(old->output(0).get_names());
  ov::copy_runtime_info(old, moved);
  ov::replace_node(old, moved);
}

}  // namespace

std::shared_ptr<const MappedFile> move_weights_to_file(const std::shared_ptr<ov::Model>& model) {
  const auto constants = large_constants(*model);
  if (constants.empty()) return nullptr;
  const TemporaryFolder folder("takt");
  const auto path = folder.path() / "weights.bin";
  const auto offsets = write(constants, path);
  const auto file = std::make_shared<const MappedFile>(path);  // what is mapped stays when the name is gone
  for (std::size_t i = 0; i < constants.size(); ++i) replace(constants[i], file, offsets[i]);
  return file;
}

}  // namespace takt::openvino
