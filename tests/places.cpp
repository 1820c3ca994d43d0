#include "places.h"

namespace takt {

std::filesystem::path source_dir() { return TAKT_SOURCE_DIR; }
std::filesystem::path sdk_dir() { return TAKT_SDK_DIR; }

bool is_sanitized() { return TAKT_SANITIZED; }

unsigned random_cases(unsigned usual) { return is_sanitized() ? (usual + 9) / 10 : usual; }

}  // namespace takt
