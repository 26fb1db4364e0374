#include "tools/executor.h"

#include <algorithm>

#include "base/quote.h"
#include "tools/render.h"

namespace cairn {
namespace {

Failure no_realm(std::string_view realm) {
  return fail(Code::kRealmNotFound, "there is no realm {}; use 'me' for your own", shown(realm));
}

Result<void> authorise(const Session& session, const Tool& tool, const Users& users) {
  switch (tool.right) {
    case Right::kRead:
      return {};
    case Right::kUpload:
      if (session.rights.can_upload()) return {};
      return fail(Code::kUploadNotAllowed,
                  "this delegate is read-only; {} needs one that was made with canUpload",
                  tool.name);
    case Right::kManageDepots:
      if (session.rights.can_manage_depot()) return {};
      return fail(Code::kDepotManageNotAllowed,
                  "this delegate may not manage depots; {} needs one that was made with "
                  "canManageDepot",
                  tool.name);
    case Right::kOwn:
      if (!session.who().parent) return {};
      return fail(Code::kForbidden, "{} is for the owner of the realm only", tool.name);
    case Right::kAdmin:
      if (!session.who().parent && TRY(users.role_of(session.realm)) == Role::kAdmin) return {};
      return fail(Code::kForbidden, "{} is for admins only", tool.name);
  }
  return fail(Code::kInternal, "a right that is not known");
}

// What a call was about, as the caller named it: ids and paths, never content.
std::string context_of(const json::Value& arguments) {
  std::string out;
  if (!arguments.is_object()) return out;
  for (std::string_view name :
       {"nodeKey", "depotId", "delegateId", "userId",      "toolId", "endpointId", "bindingId",
        "key",     "path",    "source",     "destination", "change", "jsonPath",   "from",
        "to",      "toPath",  "root",       "title",       "name",   "target"}) {
    const auto* value = arguments.get_object().if_contains(name);
    if (value == nullptr || !value->is_string()) continue;
    if (!out.empty()) out += ' ';
    out += shown(std::string_view(value->get_string()), 200);
  }
  if (const auto* paths = arguments.get_object().if_contains("paths");
      paths != nullptr && paths->is_array()) {
    constexpr std::size_t kShown = 5;
    for (std::size_t i = 0; i < std::min(kShown, paths->get_array().size()); ++i) {
      if (!out.empty()) out += ' ';
      out += shown(json::text(paths->get_array()[i]), 200);
    }
  }
  // The arguments of a file tool.
  if (const auto* inner = arguments.get_object().if_contains("arguments")) {
    const auto about = context_of(*inner);
    if (!out.empty() && !about.empty()) out += ' ';
    out += about;
  }
  return out;
}

std::string_view outcome_of(const Error* error) { return error == nullptr ? "ok" : error->name(); }

template <typename T>
const Error* error_of(const Result<T>& result) {
  return result ? nullptr : &result.error();
}

// The bytes of all texts in a value: what was said, without the JSON around it.
std::uint64_t text_bytes(const json::Value& value) {
  if (value.is_string()) return value.get_string().size();
  std::uint64_t bytes = 0;
  if (value.is_array()) {
    for (const auto& item : value.get_array()) bytes += text_bytes(item);
  } else if (value.is_object()) {
    for (const auto& member : value.get_object()) bytes += text_bytes(member.value());
  }
  return bytes;
}

std::uint64_t size_of(const Result<Reply>& reply) {
  if (!reply) return 0;
  if (reply->file) return reply->file->size;
  if (reply->node) return reply->node->bytes().size();
  return text_bytes(reply->value);
}

}  // namespace

std::string_view name(Right right) {
  switch (right) {
    case Right::kRead:
      return "read";
    case Right::kUpload:
      return "canUpload";
    case Right::kManageDepots:
      return "canManageDepot";
    case Right::kOwn:
      return "owner";
    case Right::kAdmin:
      return "admin";
  }
  return "";
}

std::string_view name(Entrance entrance) {
  switch (entrance) {
    case Entrance::kRest:
      return "rest";
    case Entrance::kMcp:
      return "mcp";
    case Entrance::kCli:
      return "cli";
  }
  return "";
}

Executor::Executor(Services services, ToolTable table, Meter& meter, ExecutorOptions options)
    : services_(services),
      table_(std::move(table)),
      meter_(meter),
      rate_(services.clock, options.rate),
      sign_ins_(services.clock, {.per_second = 5, .burst = 5}) {}

Result<Caller> Executor::authenticate(std::string_view token, std::string_view realm,
                                      Entrance entrance) const {
  auto session = TRY(services_.delegates.authenticate(token));
  if (TRY(services_.users.role_of(session->realm)) == Role::kUnauthorized) {
    return fail(Code::kForbidden,
                "this user is not authorised; an admin can change that with the role 'authorized'");
  }
  if (realm != "me") {
    auto id = RealmId::parse(realm);
    if (!id || *id != session->realm) return no_realm(realm);
  }
  return Caller(std::move(session), entrance);
}

Result<Caller> Executor::trusted(const RealmId& realm, Entrance entrance) const {
  auto root = TRY(services_.delegates.root(realm));
  return Caller(TRY(services_.delegates.act_as(realm, root.id)), entrance);
}

Result<void> Executor::check_again(const Caller& caller) const {
  TRY(services_.delegates.check_again(caller.session()));
  if (TRY(services_.users.role_of(caller.session().realm)) == Role::kUnauthorized) {
    return fail(Code::kForbidden, "this user is not authorised any more");
  }
  return {};
}

Result<const ToolTable::Row*> Executor::admit(const Caller& caller, std::string_view tool,
                                              const json::Value& arguments) {
  const auto* row = TRY(table_.find(tool));
  TRY(check_again(caller));
  // Those below a delegate share its bucket, so that making children makes nobody faster.
  const auto& chain = caller.session().chain;
  if (chain.size() > 1) TRY(rate_.take(chain[chain.size() - 2]->id));
  TRY(authorise(caller.session(), row->tool, services_.users));
  TRY(row->check(arguments));
  return row;
}

void Executor::note(const Caller& caller, std::string_view tool, bool changes,
                    const json::Value& arguments, std::string_view outcome, std::uint64_t bytes_in,
                    std::uint64_t bytes_out, std::chrono::nanoseconds took) {
  AuditEntry entry;
  entry.time = services_.clock.now();
  entry.delegate = caller.session().answers_for();
  entry.entrance = name(caller.entrance());
  entry.tool = tool;
  if (caller.via_) {
    entry.endpoint = caller.via_->endpoint.render();
    entry.binding = caller.via_->binding.render();
  }
  entry.context = context_of(arguments);
  entry.outcome = outcome;
  entry.bytes_in = bytes_in;
  entry.bytes_out = bytes_out;
  entry.micros = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(took).count());
  const bool now = changes && outcome == "ok";
  services_.audit.record(caller.session().realm, std::move(entry),
                         now ? AuditLog::When::kNow : AuditLog::When::kSoon);
  meter_.called(tool, outcome, took);
}

