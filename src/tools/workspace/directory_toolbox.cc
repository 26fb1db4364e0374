#include "tools/workspace/directory_toolbox.h"

#include <filesystem>

namespace cairn::work {

DirectoryToolbox::DirectoryToolbox(FileToolsPtr tools, Selection selection,
                                   DirectoryOptions options, const Clock& clock, Random& random)
    : FileToolbox(std::move(tools), std::move(selection), History::kNone),
      options_(std::move(options)),
      clock_(clock),
      random_(random) {}

Result<std::shared_ptr<const DirectoryToolbox>> DirectoryToolbox::open(
    DirectoryOptions options, const SelectionRequest& request, const Clock& clock, Random& random) {
  auto tools = FileTools::make();
  auto selection = TRY(Selection::parse(request, tools->tools()));
  std::shared_ptr<DirectoryToolbox> out(new DirectoryToolbox(std::move(tools), std::move(selection),
                                                             std::move(options), clock, random));
  if (!out->options_.directories.empty()) {
    auto files = TRY(out->open_directories(out->options_.directories));
    out->known_.lock()->files = std::move(files);
  }
  return out;
}

Result<DirectoryToolbox::Files> DirectoryToolbox::open_directories(
    const std::vector<std::string>& directories) const {
  return DirectoryWorkspace::open(directories, random_,
                                  {.home = options_.home, .read_only = options_.read_only});
}

Result<DirectoryToolbox::Files> DirectoryToolbox::open_fallback() const {
  std::error_code error;
  std::filesystem::create_directories(options_.fallback, error);
  if (error) {
    return fail(Code::kIoError, "{} cannot be made: {}; name a directory with --root",
                options_.fallback, error.message());
  }
  return open_directories({options_.fallback});
}

std::string DirectoryToolbox::introduction() const {
  std::string where = "The directories are those of your client's roots, or " + options_.fallback +
                      " when it has none.";
  if (!options_.directories.empty()) {
    where = "The directories are:";
    for (const auto& one : options_.directories) where += " " + one;
  }
  return "Files of this machine, in some directories and nowhere else. " + where +
         " Paths are relative to them, or absolute. Nothing is moved or copied over something "
         "that is there.";
}

std::optional<std::uint64_t> DirectoryToolbox::wants_roots() const {
  auto known = known_.lock();
  if (known->files != nullptr) return std::nullopt;
  return known->generation;
}

Result<void> DirectoryToolbox::use_roots(const std::vector<std::string>& directories,
                                         std::uint64_t asked) const {
  auto opened = directories.empty() ? Result<Files>() : open_directories(directories);
  if (directories.empty() || !opened) opened = open_fallback();
  auto files = TRY(std::move(opened));
  auto known = known_.lock();
  if (known->generation != asked) {
    return fail(Code::kUnavailable,
                "the client's roots changed while they were asked for; try again");
  }
  if (known->files == nullptr) known->files = std::move(files);
  return {};
}

void DirectoryToolbox::roots_changed() const {
  if (!options_.directories.empty()) return;
  auto known = known_.lock();
  known->files.reset();
  ++known->generation;
}

Result<json::Object> DirectoryToolbox::work(const FileTool& file, Style style,
                                            json::Value arguments,
                                            const std::stop_token& stop) const {
  const Files files = known_.lock()->files;
  if (files == nullptr) return fail(Code::kUnavailable, "the client's roots are being asked for");
  TRY(file.tool.check(arguments));
  const Arguments given(arguments.get_object());
  const bool dry = file.is_dry(given);
  const auto used = dry ? files->rehearsal() : files;
  const Work work{.files = *used,
                  .clock = clock_,
                  .style = style,
                  .answer_bytes = options_.answer_bytes,
                  .stop = stop,
                  .dry = dry};
  return file.work(work, given);
}

}  // namespace cairn::work
