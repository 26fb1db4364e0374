// Directories of a server's machine on the command line: who is given them to read, and to write.
#pragma once

#include <string>
#include <vector>

#include "data/json/json.h"

namespace cairn::cli {

class Command;

struct DirectoryOptions {
  std::vector<std::string> read;
  std::vector<std::string> write;
};

// --directory and --write-directory.
void add_directory_options(Command& command, DirectoryOptions& given);
// As the tools take them: `[{name, write}]`.
json::Array grants(const DirectoryOptions& given);

}  // namespace cairn::cli
