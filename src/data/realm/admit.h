// Admission of raw nodes: bytes from strangers, checked against everything a node has to be before
// it is stored, so that fsck has nothing to say afterwards.
//
// It says nothing of rights: a node gives its writer a path to all it refers to, so whoever admits
// one decides first whether its writer may name each of Node::children().
#pragma once

#include "data/realm/realm.h"

namespace cairn {

// The node with this key and these bytes. The caller stores it, in a batch that requires its
// children, as Realm::admit() does.
// Fails with  NODE_TOO_LARGE; HASH_MISMATCH with the right `key`; INVALID_NODE when the bytes are
//             not canonical or do not describe a child truthfully; NODE_NOT_FOUND with the
//             `missing` children.
// Cost        reads every child.
Result<NodePtr> admit(const NodeReader& nodes, const NodeKey& key, ByteView bytes);

}  // namespace cairn
