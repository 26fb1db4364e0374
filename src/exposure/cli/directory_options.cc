#include "exposure/cli/directory_options.h"

#include "exposure/cli/command.h"

namespace cairn::cli {

void add_directory_options(Command& command, DirectoryOptions& given) {
  command
      .add_value("--directory", given.read, "NAME",
                 "A directory that the server was started with, to read; may be repeated")
      .repeated();
  command.add_value("--write-directory", given.write, "NAME", "The same, also to write").repeated();
}

json::Array grants(const DirectoryOptions& given) {
  json::Array out;
  for (const auto& name : given.read) out.emplace_back(json::Object{{"name", name}});
  for (const auto& name : given.write) {
    out.emplace_back(json::Object{{"name", name}, {"write", true}});
  }
  return out;
}

}  // namespace cairn::cli
