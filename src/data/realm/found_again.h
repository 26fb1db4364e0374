// Depots whose own record is lost, but not their history: they are made again as they were after
// the last commit that is left. With the title that the index has for them, or one that says what
// they are; limits are the usual ones. The index of titles is made anew.
//
// Threads     nobody else changes the store.
// Fails with  as the store does.
#pragma once

#include <string>
#include <vector>

#include "data/realm/records.h"
#include "data/store/store.h"

namespace cairn {

// Those that were made again. For after a repair of tables (table_repair.h).
Result<std::vector<Depot>> find_depots_again(Store& store, const RealmId& realm);

// What a record is, in words: `commit #12 of dpt_…`, `the depot dpt_…`.
std::string record_in_words(ByteView key);

}  // namespace cairn
