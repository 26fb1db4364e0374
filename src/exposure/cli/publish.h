// From a change of a tree to what people see of it: a depot is committed to at once, a bare node
// only grows a new root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "exposure/cli/kit.h"
#include "exposure/client/address.h"

namespace cairn::cli {

// Commits newRoot of the answer when the tree is a depot; prints the new root, or with --json the
// last tool's answer.
Result<int> publish(Kit& kit, client::Client& client, const client::Tree& tree,
                    const json::Value& written, const std::string& message);

// The message that was given, or one that says what was done: `rm a.ts, tmp`.
std::string message_or(const std::string& given, std::string_view command,
                       const std::vector<std::string>& paths);

// Of a move between two trees: the target first, so that nothing is lost when the source does not
// come about. Prints both new roots, the target's first.
struct Moved {
  client::Tree source;
  client::Tree target;
};
Result<int> publish_move(Kit& kit, client::Client& client, const Moved& trees,
                         const json::Value& written, const std::string& message);

}  // namespace cairn::cli
