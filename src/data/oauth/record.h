// How records of OAuth lie in the store: a version and a JSON object.
//
//   Oc id                       a client (clients.h)
//   Og realm delegate           a grant (grants.h)
//   Oi realm hash               the delegate of the grant for a client and a resource
//   Or time hash                a request that waits for a person (shelf.h)
//   Ok time hash                a code that was given out
//   Od time hash                a device's request
//   Ou code                     the device's request behind a user code
//   Om hash                     a client's metadata document that was fetched
//
// Threads  plain functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "data/json/json.h"
#include "data/store/key_value.h"

namespace cairn::oauth {

Bytes write_record(const json::Object& object);
// IO_ERROR for one that is damaged; `what` is "a grant".
Result<json::Object> read_record(ByteView value, std::string_view what);

// The members of a record; one that is missing or of another type is empty.
std::string text_of(const json::Object& object, std::string_view name);
std::int64_t number_of(const json::Object& object, std::string_view name);
std::optional<std::int64_t> maybe_number_of(const json::Object& object, std::string_view name);
bool flag_of(const json::Object& object, std::string_view name);
std::vector<std::string> texts_of(const json::Object& object, std::string_view name);
json::Array array_of(const std::vector<std::string>& texts);

// The first 16 bytes of the hash, where a text is too long or too secret for a key.
Bytes short_hash(std::string_view text);

}  // namespace cairn::oauth
