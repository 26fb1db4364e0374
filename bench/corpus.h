// A tree of source-like text files, the same for the same seed on every machine.
//
// Sizes are log-normal (median 4 KB, mean 11 KB, at most 1 MB), directories nest as in a grown
// project, names repeat within a file and a module as in code: zlib and zstd shrink it about 4 ×.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/result.h"

namespace cairn {

// Stands in about one file of a thousand, once.
inline constexpr std::string_view kRareLiteral = "ledger_checkpoint_quorum";

struct CorpusOptions {
  std::uint64_t files = 15'000;
  std::uint64_t seed = 1;
};

struct CorpusSummary {
  std::uint64_t files = 0;
  std::uint64_t directories = 0;
  std::uint64_t bytes = 0;
};

// Writes it into a directory that is there and empty.
Result<CorpusSummary> generate_corpus(const std::filesystem::path& target,
                                      const CorpusOptions& options);

}  // namespace cairn
