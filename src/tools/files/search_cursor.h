// SearchCursor: where a search of a tree stopped, so that the next call goes on there. It names the
// root, so that what is committed meanwhile shifts nothing, and belongs to one search: the same
// arguments but for how many results are wanted.
//
// It opens nothing: whoever brings one may see the root, or it is refused. The check in it tells a
// cursor of another search, or one that was changed by accident.
//
// Threads     a value.
// Fails with  INVALID_CURSOR.
#pragma once

#include <optional>
#include <string>

#include "data/cas/node_key.h"
#include "tools/files/fs.h"

namespace cairn::fs {

struct SearchCursor {
  static constexpr std::size_t kMaxBytes = 6700;

  NodeKey root;
  std::uint64_t line = 0;
  std::string path;
  // The answers before this left something out that going on does not give.
  bool left_out = false;

  // Nothing when the path is longer than one that can be named.
  std::optional<std::string> render(const Arguments& arguments) const;
  static Result<SearchCursor> parse(std::string_view text, const Arguments& arguments);

  bool operator==(const SearchCursor&) const = default;
};

shape::Field cursor();
shape::Field next_cursor();

// A tree to search, at the root that the cursor names if there is one.
struct Searched {
  Opened opened;
  std::optional<SearchCursor> cursor;
};
Result<Searched> open_search(Call& call, const Arguments& arguments);

// What to say of a search that stopped early: `nextCursor`, and in `hint` what stopped it and which
// argument helps. `narrower` says how to search less.
void add_rest(json::Object& out, Call& call, const Arguments& arguments,
              const std::string& stopped_by, const SearchCursor& reached,
              std::string_view narrower);

}  // namespace cairn::fs
