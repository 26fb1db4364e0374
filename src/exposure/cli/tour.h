// `cairn tour`: makes a depot, imports a directory, shows its tree. A first look without a server.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace cairn {

struct TourOptions {
  std::filesystem::path data;
  std::filesystem::path source;
};

Result<void> run_tour(const TourOptions& options);

}  // namespace cairn
