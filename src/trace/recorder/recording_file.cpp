#include "trace/recorder/recording_file.h"

#include <cstring>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

/// The number at the end is the version; 32-bit words of the machine's own order follow, so the order is in it, too.
constexpr std::string_view family = "takt recording ";
constexpr std::string_view magic{"takt recording 1\n\1\0\0\0", 21};

enum BlockType : std::uint32_t {
  begin_block = 1,
  names_block,
  row_block,
  thread_block,
  records_block,
  state_block,
  end_block
};

/// A record read from a file that anybody may have made: nothing in it is trusted to be of use.
constexpr std::int64_t farthest_ns = std::int64_t{1} << 60;

bool is_near(std::int64_t time) { return time > -farthest_ns && time < farthest_ns; }

class RecordingReader {
 public:
  explicit RecordingReader(BlockReader& reader) : reader_(reader) {}

  Recording read(const std::string& name) {
    recording_.ended = false;
    const auto first = reader_.next();
    if (!first || first->type != begin_block || !read_begin(BlockFields(first->bytes)))
      throw Error(ErrorKind::bad_input, printable(name) + ": the recording ends inside its header and has no events");
    for (auto block = reader_.next(); block; block = reader_.next())
      if (!take(block->type, BlockFields(block->bytes))) break;
    return std::move(recording_);
  }

 private:
  bool read_begin(BlockFields fields) {
    const auto counts = fields.number<std::uint32_t>();
    recording_.wall = Nanoseconds(fields.number<std::int64_t>());
    recording_.steady = Nanoseconds(fields.number<std::int64_t>());
    recording_.process = fields.text();
    recording_.conversion = TickConversion(counts != 0);
    return fields.ok() && is_near(recording_.steady.count());
  }

  bool take(std::uint32_t type, BlockFields fields) {
    switch (type) {
      case names_block:
        return take_names(fields);
      case row_block:
        recording_.rows.emplace_back(fields.text());
        return fields.ok() && recording_.rows.size() < (1u << 20);
      case thread_block:
        return take_thread(fields);
      case records_block:
        return take_records(fields);
      case state_block:
        return take_state(fields);
      case end_block:
        recording_.ended = true;
        return true;
      default:
        return false;
    }
  }

  bool take_names(BlockFields fields) {
    while (!fields.empty() && fields.ok()) {
      NameTexts texts;
      for (std::string* text : {&texts.name, &texts.category, &texts.argument}) *text = fields.text();
      if (fields.ok()) recording_.names.push_back(std::move(texts));
    }
    return fields.ok();
  }

  /// Threads come by number, one after the other, and later once more with a name.
  bool take_thread(BlockFields fields) {
    const auto number = fields.number<std::uint32_t>();
    const std::string_view name = fields.text();
    if (!fields.ok() || number > recording_.threads.size()) return false;
    if (number == recording_.threads.size()) recording_.threads.emplace_back();
    recording_.threads[number] = name;
    return true;
  }

  bool take_records(BlockFields fields) {
    RecordedPiece piece;
    piece.thread = fields.number<std::uint32_t>();
    const auto events = fields.number<std::uint64_t>();
    const std::string_view bytes = fields.rest();
    if (!fields.ok() || bytes.size() % sizeof(recording::Record) != 0) return false;
    piece.records.resize(bytes.size() / sizeof(recording::Record));
    if (events > piece.records.size()) return false;
    if (!bytes.empty()) std::memcpy(piece.records.data(), bytes.data(), bytes.size());
    recording_.events += events;
    recording_.pieces.push_back(std::make_shared<const RecordedPiece>(std::move(piece)));
    return true;
  }

  bool take_state(BlockFields fields) {
    TickAnchor anchor;
    anchor.ticks = fields.number<std::uint64_t>();
    anchor.steady_ns = fields.number<std::int64_t>();
    RecordedDrops dropped;
    dropped.count = fields.number<std::uint64_t>();
    dropped.first = fields.number<std::uint64_t>();
    if (!fields.ok() || !is_near(anchor.steady_ns)) return false;
    recording_.conversion.add(anchor);
    recording_.dropped = dropped;
    return true;
  }

  BlockReader& reader_;
  Recording recording_;
};

}  // namespace

RecordingFile::RecordingFile(const std::filesystem::path& path, const std::string& process, Nanoseconds wall,
                             Nanoseconds steady)
    : writer_(path, magic, family) {
  add_number(writer_, std::uint32_t{TickClock::uses_counter() ? 1u : 0u});
  add_number(writer_, static_cast<std::int64_t>(wall.count()));
  add_number(writer_, static_cast<std::int64_t>(steady.count()));
  add_text(writer_, process);
  writer_.end_block(begin_block);
  writer_.flush();
}

void RecordingFile::add_row(std::string_view name) {
  add_text(writer_, name);
  writer_.end_block(row_block);
}

void RecordingFile::name_thread(std::uint32_t thread, std::string_view name) {
  add_number(writer_, thread);
  add_text(writer_, name);
  writer_.end_block(thread_block);
}

void RecordingFile::add_records(std::uint32_t thread, const recording::Record* records, std::size_t count,
                                std::uint64_t events) {
  add_number(writer_, thread);
  add_number(writer_, events);
  writer_.add({reinterpret_cast<const char*>(records), count * sizeof *records});
  writer_.end_block(records_block);
}

void RecordingFile::flush(TickAnchor anchor, const RecordedDrops& dropped) {
  // Names are registered before they are used, so those of all records above are there by now.
  const auto names = registered_names(names_);
  for (const NameTexts& texts : names)
    for (const std::string* text : {&texts.name, &texts.category, &texts.argument}) add_text(writer_, *text);
  if (!names.empty()) writer_.end_block(names_block);
  add_number(writer_, anchor.ticks);
  add_number(writer_, anchor.steady_ns);
  add_number(writer_, dropped.count);
  add_number(writer_, dropped.first);
  writer_.end_block(state_block);
  writer_.flush();
  names_ += names.size();
}

void RecordingFile::end() {
  writer_.end_block(end_block);
  writer_.flush();
}

std::string_view recording_magic() { return magic; }

std::string_view recording_family() { return family; }

bool is_recording(const std::filesystem::path& path) { return begins_with(path, family); }

Recording read_recording(const std::filesystem::path& path) {
  BlockReader reader(path, magic);
  return RecordingReader(reader).read(path.string());
}

Recording parse_recording(std::string_view bytes, const std::string& name) {
  BlockReader reader(bytes, magic, name);
  return RecordingReader(reader).read(name);
}

}  // namespace takt
