#include "tools/files/nodes.h"

#include "base/quote.h"
#include "data/tree/metadata.h"

namespace cairn::nodes {

Result<NodePtr> navigate(Call& call, NodePtr from, std::string_view navigation) {
  auto path = TRY(Path::parse(navigation));
  for (const auto& segment : path.segments()) {
    const auto index = child_index(segment);
    if (!index) {
      return fail(Code::kInvalidPath, "'{}' is not a child index; navigate with ~0, ~1, …",
                  shown(segment));
    }
    from = TRY(step(call.realm().nodes(), from, *index));
  }
  return from;
}

Result<NodeKey> key_of(const Arguments& arguments) { return NodeKey::parse(arguments.text("key")); }

}  // namespace cairn::nodes
