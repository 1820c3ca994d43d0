#include "model/onnx/lean.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace takt {
namespace {

constexpr std::size_t large = 65'536;  ///< bytes; integers that takt reads, shapes and axes, take less
constexpr int deepest = 100;           ///< protobuf's own limit for nested messages

enum class Message { model, graph, node, attribute, function, tensor, sparse_tensor, other };

/// Of the message in field `number` of `holder`, by the ONNX schema (onnx-ml.proto); `other` is copied as it is.
Message kind_of(Message holder, std::uint64_t number) {
  switch (holder) {
    case Message::model:
      return number == 7 ? Message::graph : number == 25 ? Message::function : Message::other;
    case Message::graph:
      if (number == 1) return Message::node;
      if (number == 5) return Message::tensor;
      return number == 15 ? Message::sparse_tensor : Message::other;
    case Message::node:
      return number == 5 ? Message::attribute : Message::other;
    case Message::attribute:
      if (number == 5 || number == 10) return Message::tensor;
      if (number == 6 || number == 11) return Message::graph;
      return number == 22 || number == 23 ? Message::sparse_tensor : Message::other;
    case Message::function:
      if (number == 7) return Message::node;
      return number == 11 ? Message::attribute : Message::other;
    case Message::sparse_tensor:
      return number == 1 || number == 2 ? Message::tensor : Message::other;
    case Message::tensor:
    case Message::other:
      break;
  }
  return Message::other;
}

// Fields of TensorProto.
constexpr std::uint64_t raw_data = 9, external_data = 13, data_location = 14;

struct Field {
  std::uint64_t number = 0, wire_type = 0;
  std::string_view whole, payload;  ///< with its tag; of a length-delimited field what is inside
};

/// One field after another of a message's bytes.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}

  bool is_at_end() const { return at_ == bytes_.size(); }

  std::optional<Field> next() {
    const std::size_t begin = at_;
    const auto tag = varint();
    if (!tag) return std::nullopt;
    Field field{*tag >> 3, *tag & 7, {}, {}};
    if (field.wire_type == 0) {
      if (!varint()) return std::nullopt;
    } else if (field.wire_type == 1 || field.wire_type == 5) {
      if (!skip(field.wire_type == 1 ? 8 : 4)) return std::nullopt;
    } else if (field.wire_type == 2) {
      const auto length = varint();
      const std::size_t inside = at_;
      if (!length || !skip(*length)) return std::nullopt;
      field.payload = bytes_.substr(inside, *length);
    } else {
      return std::nullopt;  // groups, which the schema does not have
    }
    field.whole = bytes_.substr(begin, at_ - begin);
    return field;
  }

 private:
  std::optional<std::uint64_t> varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  bool skip(std::uint64_t count) {
    if (count > bytes_.size() - at_) return false;
    at_ += count;
    return true;
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
};

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(0x80 | (value & 0x7f));
  out += static_cast<char>(value);
}

void append_field(std::string& out, std::uint64_t number, std::string_view payload) {
  append_varint(out, number << 3 | 2);
  append_varint(out, payload.size());
  out += payload;
}

class Stripping {
 public:
  Stripping(std::string_view file, const std::string& name) : file_(file), name_(name) {}

  std::optional<std::string> rewritten(std::string_view bytes, Message kind, int depth) const {
    if (depth > deepest) return std::nullopt;
    if (kind == Message::tensor) return rewritten_tensor(bytes);
    std::string out;
    for (Fields fields(bytes); !fields.is_at_end();) {
      const auto field = fields.next();
      if (!field) return std::nullopt;
      const auto inner = field->wire_type == 2 ? kind_of(kind, field->number) : Message::other;
      if (inner == Message::other) {
        out += field->whole;
        continue;
      }
      const auto child = rewritten(field->payload, inner, depth + 1);
      if (!child) return std::nullopt;
      append_field(out, field->number, *child);
    }
    return out;
  }

 private:
  std::optional<std::string> rewritten_tensor(std::string_view bytes) const {
    std::string out;
    std::string_view left;
    bool is_plain = true;  // nothing is said of external data, and values come once
    for (Fields fields(bytes); !fields.is_at_end();) {
      const auto field = fields.next();
      if (!field) return std::nullopt;
      if (field->number == external_data || field->number == data_location) is_plain = false;
      if (field->number == raw_data && field->wire_type == 2 && field->payload.size() >= large) {
        is_plain = is_plain && left.empty();
        left = field->payload;
      } else {
        out += field->whole;
      }
    }
    if (left.empty()) return out;
    if (!is_plain) return std::nullopt;
    append_reference(out, left);
    return out;
  }

  void append_reference(std::string& out, std::string_view values) const {
    const auto entry = [&](std::string_view key, std::string_view value) {
      std::string text;
      append_field(text, 1, key);
      append_field(text, 2, value);
      append_field(out, external_data, text);
    };
    entry("location", name_);
    entry("offset", std::to_string(values.data() - file_.data()));
    entry("length", std::to_string(values.size()));
    append_varint(out, data_location << 3);
    append_varint(out, 1);  // EXTERNAL
  }

  std::string_view file_;
  const std::string& name_;
};

}  // namespace

std::optional<std::string> without_weights(std::string_view bytes, const std::string& file_name) {
  return Stripping(bytes, file_name).rewritten(bytes, Message::model, 0);
}

}  // namespace takt
