// Shared by the fs tools: naming a tree, and saving what became of it.
#pragma once

#include "data/tree/change.h"
#include "data/tree/view.h"
#include "tools/executor/call.h"
#include "tools/executor/shape.h"
#include "tools/executor/tool.h"

namespace cairn::fs {

// Arguments by their usual names.
shape::Field node_key();
shape::Field path(std::string_view description, shape::Need need = shape::Need::kRequired);
Result<Path> path_of(const Arguments& arguments, std::string_view name = "path");

// `ifKey`: the key that a file should have now, `none` where none should be, `any` where one
// should.
shape::Field if_key();
// PRECONDITION_FAILED with `currentKey` when what stands there is something else. Whether it was
// asked for.
Result<bool> check_if_key(const Arguments& arguments, const TreeView& tree, const Path& path);

// The tree that `nodeKey` names.
struct Opened {
  Target target;
  TreeView tree;
  bool immutable = false;  // named by a node's key
};
Result<Opened> open(Call& call, const Arguments& arguments);
Result<Opened> open(Call& call, std::string_view node_key);
// INVALID_ARGUMENT for a version of a depot.
Result<void> check_writable(const Opened& opened);

// Places of a depot that the caller sees and in which the tree stands or stood, though it is named
// by its key and nothing is `noted` of it there: it came there with something larger.
Result<std::vector<Place>> stood_at(Call& call, const Target& target,
                                    std::span<const Origin> noted);

// Stores a change for the caller and answers with `newRoot` and what else there is to say. `files`
// are nodes the caller made and so owns.
Result<Reply> save(Call& call, const Opened& from, const Stage& stage, const Changed& change,
                   json::Object answer, std::vector<NodeKey> files = {});

// The same for a file that was written, and the shape of that answer.
Result<Reply> save_written(Call& call, const Opened& from, const Stage& stage,
                           const WriteResult& written);
json::Value written_shape();

// An answer about one node.
Reply about(const Opened& opened, const NodeKey& key, json::Object answer);

// How many bytes of JSON a text takes, about.
std::int64_t cost(std::string_view text);

}  // namespace cairn::fs
