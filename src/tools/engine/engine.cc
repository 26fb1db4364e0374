#include "tools/engine/engine.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/os/disk_files.h"
#include "base/os/os_error.h"
#include "base/os/secret_file.h"
#include "base/quote.h"
#include "data/realm/clock_memory.h"
#include "data/realm/gc.h"
#include "data/realm/moved_back.h"
#include "data/realm/owner.h"
#include "data/store/directory_lock.h"
#include "data/store/open.h"
#include "tools/engine/all_tools.h"
#include "tools/engine/scratch_engine.h"
#include "tools/files/seen_files.h"
#include "tools/json/documents.h"

namespace cairn {
namespace {

class OpenEngine final : public Engine {
 public:
  // With a guarded clock, that is the clock.
  OpenEngine(std::unique_ptr<GuardedClock> guarded, std::unique_ptr<Store> store,
             const Clock& clock, Random& random, ToolTable table, Meter& meter,
             const EngineOptions& options)
      : guarded_(std::move(guarded)),
        store_(std::move(store)),
        realms_(*store_, clock, random, options.realm),
        delegates_(store_->kv(), clock, random, options.delegates),
        users_(store_->kv(), clock, random),
        audit_(store_->kv(), clock, options.audit),
        endpoints_(store_->kv(), clock, random),
        // The other half is for what HTTP holds (serve/in_flight_share.h).
        documents_(options.memory.documents, options.memory.in_flight / 2),
        seen_(options.memory.seen),
        sign_ins_(store_->kv(), users_, clock, random),
        password_limits_(clock),
        services_{realms_, delegates_, users_, audit_,    endpoints_,      documents_,
                  seen_,   clock,      random, sign_ins_, password_limits_},
        executor_(services_, std::move(table), meter, rehearsing(options)),
        bound_(executor_, services_),
        workspaces_(executor_, realms_) {}

  ~OpenEngine() override {
    keep_time();
    // Best effort: nothing hangs on the last minute.
    (void)delegates_.keep_uses();
    (void)sign_ins_.write_uses();
  }
  OpenEngine(const OpenEngine&) = delete;
  OpenEngine& operator=(const OpenEngine&) = delete;

  // Every step does nothing when it was done before: it runs at each start.
  Result<void> begin(const Clock& clock, Random& random) {
    owner_ = TRY(owner_realm(*store_, clock, random));
    TRY(users_.owner(owner_));
    TRY(delegates_.root(owner_));
    // Should the process be killed; one that ends by itself remembers the very last.
    keep_time(std::chrono::minutes(1));
    return {};
  }

  void keep(DirectoryLock lock) { lock_ = std::move(lock); }

  Executor& executor() override { return executor_; }
  BoundCalls& bound() override { return bound_; }
  work::DepotWorkspaces& workspaces() override { return workspaces_; }
  Services& services() override { return services_; }
  oauth::OAuthParts oauth() override {
    return {realms_, delegates_, users_, audit_, services_.clock, services_.random};
  }
  KeyValueStore& records() override { return store_->kv(); }
  const RealmId& owner() const override { return owner_; }

  Result<void> tidy() override {
    keep_time();
    TRY(delegates_.forget_expired());
    TRY(sign_ins_.forget_expired());
    TRY(oauth::OAuthBase(oauth(), {}).tidy());
    return for_each_realm([&](const RealmId& realm) -> Result<void> {
      TRY(audit_.trim(realm));
      return {};
    });
  }

  Result<void> keep_uses() override {
    TRY(delegates_.keep_uses());
    return sign_ins_.write_uses();
  }

  Result<void> collect_every(std::chrono::milliseconds time) override {
    if (!TRY(is_collection_due(store_->kv(), services_.clock.now(), time))) return {};
    TRY(for_each_realm([&](const RealmId& realm) -> Result<void> {
      // Delegates see these trees though no depot holds them.
      auto keep = TRY(delegates_.frozen_roots(realm));
      TRY(collect_garbage(realms_.get(realm), keep));
      return {};
    }));
    return note_collection(store_->kv(), services_.clock.now());
  }