Result<Caller> Executor::acting_for(const RealmId& realm, const DelegateId& delegate,
                                    Entrance entrance, std::optional<Via> via) const {
  auto session = TRY(services_.delegates.act_as(realm, delegate));
  if (TRY(services_.users.role_of(realm)) == Role::kUnauthorized) {
    return fail(Code::kForbidden, "this user is not authorised");
  }
  return Caller(std::move(session), entrance, via);
}

Result<void> Executor::take_turn(const EndpointId& endpoint) {
  return rate_.take(DelegateId::from_bytes(endpoint.bytes()));
}

Result<Reply> Executor::record(const Caller& caller, std::string_view label, bool changes,
                               const json::Value& arguments,
                               const std::function<Result<Reply>()>& work) {
  const auto began = services_.clock.monotonic();
  auto outcome = [&]() -> Result<Reply> {
    try {
      TRY(check_again(caller));
      return work();
    } catch (const std::exception& error) {
      return fail(Code::kInternal, "{} failed: {}", label, error.what());
    }
  }();
  note(caller, label, changes, arguments, outcome_of(error_of(outcome)), text_bytes(arguments),
       size_of(outcome), services_.clock.monotonic() - began);
  return outcome;
}

Result<Reply> Executor::run(const Caller& caller, std::string_view tool,
                            const json::Value& arguments, ByteView body, std::stop_token stop) {
  const auto began = services_.clock.monotonic();
  const auto* known = TRY(table_.find(tool));
  auto outcome = [&]() -> Result<Reply> {
    try {
      TRY(admit(caller, tool, arguments));
      if (!known->tool.run) return fail(Code::kBadRequest, "{} takes a streamed body", tool);
      Call call(services_, table_, caller.shared(), caller.entrance(), body, std::move(stop));
      return known->tool.run(call, Arguments(arguments.get_object()));
    } catch (const std::exception& error) {
      return fail(Code::kInternal, "{} failed: {}", tool, error.what());
    }
  }();
  const bool named = known->tool.label && arguments.is_object();
  const auto label = named ? known->tool.label(arguments.get_object()) : known->tool.name;
  note(caller, label, known->tool.changes(), arguments, outcome_of(error_of(outcome)),
       body.size() + text_bytes(arguments), size_of(outcome), services_.clock.monotonic() - began);
  return outcome;
}

