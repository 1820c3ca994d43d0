#include "cli/line/command_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/file_roles.h"
#include "base/files/temporary_folder.h"

namespace takt {
namespace {

/// An OpenVINO model is two files.
std::filesystem::path weights_beside(const std::filesystem::path& path) {
  return path.extension() == ".xml" ? std::filesystem::path(path).replace_extension(".bin") : std::filesystem::path();
}

/// What may be a file in the value of an option: "image:cat.png;ids:ids.npy" and "rank1.json=2ms" have some inside.
std::vector<std::string> files_in(std::string_view word) {
  std::vector<std::string> files{std::string(word)};
  for (std::size_t at = word.find_first_of(":;=,"); at != word.npos; at = word.find_first_of(":;=,", at + 1)) {
    files.emplace_back(word.substr(0, at));
    files.emplace_back(word.substr(at + 1));
    files.emplace_back(word.substr(at + 1, word.substr(at + 1).find_first_of(":;=,")));
  }
  return files;
}

void refuse_pair(const NamedFile& written, const NamedFile& read) {
  if (is_one_file(written.path, read.path))
    throw UsageError(fmt::format("{} would overwrite '{}', which {} reads; give {} another file", written.option,
                                 printable(read.path.string()), read.option, written.option));
}

/// A log begins with a time: "2026-11-28T03:13:05".
void check_goes_on_in_a_log(const NamedFile& log) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(log.path, ignored)) return;
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:dd";
  std::array<char, form.size()> begin{};
  const std::size_t size = InputFile(log.path).read(begin);
  for (std::size_t i = 0; i < size; ++i) {
    const bool fits = form[i] == 'd' ? begin[i] >= '0' && begin[i] <= '9' : begin[i] == form[i];
    if (!fits)
      throw UsageError(fmt::format("{} '{}': the file exists and is not a log of takt; give another file", log.option,
                                   printable(log.path.string())));
  }
}

}  // namespace

void CommandFiles::add(const Option& option, const OptionTarget& target, std::span<const std::string> words) {
  const auto path = std::get_if<std::filesystem::path*>(&target);
  if (option.makes == Makes::nothing && option.names_a_file) {
    for (const std::string& word : words)
      for (const std::string& file : files_in(word)) add_read(file, option.name());
    if (path && words.empty()) add_read(**path, option.name());
  }
  if (!path || (*path)->empty()) return;
  if (option.makes == Makes::file) add_written(**path, option.name());
  if (option.makes == Makes::unasked_file) gone_on_with_.push_back({**path, option.name()});
  if (option.makes != Makes::nothing && !option.beside.empty())
    gone_on_with_.push_back({std::filesystem::path(**path) += option.beside, "the journal of " + option.name()});
}

void CommandFiles::add_log(const std::filesystem::path& path, const std::string& option) {
  if (!path.empty()) logs_.push_back({path, option});
}

void CommandFiles::check() const {
  forget_file_roles();
  std::vector<NamedFile> written = written_;
  for (const auto* list : {&gone_on_with_, &logs_}) written.insert(written.end(), list->begin(), list->end());
  const std::size_t named = written.size();
  for (std::size_t i = 0; i < named; ++i)
    if (auto weights = weights_beside(written[i].path); !weights.empty())
      written.push_back({weights, written[i].option});
  std::vector<NamedFile> read;
  std::error_code ignored;
  for (const NamedFile& one : read_) {
    for (const auto& path : {one.path, weights_beside(one.path)})
      if (!path.empty() && std::filesystem::is_regular_file(path, ignored)) read.push_back({path, one.option});
  }
  for (std::size_t i = 0; i < written.size(); ++i) {
    for (const NamedFile& one : read) refuse_pair(written[i], one);
    for (std::size_t j = 0; j < i; ++j)
      if (is_one_file(written[i].path, written[j].path))
        throw UsageError(fmt::format("{} and {} would write the same file, '{}'; give each a separate one",
                                     written[j].option, written[i].option, printable(written[i].path.string())));
  }
  for (const NamedFile& log : logs_) check_goes_on_in_a_log(log);
  for (const NamedFile& one : written_) keep_from_reading(one.path, one.option);
  for (const NamedFile& one : read) keep_from_writing(one.path, one.option);
}

std::filesystem::path piped_model(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_fifo(path, error)) return path;
  const std::string bytes = read_file(path);
  static const TemporaryFolder folder("takt");
  static int number = 0;
  const std::string ending = lower_case(path.extension().string());
  const bool is_named = ending == ".onnx" || ending == ".xml";
  const auto own = folder.path() / std::to_string(++number);
  make_folders(own);
  const auto file = own / (is_named                       ? path.filename().string()
                           : trim(bytes).starts_with('<') ? "model.xml"
                                                          : "model.onnx");
  write_file_atomically(file, bytes);
  return file;
}

}  // namespace takt
