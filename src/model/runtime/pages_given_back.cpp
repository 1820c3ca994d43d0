#include "model/runtime/pages_given_back.h"

#include <chrono>
#include <utility>

namespace takt {
namespace {

constexpr std::chrono::milliseconds between_releases{2};

void give_back_all(const MappedFile& file) { file.give_back(0, file.text().size()); }

}  // namespace

PagesGivenBack::PagesGivenBack(std::shared_ptr<const MappedFile> file)
    : file_(std::move(file)), thread_([this] {
        while (!is_over_) {
          give_back_all(*file_);
          std::this_thread::sleep_for(between_releases);
        }
      }) {}

PagesGivenBack::~PagesGivenBack() {
  is_over_ = true;
  thread_.join();
  give_back_all(*file_);
}

}  // namespace takt
