// How the things of the data layer look in an answer.
#pragma once

#include "data/access/delegates.h"
#include "data/access/users.h"
#include "data/json/json.h"
#include "data/realm/realm.h"
#include "tools/executor/call.h"

namespace cairn {

json::Value or_null(const std::optional<std::string>& text);

json::Object render_delegate(const Delegate& delegate);
// The same with when it was last used.
Result<json::Object> render_known(const Delegates& delegates, const Delegate& delegate);
json::Object render_issued(const CreatedDelegate& created);
json::Object render_key(const CreatedKey& created);
json::Object render_user(const User& user);
// Directories of the server's, as arguments and answers have them: `[{name, write}]`.
json::Array render_grants(std::span<const DirectoryGrant> grants);
std::vector<DirectoryGrant> grants_of(const json::Value& list);
json::Value grants_shape(std::string_view description);

// A depot as the caller sees it: `root` is of the place it may see.
json::Object render_depot(const Call& call, const Depot& depot, const Place& place,
                          const std::optional<NodeKey>& root);
json::Object render_range(const ChangeRange& range);
json::Object render_history_entry(const HistoryEntry& entry);

// `{type, key, size, contentType}` of a file, `{type, key, childCount}` of a directory.
void add_entry(json::Object& out, const EntryValue& value, std::string key);

// How many of the rows an answer has room for: at least one, if there is any.
std::size_t fitting(const Call& call, const json::Array& rows);

// The shapes of these answers.
json::Value delegate_shape();
json::Value issued_shape();
json::Value user_shape();
json::Value depot_shape(bool with_history);
json::Value history_entry_shape();
json::Value range_shape();

}  // namespace cairn
