#include "trace/perfetto/sequence.h"

#include "trace/write/perfetto_schema.h"
#include "trace/write/perfetto_wire.h"

namespace takt::perfetto {
namespace {

NumberedTexts* texts_of(Sequence& sequence, std::uint32_t field) {
  switch (field) {
    case interned_field::categories:
      return &sequence.categories;
    case interned_field::names:
      return &sequence.names;
    case interned_field::annotation_names:
      return &sequence.argument_names;
    case interned_field::annotation_strings:
      return &sequence.argument_texts;
    default:
      return nullptr;  // source locations, frames: of fields that are not read
  }
}

}  // namespace

bool Sequence::add_texts(std::string_view interned_data, Trace& trace) {
  Fields fields(interned_data);
  for (Field field; fields.next(field);) {
    NumberedTexts* const texts = texts_of(*this, field.number);
    if (texts == nullptr || field.type != WireType::bytes) continue;
    std::uint64_t number = 0;
    std::string_view text;
    Fields entry(field.bytes);
    for (Field part; entry.next(part);) {
      if (part.number == 1) number = part.value;
      if (part.number == 2 && part.type == WireType::bytes) text = part.bytes;
    }
    if (entry.is_broken()) return false;
    texts->set(number, trace.intern(text));
  }
  return !fields.is_broken();
}

}  // namespace takt::perfetto
