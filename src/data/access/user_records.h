// How users lie in the store; for this folder.
//
//   u realm    a user
//   n name     who has that name
//
// Threads  plain functions of their arguments.
#pragma once

#include <string_view>

#include "data/access/users.h"

namespace cairn::user_records {

Bytes key(const RealmId& id);
Bytes name_key(std::string_view name);
KeyRange all();
Bytes encode(const User& user);
// IO_ERROR for one that is damaged.
Result<User> decode(ByteView key, ByteView value);
// INVALID_ARGUMENT
Result<void> check_name(std::string_view name);

}  // namespace cairn::user_records