  Result<ImportResult> import_from(const std::filesystem::path& directory, const DepotId& depot,
                                   ImportOptions options, Progress& progress) override {
    options.author = TRY(delegates_.root(owner_)).id;
    return import_directory(realms_.get(owner_), depot, directory, options, progress);
  }
  Result<ExportResult> export_to(const std::filesystem::path& directory, const NodeKey& root,
                                 Progress& progress) override {
    return export_directory(realms_.get(owner_).nodes(), root, directory, progress);
  }

 private:
  ExecutorOptions rehearsing(const EngineOptions& options) {
    auto out = options.executor;
    out.rehearse = [this, realm = options.realm,
                    delegates = options.delegates](const Session& caller) {
      return scratch_engine(services_, realm, delegates, caller);
    };
    return out;
  }

  // Where it cannot be written nothing else can be, and that is said there.
  void keep_time(std::chrono::milliseconds not_so_long = std::chrono::milliseconds(1)) {
    if (guarded_) (void)cairn::keep_time(*store_, *guarded_, not_so_long);
  }

  template <typename Visit>
  Result<void> for_each_realm(Visit visit) {
    std::optional<std::string> cursor;
    do {
      auto page = TRY(users_.list(1000, cursor));
      for (const auto& user : page.users) TRY(visit(user.id));
      cursor = std::move(page.next_cursor);
    } while (cursor);
    return {};
  }

