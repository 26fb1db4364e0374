// The pages themselves. A test reads every call and tool name in them against the tool table.

#include "exposure/agent/prompts.h"

namespace cairn::agent {
namespace {

constexpr std::string_view kGuide = R"md(# Cairn in one page

Cairn keeps trees of files, with every version of them. You reach it through tools only.

## What there is

- **Node**: immutable content named by its hash, `nod_…`: a file or a directory. The same key is
  always the same content. A key may be shortened to its first 12 or more characters; long listings
  show 16.
- **Root**: the directory node at the top of a tree. A write never changes a tree: it gives you the
  key of a new root, `newRoot`.
- **Depot**: a named pointer to a root, `dpt_…`, with a history; like a git branch. Only
  `depot_commit`, `depot_undo` and `depot_revert` move it.
- **Paths** are relative and have no leading slash: `src/main.ts`. There is no `.` or `..`. `~0` is
  the first child of a directory.

Every tool that takes a nodeKey takes a depot id (the depot as it is now) or a node key (that tree,
for ever). Start from the depot id; continue from newRoot.

## Look

list_depots {}
fs_tree {"nodeKey": "dpt_…", "depth": 2}
fs_read {"nodeKey": "dpt_…", "path": "README.md"}
fs_grep {"nodeKey": "dpt_…", "pattern": "TODO", "literal": true}

Answers are cut at about 60 KB, and say so. `truncated` is true or `nextCursor` is not null: read
the hint and ask for the rest, or for less. A directory marked `collapsed` was not opened: call
`fs_tree` with its path.

## Change

fs_write {"nodeKey": "dpt_…", "path": "notes/a.md", "content": "first\n"}
fs_edit {"nodeKey": "nod_A…", "path": "README.md", "edits": [{"oldText": "old", "newText": "new"}]}
depot_commit {"depotId": "dpt_…", "root": "nod_B…", "message": "Notes, and a better README"}

The second call continues from newRoot of the first (`nod_A…`), the commit takes newRoot of the last
(`nod_B…`). A root that is never committed is kept for a day and then lost.

If somebody else committed meanwhile, your commit is merged with theirs (`merged` is true), or it
fails with CONFLICT and changes nothing. See the prompt `edit-files` for what to do then.

## Go back

depot_history {"depotId": "dpt_…"}
fs_diff {"from": "nod_A…", "to": "dpt_…", "unified": true}
depot_undo {"depotId": "dpt_…", "change": 14, "message": "Without the rename"}
depot_revert {"depotId": "dpt_…", "root": "nod_A…", "message": "Back to before the rename"}

## Share

`create_delegate` gives another agent a part of your rights, read-only unless you say otherwise, and
of what you see only the places in its scope.

create_delegate {"name": "reviewer", "scope": ["dpt_…/docs"], "expiresIn": 7200}

## Errors

They read `Error: CODE — message`, and the message says what to do instead. UPLOAD_NOT_ALLOWED: you
may only read. NODE_NOT_AUTHORIZED: name the node by a depot and a path. PATH_NOT_FOUND names the
nearest path there is. INVALID_ARGUMENT names the argument.
)md";

constexpr std::string_view kEdit = R"md(# Editing files in {depotId}

You change files by making new trees, one call after another, and commit the last one. Until then
nobody else sees anything, and the depot stays as it is.

## The steps

1. Read what you are going to change. Never edit a file you have not read in this conversation.

fs_read {"nodeKey": "{depotId}", "path": "src/config.ts"}

2. Make the first change, from the depot itself.

fs_edit {"nodeKey": "{depotId}", "path": "src/config.ts", "edits": [{"oldText": "port: 80,", "newText": "port: 8080,"}]}

3. Make every further change from `newRoot` of the one before. Starting from {depotId} again would
   drop what you did so far.

fs_write {"nodeKey": "nod_1…", "path": "src/ports.ts", "content": "export const PORT = 8080;\n"}
fs_rm {"nodeKey": "nod_2…", "path": "src/old-ports.ts"}

4. Look at the whole of it, then commit the last `newRoot` once.

fs_diff {"from": "{depotId}", "to": "nod_3…", "unified": true}
depot_commit {"depotId": "{depotId}", "root": "nod_3…", "message": "Serve on port 8080"}

## Which tool

- `fs_edit` for a part of a file. Each oldText has to be in the file exactly once: copy it from
  `fs_read`, indentation and all, with a line or two around it if it is short. Several edits in one
  call are applied in order, all or none. With "replaceAll": true every occurrence is replaced.
- `fs_write` for new files and for whole ones. It replaces everything that was there.
- `fs_mv`, `fs_cp`, `fs_rm`, `fs_mkdir` for single moves; `fs_rewrite` for many at once.

To see what an edit would do without storing anything:

fs_edit {"nodeKey": "{depotId}", "path": "src/config.ts", "edits": [{"oldText": "http:", "newText": "https:", "replaceAll": true}], "dryRun": true}

EDIT_NO_MATCH: the text is not there as you wrote it; read the file again. EDIT_AMBIGUOUS: it is
there more than once; give more of what stands around it.

## Long files

`fs_read` gives about 60 KB at a time. When `truncated` is true, go on where the hint says:

fs_read {"nodeKey": "{depotId}", "path": "data/big.csv", "startLine": 1201, "endLine": 1400}

An edit needs only the text it replaces, not the whole file.

## When others commit too

Your root remembers which root of the depot it began from. If the depot has moved since,
`depot_commit` merges: text line by line, JSON key by key. `merged: true` lists in `fromOthers` what
came from the others; read those files again before you rely on them.

If a file was changed on both sides in the same place, the answer is `Error: CONFLICT`, and nothing
has changed. It shows the lines of both sides, and has a mergedRoot in which all else is merged, with
theirs in these lines. Put them right there, and commit that:

fs_edit {"nodeKey": "nod_M…", "path": "src/config.ts", "edits": [{"oldText": "…", "newText": "…"}]}

Do not pass
"force": true to get past a conflict: it throws the others' work away. To commit only if nobody has
committed since, name the root you expect:

depot_commit {"depotId": "{depotId}", "root": "nod_3…", "expectedRoot": "nod_0…", "exact": true}

## Done

Say what you changed and which root the commit gave. A mistake is undone with `depot_history` and
`depot_undo`; nothing is ever lost by committing.
)md";

