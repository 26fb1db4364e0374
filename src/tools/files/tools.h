// The tools for files, directories and nodes, by the names of their files.
#pragma once

#include "tools/executor/tool.h"

namespace cairn {

Tool fs_stat();
Tool fs_ls();
Tool fs_tree();
Tool fs_read();
Tool fs_read_many();
Tool fs_find();
Tool fs_grep();
Tool fs_diff();
Tool fs_write();
Tool fs_edit();
Tool fs_mkdir();
Tool fs_rm();
Tool fs_mv();
Tool fs_cp();
Tool fs_rewrite();
Tool node_metadata();
Tool read_file_tool();
Tool write_file_tool();
Tool get_node();
Tool put_node();
Tool check_nodes();
Tool claim_nodes();

}  // namespace cairn
