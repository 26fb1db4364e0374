#include "data/realm/place.h"

#include <algorithm>

#include "data/tree/editor.h"

namespace cairn {

Result<DepotAddress> DepotAddress::parse(std::string_view text) {
  const auto slash = text.find('/');
  // An id has no '@' in it, and a version no '/'; a path may have any.
  const auto at = text.substr(0, slash).find('@');
  DepotAddress out{TRY(DepotId::parse(text.substr(0, std::min(at, slash))))};
  if (at != std::string_view::npos) {
    out.version = TRY(Version::parse(text.substr(0, slash).substr(at + 1)));
  }
  if (slash != std::string_view::npos) out.place = TRY(Path::parse(text.substr(slash + 1)));
  return out;
}

std::string DepotAddress::render() const {
  auto text = depot.render();
  if (version) text += '@' + version->render();
  if (place) text += '/' + place->render();
  return text;
}

std::string Place::render() const {
  auto text = depot.render();
  if (!path.is_root()) text += '/' + path.render();
  return text;
}

Result<void> check_place(const Path& path) {
  auto index = std::ranges::find_if(
      path.segments(), [](const std::string& segment) { return child_index(segment).has_value(); });
  if (index == path.segments().end()) return {};
  return fail(Code::kInvalidPath, "'{}' is a child index; a place is a path of names", *index);
}

Result<std::optional<EntryValue>> find_place(const NodeReader& nodes, const NodeKey& depot_root,
                                             const Path& path) {
  TreeView tree{nodes, TRY(dict_open(nodes, depot_root))};
  auto found = TRY(find(tree, path));
  if (!found) return std::nullopt;
  return EntryValue::of(found->entry);
}

Result<NodePtr> graft(Stage& stage, const NodeKey& depot_root, const Path& path,
                      const NodePtr& directory) {
  if (path.is_root()) return directory;
  TreeEditor editor(stage, TRY(dict_open(stage, depot_root)));
  auto put = editor.put(path, EntryValue::of(entry_for(path.name(), *directory)));
  // The message of put() would name the path above the place, which the caller may not know.
  if (!put && put.error().code == Code::kNotADirectory) {
    return fail(Code::kNotADirectory,
                "a file stands where a directory above this place was, so the place cannot be "
                "made again");
  }
  TRY(std::move(put));
  return editor.finish();
}

}  // namespace cairn
