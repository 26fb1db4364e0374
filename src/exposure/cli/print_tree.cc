#include "exposure/cli/print_tree.h"

#include <cstddef>
#include <string>
#include <string_view>

#include "exposure/client/pages.h"
#include "tools/executor/arguments.h"

namespace cairn::cli {
namespace {

class TreePrinter final {
 public:
  explicit TreePrinter(Output& out) : out_(out) {}

  void print_children(const json::Object& directory, const std::string& indent) {
    const auto& children = client::object_of(directory, "children");
    std::size_t at = 0;
    for (const auto& child : children) {
      const bool last = ++at == children.size();
      out_.print("{}{}", out_.paint(Style::kDim, indent + (last ? "└── " : "├── ")),
                 describe(child.key(), child.value().as_object()));
      print_children(child.value().as_object(), indent + (last ? "    " : "│   "));
    }
  }
  bool collapsed() const { return collapsed_; }

 private:
  std::string describe(std::string_view name, const json::Object& object) {
    Arguments entry(object);
    if (entry.text("kind") == "file") {
      return fmt::format("{}  {}\n", out_.safe(name),
                         out_.paint(Style::kDim, human_size(entry.number("size"))));
    }
    const bool closed = entry.flag("collapsed") && entry.number("count") > 0;
    collapsed_ = collapsed_ || closed;
    return fmt::format("{}{}\n", out_.paint(Style::kBlue, out_.safe(name) + "/"),
                       closed ? out_.paint(Style::kDim, "  … " + counted(entry.number("count"),
                                                                         "entry", "entries"))
                              : "");
  }

  Output& out_;
  bool collapsed_ = false;
};

}  // namespace

bool print_tree(Output& out, const json::Object& tree) {
  TreePrinter printer(out);
  printer.print_children(tree, "");
  return printer.collapsed();
}

}  // namespace cairn::cli
