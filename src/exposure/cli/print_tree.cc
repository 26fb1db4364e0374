#include "exposure/cli/print_tree.h"

#include <string_view>
#include <utility>

#include "exposure/client/pages.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

bool is_open(const Arguments& entry) {
  return entry.text("kind") == "dir" && !entry.flag("collapsed");
}

// The entry as a row, and everything below it.
void add_all(TreePrinter& printer, std::string_view name, const json::Object& entry) {
  json::Object row;
  for (const auto& member : entry) {
    if (member.key() != "children") row.emplace(member.key(), member.value());
  }
  row["path"] = name;
  printer.add(row);
  for (const auto& child : client::object_of(entry, "children")) {
    add_all(printer, child.key(), child.value().as_object());
  }
}

}  // namespace

void TreePrinter::add(const json::Object& row) {
  const Arguments entry(row);
  if (!std::exchange(begun_, true)) {
    collapsed_ = entry.flag("collapsed") && entry.number("count") > 0;
    levels_.push_back({entry.number("count"), ""});
    return;
  }
  while (levels_.size() > 1 && levels_.back().left == 0) levels_.pop_back();
  auto& level = levels_.back();
  const bool last = --level.left == 0;
  out_.print("{}", out_.paint(Style::kDim, level.indent + (last ? "└── " : "├── ")));
  const auto name = out_.safe(name_of(entry.text("path")));
  if (entry.text("kind") == "file") {
    out_.print("{}  {}\n", name, out_.paint(Style::kDim, human_size(entry.number("size"))));
    return;
  }
  const bool closed = entry.flag("collapsed") && entry.number("count") > 0;
  collapsed_ = collapsed_ || closed;
  const auto inside = "  … " + counted(entry.number("count"), "entry", "entries");
  out_.print("{}{}\n", out_.paint(Style::kBlue, name + "/"),
             closed ? out_.paint(Style::kDim, inside) : "");
  if (!is_open(entry)) return;
  auto indent = level.indent + (last ? "    " : "│   ");
  levels_.push_back({entry.number("count"), std::move(indent)});
}

bool print_tree(Output& out, const json::Object& tree) {
  TreePrinter printer(out);
  add_all(printer, "", tree);
  return printer.collapsed();
}

void TreeDocument::add(const json::Object& row) {
  const Arguments entry(row);
  while (levels_.size() > 1 && levels_.back().left == 0) close();
  const std::string name(name_of(entry.text("path")));
  json::Object object = row;
  for (const auto* only_in_rows : {"path", "files", "bytes"}) object.erase(only_in_rows);
  if (!levels_.empty()) levels_.back().left -= 1;
  if (is_open(entry) || levels_.empty()) {
    levels_.push_back({name, std::move(object), {}, entry.number("count")});
  } else {
    levels_.back().children.emplace(name, std::move(object));
  }
}

void TreeDocument::close() {
  auto level = std::move(levels_.back());
  levels_.pop_back();
  if (!level.object.contains("collapsed")) level.object["children"] = std::move(level.children);
  levels_.back().children.emplace(level.name, std::move(level.object));
}

json::Object TreeDocument::take(bool truncated) {
  while (levels_.size() > 1) close();
  if (levels_.empty()) return {};
  auto level = std::move(levels_.back());
  levels_.pop_back();
  level.object["truncated"] = truncated;
  if (!level.object.contains("collapsed")) level.object["children"] = std::move(level.children);
  return std::move(level.object);
}

}  // namespace cairn::cli