constexpr std::string_view kExplore = R"md(# Exploring {depotId}

Find out what this project is and how it is built, with few calls and little reading. Go from the
outline to the detail.

## 1. The outline

fs_tree {"nodeKey": "{depotId}", "depth": 2}

Each directory shows `count`, its direct children. One marked `collapsed` was not opened, for depth
or for room: open only those that matter.

fs_tree {"nodeKey": "{depotId}", "path": "src/services", "depth": 3}

`truncated: true` says that maxEntries (500) ran out: give a path, or less depth, rather than more
entries. A directory of hundreds of files is better searched than listed.

## 2. The files that explain the rest

README, the manifest (package.json, Cargo.toml, pyproject.toml, go.mod, CMakeLists.txt …), the entry
point, the build or CI configuration. Read several in one call where `fs_read_many` is offered:

fs_read_many {"nodeKey": "{depotId}", "paths": ["README.md", "package.json", "src/main.ts"]}
fs_read {"nodeKey": "{depotId}", "path": "README.md", "startLine": 1, "endLine": 80}

## 3. Finding things

By name, with a glob; by content, with a regular expression (RE2) or plain text:

fs_find {"nodeKey": "{depotId}", "pattern": "*.test.ts"}
fs_find {"nodeKey": "{depotId}", "pattern": "src/**/index.ts", "type": "file"}
fs_grep {"nodeKey": "{depotId}", "pattern": "class \\w+Service", "include": ["*.ts"], "context": 2}
fs_grep {"nodeKey": "{depotId}", "pattern": "createServer(", "literal": true, "path": "src"}

Both stop at maxResults (200) and say so with `truncated` and stoppedBy. Narrow the path, include or
pattern instead of asking for thousands. No matches and `truncated: false` means there are none.

## 4. How it came to be