// Notes the outcome of an intake when it is finished, or dropped.
class AuditedIntake final : public Intake {
 public:
  AuditedIntake(Executor& executor, Caller caller, const Tool& tool, json::Value arguments)
      : executor_(executor),
        caller_(std::move(caller)),
        tool_(tool),
        arguments_(std::move(arguments)),
        began_(executor.services_.clock.monotonic()),
        call_(executor.services_, executor.table_, caller_.shared(), caller_.entrance(), {}) {}
  ~AuditedIntake() override {
    if (!outcome_.empty()) return;
    inner_.reset();
    note("ABANDONED");
  }

  Result<void> begin() {
    auto inner = guarded([&] { return tool_.take(call_, Arguments(arguments_.get_object())); });
    if (!inner) return failed(std::move(inner).error());
    inner_ = std::move(*inner);
    return {};
  }

  Result<void> append(ByteView portion) override {
    bytes_ += portion.size();
    auto done = guarded([&] { return inner_->append(portion); });
    if (!done) return failed(std::move(done).error());
    return {};
  }

  Result<Reply> finish() override {
    auto allowed = executor_.check_again(caller_);
    if (!allowed) return failed(std::move(allowed).error());
    auto done = guarded([&] { return inner_->finish(); });
    if (!done) return failed(std::move(done).error());
    note("ok");
    return done;
  }

 private:
  template <typename Work>
  auto guarded(Work work) -> decltype(work()) {
    try {
      return work();
    } catch (const std::exception& error) {
      return fail(Code::kInternal, "{} failed: {}", tool_.name, error.what());
    }
  }
  Failure failed(Error error) {
    note(error.name());
    return Failure(std::move(error));
  }
  void note(std::string_view outcome) {
    if (!outcome_.empty()) return;
    outcome_ = outcome;
    executor_.note(caller_, tool_.name, tool_.changes(), arguments_, outcome, bytes_, 0,
                   executor_.services_.clock.monotonic() - began_);
  }

  Executor& executor_;
  Caller caller_;
  const Tool& tool_;
  json::Value arguments_;
  std::chrono::nanoseconds began_;
  Call call_;
  std::unique_ptr<Intake> inner_;
  std::uint64_t bytes_ = 0;
  std::string outcome_;
};

Result<std::unique_ptr<Intake>> Executor::take(const Caller& caller, std::string_view tool,
                                               const json::Value& arguments) {
  const auto began = services_.clock.monotonic();
  const auto* known = TRY(table_.find(tool));
  auto admitted = admit(caller, tool, arguments);
  if (!admitted) {
    note(caller, known->tool.name, known->tool.changes(), arguments, admitted.error().name(), 0, 0,
         services_.clock.monotonic() - began);
    return Failure(std::move(admitted).error());
  }
  auto intake = std::make_unique<AuditedIntake>(*this, caller, known->tool, arguments);
  TRY(intake->begin());
  return intake;
}

Result<json::Object> Executor::refresh(std::string_view refresh_token, Entrance entrance) {
  const auto began = services_.clock.monotonic();
  auto issued = services_.delegates.refresh(refresh_token);
  meter_.called("refresh", outcome_of(error_of(issued)), services_.clock.monotonic() - began);
  if (!issued) return Failure(std::move(issued).error());
  AuditEntry entry;
  entry.time = services_.clock.now();
  entry.delegate = issued->delegate.id;
  entry.entrance = name(entrance);
  entry.tool = "refresh";
  entry.outcome = "ok";
  services_.audit.record(issued->delegate.realm, std::move(entry), AuditLog::When::kNow);
  return render_issued(*issued);
}

Result<json::Object> Executor::sign_in(std::string_view user, std::string_view password,
                                       Entrance entrance) {
  const auto began = services_.clock.monotonic();
  auto work = [&]() -> Result<CreatedDelegate> {
    // Each try costs memory and time: few at once, for one name and for all.
    const auto name_hash = sha256(user);
    TRY(sign_ins_.take(DelegateId()));
    TRY(sign_ins_.take(
        DelegateId::from_bytes({reinterpret_cast<const char*>(name_hash.data()), 16})));
    auto known = TRY(services_.users.sign_in(user, password));
    if (known.role == Role::kUnauthorized) {
      return fail(Code::kForbidden, "this user is not authorised; ask an admin");
    }
    auto root = TRY(services_.delegates.root(known.id));
    return CreatedDelegate{root, TRY(services_.delegates.issue(root))};
  };
  auto issued = work();
  meter_.called("sign_in", outcome_of(error_of(issued)), services_.clock.monotonic() - began);
  if (!issued) return Failure(std::move(issued).error());
  AuditEntry entry;
  entry.time = services_.clock.now();
  entry.delegate = issued->delegate.id;
  entry.entrance = name(entrance);
  entry.tool = "sign_in";
  entry.outcome = "ok";
  services_.audit.record(issued->delegate.realm, std::move(entry), AuditLog::When::kNow);
  return render_issued(*issued);
}

}  // namespace cairn
