#include "exposure/workspace/directory_desk.h"

#include <filesystem>

#include "exposure/http/uri.h"
#include "exposure/mcp/exchange.h"

namespace cairn::workspaces {
namespace {

constexpr std::string_view kFile = "file://";
constexpr std::string_view kLocalHost = "localhost/";

std::optional<std::string> directory_of(std::string_view uri) {
  if (uri.starts_with('/')) return std::string(uri);
  if (!uri.starts_with(kFile)) return std::nullopt;
  auto path = uri.substr(kFile.size());
  if (path.starts_with(kLocalHost)) path.remove_prefix(kLocalHost.size() - 1);
  if (!path.starts_with('/')) return std::nullopt;
  auto decoded = http::percent_decode(path);
  if (!decoded) return std::nullopt;
  return std::move(*decoded);
}

}  // namespace

std::vector<std::string> root_directories(const json::Object& answer) {
  std::vector<std::string> out;
  const auto* roots = json::find(answer, "roots");
  if (roots == nullptr || !roots->is_array()) return out;
  for (const auto& root : roots->get_array()) {
    if (!root.is_object()) continue;
    const auto* uri = json::find(root.get_object(), "uri");
    if (uri == nullptr || !uri->is_string()) continue;
    auto directory = directory_of(json::text(*uri));
    std::error_code error;
    if (directory && std::filesystem::is_directory(*directory, error)) {
      out.push_back(std::move(*directory));
    }
  }
  return out;
}

Result<std::shared_ptr<const DirectoryDesk>> DirectoryDesk::make(Choice choice,
                                                                 DirectoryOptions options,
                                                                 const Clock& clock,
                                                                 Random& random) {
  std::shared_ptr<DirectoryDesk> out(
      new DirectoryDesk(std::move(choice), std::move(options), clock, random));
  if (!out->options_.directories.empty()) {
    auto files = TRY(out->open(out->options_.directories));
    out->known_.lock()->files = std::move(files);
  }
  return out;
}

Result<DirectoryDesk::Files> DirectoryDesk::open(
    const std::vector<std::string>& directories) const {
  return DirectoryWorkspace::open(directories, random_,
                                  {.home = options_.home, .read_only = options_.read_only});
}

Result<DirectoryDesk::Files> DirectoryDesk::open_fallback() const {
  std::error_code error;
  std::filesystem::create_directories(options_.fallback, error);
  if (error) {
    return fail(Code::kIoError, "{} cannot be made: {}; name a directory with --root",
                options_.fallback, error.message());
  }
  return open({options_.fallback});
}

std::string DirectoryDesk::introduction() const {
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

mcp::Rpc<bool> DirectoryDesk::ready(mcp::Exchange& exchange) const {
  std::uint64_t generation = 0;
  {
    auto known = known_.lock();
    if (known->files != nullptr) return true;
    generation = known->generation;
  }
  std::vector<std::string> directories;
  if (exchange.client_capabilities().contains("roots")) {
    const mcp::Question question{.key = "roots", .method = "roots/list"};
    const auto answers = exchange.ask(std::span(&question, 1));
    // A client that cannot say what its roots are has none.
    if (answers && !*answers) return false;
    if (answers && !(*answers)->empty()) directories = root_directories((*answers)->front());
    if (directories.empty()) {
      fmt::print(stderr, "cairn: the client has no roots that are directories here; using {}\n",
                 options_.fallback);
    }
  }
  auto opened = directories.empty() ? Result<Files>() : open(directories);
  if (directories.empty() || !opened) opened = open_fallback();
  if (!opened) return mcp::rpc_fail(mcp::rpc_code::kInternal, opened.error().render());
  auto known = known_.lock();
  if (known->generation != generation) {
    return mcp::rpc_fail(mcp::rpc_code::kInternal,
                         "the client's roots changed while they were asked for; try again");
  }
  if (known->files == nullptr) known->files = std::move(*opened);
  return true;
}

Result<json::Object> DirectoryDesk::run(const work::FileTools::Row& row, work::Style style,
                                        const json::Value& arguments,
                                        const std::stop_token& stop) const {
  const Files files = known_.lock()->files;
  if (files == nullptr) return fail(Code::kUnavailable, "the client's roots are being asked for");
  const work::Work work{.files = *files,
                        .clock = clock_,
                        .style = style,
                        .answer_bytes = options_.answer_bytes,
                        .stop = stop};
  return work::FileTools::run(row, work, arguments);
}

void DirectoryDesk::roots_changed() const {
  if (!options_.directories.empty()) return;
  auto known = known_.lock();
  known->files.reset();
  ++known->generation;
}

}  // namespace cairn::workspaces
