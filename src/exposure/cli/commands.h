// The commands of `cairn`, and how they are told to the parser.
//
// Threads     one at a time: the main thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.h"
#include "exposure/cli/command.h"

namespace cairn::cli {

class Kit;
struct Options;

// Gives the exit code.
using Run = std::function<Result<int>(Kit& kit)>;

class Commands final {
 public:
  explicit Commands(Options& options);
  ~Commands();
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;

  struct About {
    std::string name;
    std::string description;
    std::string example;  // a whole command line
    std::string more = {};
    std::string group = {};  // under which heading of --help
  };
  // Commands are added before they are run: what `run` captures must outlive this function.
  Command add(const About& about, Run run);
  Command add(Command parent, const About& about, Run run);
  // A word with commands behind it: `depot`.
  Command add_group(const About& about);

  // The command that the command line asks for. A failed parse, and a question for help, are
  // answered here: `exit_code` is set and nothing is left to run.
  struct Parsed {
    Run run;
    int exit_code = 0;
  };
  Parsed parse(int argc, char** argv);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

// Every command, in the order of --help.
void add_all(Commands& commands);

void add_serve_command(Commands& commands);
void add_tour_command(Commands& commands);
void add_web_command(Commands& commands);
void add_mcp_command(Commands& commands);        // mcp, mcp config
void add_file_commands(Commands& commands);      // ls, tree, cat, find
void add_search_commands(Commands& commands);    // grep, diff
void add_stat_commands(Commands& commands);      // stat, du
void add_write_commands(Commands& commands);     // put, rm, mv, cp
void add_edit_commands(Commands& commands);      // write, edit, mkdir
void add_transfer_commands(Commands& commands);  // import, export
void add_mirror_command(Commands& commands);
void add_sandbox_command(Commands& commands);
void add_depot_commands(Commands& commands);     // depot …
void add_history_commands(Commands& commands);   // log, undo
void add_delegate_commands(Commands& commands);  // delegate …
void add_oauth_commands(Commands& commands);     // client …, grant …
void add_user_commands(Commands& commands);      // user …, token …
void add_admin_commands(Commands& commands);     // usage, audit, gc, fsck, backup, restore
void add_audit_command(Commands& commands);
void add_fsck_command(Commands& commands);
void add_purge_command(Commands& commands);  // purge
void add_query_command(Commands& commands);
void add_context_tool_commands(Commands& commands);  // tool …
void add_endpoint_commands(Commands& commands);      // endpoint …
void add_call_command(Commands& commands);
void add_login_commands(Commands& commands);  // login, logout, whoami

}  // namespace cairn::cli