depot_history {"depotId": "{depotId}", "limit": 10}
fs_diff {"from": "nod_…", "to": "{depotId}"}

The roots in the history are trees like any other: pass one as nodeKey to read the project as it was
then.

## Good habits

- Others may commit while you read. To see one version throughout, take root from `get_depot` once
  and use it as nodeKey in place of {depotId}.
- The same key is the same content: what you have read under a key need not be read again. `fs_stat`
  gives the key of a path, and for a directory how many files and bytes are below it.
- Binary files are refused by `fs_read` (NOT_TEXT) and skipped by `fs_grep`.
- Quote paths and line numbers in what you report, so that it can be checked.
)md";

constexpr std::string_view kRefactor = R"md(# Restructuring {depotId}

`fs_rewrite` moves, copies, links and removes many things in one step: you say what the tree should
look like, and all of it happens or nothing does. File contents are not touched; imports and other
references are edited afterwards, before you commit.

## 1. Know what is there

fs_tree {"nodeKey": "{depotId}", "path": "src", "depth": -1}
fs_grep {"nodeKey": "{depotId}", "pattern": "utils/helper", "literal": true}

The second finds everything that refers to what you are about to move.

## 2. Move

fs_rewrite {"nodeKey": "{depotId}", "entries": {"lib/core/index.ts": {"from": "src/core.ts"}, "lib/plugins": {"from": "src/plugins"}, "lib/generated": {"dir": true}}, "deletes": ["src/core.ts", "src/plugins", "src/deprecated"]}

- Keys of entries are target paths; the value is exactly one of {"from": path}, {"dir": true} and
  {"link": "nod_…"}, a node you may use, mounted there.
- from always means the tree as it was before the call, also when that path is in deletes. So from
  with a delete is a move, from alone a copy, and two files can change places in one call.
- Deletes happen first, then entries. A path in both is replaced.
- Directories on the way are made. `dir` leaves a directory that exists as it is.
- At most 100 entries and deletes together (TOO_MANY_ENTRIES): move whole directories rather than
  their files, or make several calls, each from `newRoot` of the one before.
- For one single move `fs_mv` is enough: it refuses to overwrite (TARGET_EXISTS).

fs_mv {"nodeKey": "{depotId}", "from": "src/old-name.ts", "to": "src/new-name.ts"}

## 3. Put the references right

Continue from `newRoot` of the rewrite, one file after another:

fs_edit {"nodeKey": "nod_1…", "path": "lib/core/index.ts", "edits": [{"oldText": "'./utils/helper'", "newText": "'../utils/helper'", "replaceAll": true}]}

## 4. Check, then commit once

fs_grep {"nodeKey": "nod_2…", "pattern": "src/(core|plugins)", "path": "lib"}
fs_diff {"from": "{depotId}", "to": "nod_2…"}
depot_commit {"depotId": "{depotId}", "root": "nod_2…", "message": "Move core and plugins to lib"}

A moved file or directory is one change in `fs_diff`: moved, with where it was.

If others committed meanwhile, their changes are merged in. A file that you moved and they edited
does not fit: `Error: CONFLICT` names the paths, and nothing has changed. Then do the rewrite again
from {depotId}: what they wrote is moved along with it.

## 5. If it was wrong

depot_history {"depotId": "{depotId}", "limit": 5}
depot_revert {"depotId": "{depotId}", "root": "nod_…", "message": "Undo the move to lib"}

A revert is itself a commit: the restructured tree stays in the history.
)md";

constexpr Prompt kPrompts[] = {
    {"casfa-guide", "Guide to Cairn", "Depots, roots, nodes, and how the tools fit together", false,
     kGuide},
    {"edit-files", "Edit files", "Change files in a depot and commit, alone or beside others", true,
     kEdit},
    {"explore-project", "Explore a project", "Find out what is in a depot with few calls", true,
     kExplore},
    {"refactor", "Restructure a project", "Move many files at once with fs_rewrite", true,
     kRefactor},
};

}  // namespace

std::span<const Prompt> prompts() { return kPrompts; }

}  // namespace cairn::agent
