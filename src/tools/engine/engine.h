// Engine: an open data directory with everything over it up to the executor. A server is an engine
// with ways in; the command line uses one directly.
//
//   DIR/store         the store
//   DIR/owner.token   the owner's access token (mode 0600)
//   and what a server of it leaves there (exposure/serve/server_file.h)
//
// Threads     every function may be called from any thread.
// Fails with  STORE_LOCKED, STORE_INCOMPATIBLE, INVALID_ARGUMENT for a directory of something else
//             and IO_ERROR from open(); as the parts do otherwise.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>

#include "base/guarded_clock.h"
#include "base/memory_budget.h"
#include "data/oauth/oauth.h"
#include "data/realm/import.h"
#include "tools/endpoints/bound_calls.h"
#include "tools/executor/executor.h"
#include "tools/workspace/depot_toolbox.h"

namespace cairn {

struct EngineOptions {
  bool create = true;
  // Called when this process has the directory to itself, before the store is opened.
  std::function<void()> alone = nullptr;
  RealmOptions realm;
  DelegateOptions delegates;
  AuditOptions audit;
  ExecutorOptions executor;
  MemoryBudget memory = MemoryBudget::usual(std::size_t{4} << 30);
  // Told when the machine's clock jumps (base/guarded_clock.h).
  GuardedClock::Tell tell = nullptr;
};

class Engine {
 public:
  // STORE_LOCKED when another process has it open. The clock is held against what the store
  // remembers of the time.
  static Result<std::unique_ptr<Engine>> open(const std::filesystem::path& directory,
                                              const Clock& clock, Random& random, Meter& meter,
                                              const EngineOptions& options = {});
  // Over a store that is open already.
  static Result<std::unique_ptr<Engine>> over(std::unique_ptr<Store> store, const Clock& clock,
                                              Random& random, Meter& meter,
                                              const EngineOptions& options = {});
  // The same in memory, for tests.
  static Result<std::unique_ptr<Engine>> in_memory(const Clock& clock, Random& random, Meter& meter,
                                                   const EngineOptions& options = {});
  virtual ~Engine() = default;

  virtual Executor& executor() = 0;
  // For parts that are built together with it, and for tests: surfaces go through the executor.
  virtual Services& services() = 0;
  // The tools that endpoints show, and calls through them.
  virtual BoundCalls& bound() = 0;
  // What the authorization server works on.
  virtual oauth::OAuthParts oauth() = 0;
  // The file tools on depots.
  virtual work::DepotWorkspaces& workspaces() = 0;
  // Where parts of a server keep records of their own.
  virtual KeyValueStore& records() = 0;
  // The owner's realm.
  virtual const RealmId& owner() const = 0;

  // The regular chores: removes tokens that expired and audit entries that are too old.
  virtual Result<void> tidy() = 0;
  // Writes down when tokens and sign-ins were last used: for every minute.
  virtual Result<void> keep_uses() = 0;
  // Collects the garbage of every realm, if that was not done for so long, by whichever process.
  virtual Result<void> collect_every(std::chrono::milliseconds time) = 0;

  // A directory of this machine into a depot of the owner's, and a tree of the owner's into one.
  virtual Result<ImportResult> import_from(const std::filesystem::path& directory,
                                           const DepotId& depot, ImportOptions options,
                                           Progress& progress) = 0;
  virtual Result<ExportResult> export_to(const std::filesystem::path& directory,
                                         const NodeKey& root, Progress& progress) = 0;
};

// The owner's token of a data directory: made and written to its file when there is none, or when
// the one there no longer works.
Result<std::string> owner_token(Engine& engine, const std::filesystem::path& directory);
// A new one; the old one is void.
Result<std::string> rotate_owner_token(Engine& engine, const std::filesystem::path& directory);
// As it stands in its file. FORBIDDEN when others may read it.
Result<std::string> read_owner_token(const std::filesystem::path& directory);

}  // namespace cairn
