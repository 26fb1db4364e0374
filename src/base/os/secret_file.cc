#include "base/os/secret_file.h"

#include <fmt/format.h>

#include "base/os/os_error.h"
#include "base/os/system.h"

namespace cairn::os {

Result<void> check_secret(const std::filesystem::path& file, mode_t refused) {
  const auto handle = open_path(file.string(), O_PATH);
  if (!handle) return {};
  const auto found = stat(handle->fd());
  if (!found || !is_file(*found) || (found->stx_mode & refused) == 0) return {};
  return fail(Code::kForbidden,
              "others may read the secret in {} (mode {:04o}); take that from them with: chmod {} "
              "{}, and make a new one if they may have seen it",
              shown_path(file.string()), found->stx_mode & 07777,
              (refused & 0070) != 0 ? "600" : "o=", shown_path(file.string()));
}

}  // namespace cairn::os