  // In the order in which they need each other; destroyed the other way round, the store last.
  std::optional<DirectoryLock> lock_;  // of the directory; none in memory
  std::unique_ptr<GuardedClock> guarded_;
  std::unique_ptr<Store> store_;
  Realms realms_;
  Delegates delegates_;
  Users users_;
  AuditLog audit_;
  Endpoints endpoints_;
  Documents documents_;
  SeenFiles seen_;
  SignIns sign_ins_;
  SignInLimits password_limits_;
  Services services_;
  Executor executor_;
  BoundCalls bound_;
  work::DepotWorkspaces workspaces_;
  RealmId owner_;
};

// What Cairn itself puts into a data directory, and what a new disk has.
constexpr std::array<std::string_view, 7> kOwnNames = {
    "store",           "owner.token", "owner.token.new", "server.json",
    "server.json.new", "cairn.sock",  "lost+found"};

// A store is not made among somebody else's files: a mistyped --data would put secrets there, and
// take the directory's modes away from its owner.
Result<void> check_directory(const std::filesystem::path& directory) {
  std::error_code error;
  if (is_backup(directory)) {
    return fail(Code::kInvalidArgument,
                "{0} is a backup, which stays as it is; make a data directory from it with: cairn "
                "restore {0} NEW_DIRECTORY",
                directory.string());
  }
  if (std::filesystem::exists(directory / "store", error)) return {};
  for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    const auto name = at->path().filename().string();
    if (std::ranges::find(kOwnNames, name) != kOwnNames.end()) continue;
    return fail(Code::kInvalidArgument,
                "{} is no data directory, and not empty: '{}' is in it; name a directory that is "
                "empty or does not exist yet",
                directory.string(), shown(name));
  }
  return {};
}

// Enough for RocksDB to get going again on a full disk, and for some thousand deletions.
constexpr std::uint64_t kReserveBytes = 16 << 20;

std::filesystem::path token_file(const std::filesystem::path& directory) {
  return directory / "owner.token";
}

Result<void> write_token(const std::filesystem::path& directory, std::string_view token) {
  // Replaced as a whole: other programs read it while it is written.
  return os::replace_file(token_file(directory), fmt::format("{}\n", token), 0600);
}

void note_rotation(Services& services, const Delegate& root) {
  AuditEntry entry;
  entry.time = services.clock.now();
  entry.delegate = root.id;
  entry.entrance = name(Entrance::kCli);
  entry.tool = "rotate_token";
  entry.outcome = "ok";
  services.audit.record(root.realm, std::move(entry), AuditLog::When::kNow);
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::over(std::unique_ptr<Store> store, const Clock& clock,
                                             Random& random, Meter& meter,
                                             const EngineOptions& options) {
  auto engine = std::make_unique<OpenEngine>(nullptr, std::move(store), clock, random, all_tools(),
                                             meter, options);
  TRY(engine->begin(clock, random));
  return engine;
}

Result<std::unique_ptr<Engine>> Engine::open(const std::filesystem::path& directory,
                                             const Clock& clock, Random& random, Meter& meter,
                                             const EngineOptions& options) {
  // Other users of the machine have no business in it.
  std::error_code ignored;
  TRY(check_directory(directory));
  if (options.create && std::filesystem::create_directories(directory, ignored)) {
    // Only a directory that was just made: an existing one has the rights that its owner chose.
    std::filesystem::permissions(directory, std::filesystem::perms::owner_all, ignored);
  }
  auto lock = TRY(DirectoryLock::take(directory));
  if (options.alone) options.alone();
  StoreOptions store_options;
  store_options.create = options.create;
  store_options.is_commit = is_commit_record;
  store_options.reserve_bytes = kReserveBytes;
  store_options.dict_cache_bytes = options.memory.dicts;
  store_options.data_cache_bytes = options.memory.data;
  store_options.block_cache_bytes = options.memory.blocks;
  store_options.write_buffer_bytes = options.memory.write_buffers;
  auto guarded = std::make_unique<GuardedClock>(clock, options.tell);
  auto store = TRY(open_rocks_store(directory, *guarded, store_options));
  std::filesystem::permissions(directory / "store", std::filesystem::perms::owner_all, ignored);
  TRY(recall_time(*store, *guarded));
  auto with_age = options;
  with_age.realm.settled = with_age.audit.settled = &guarded->settled();
  const auto& time = *guarded;
  auto engine = std::make_unique<OpenEngine>(std::move(guarded), std::move(store), time, random,
                                             all_tools(), meter, with_age);
  engine->keep(std::move(lock));
  TRY(engine->begin(time, random));
  return engine;
}

Result<std::unique_ptr<Engine>> Engine::in_memory(const Clock& clock, Random& random, Meter& meter,
                                                  const EngineOptions& options) {
  return over(make_memory_store(clock), clock, random, meter, options);
}

Result<std::string> read_owner_token(const std::filesystem::path& directory) {
  const auto file = token_file(directory);
  auto token = os::read_line(file);
  if (!token && token.error() != ENOENT) return os::io_error("read", file, token.error());
  if (token && !token->empty()) {
    TRY(os::check_secret(file));
    return *std::move(token);
  }
  return fail(Code::kInvalidToken, "there is no token in {}; 'cairn token rotate' makes one",
              file.string());
}

Result<std::string> rotate_owner_token(Engine& engine, const std::filesystem::path& directory) {
  auto& delegates = engine.services().delegates;
  auto root = TRY(delegates.root(engine.owner()));
  const bool replaced = read_owner_token(directory).has_value();
  // Before it is written: should writing fail, the next start finds that the old one does not work
  // and makes another.
  auto token = TRY(delegates.issue_lasting(engine.owner(), root.id));
  TRY(write_token(directory, token.text()));
  // Not the first one, which a new data directory begins with.
  if (!replaced) return token.text();
  note_rotation(engine.services(), root);
  // Whoever had the old one may have opened them.
  TRY(engine.services().sign_ins.end_others(engine.owner(), std::nullopt));
  return token.text();
}

Result<std::string> owner_token(Engine& engine, const std::filesystem::path& directory) {
  auto known = read_owner_token(directory);
  if (!known && known.error().code == Code::kForbidden) return known;
  auto& delegates = engine.services().delegates;
  if (known && delegates.authenticate(*known)) {
    TRY(delegates.make_lasting(*known));
    return known;
  }
  return rotate_owner_token(engine, directory);
}

}  // namespace cairn
