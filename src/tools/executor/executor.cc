#include "tools/executor/executor.h"

#include <algorithm>

#include "base/quote.h"
#include "data/endpoint/hidden_keys.h"
#include "tools/executor/course.h"
#include "tools/executor/render.h"

namespace cairn {
namespace {

Failure no_realm(std::string_view realm) {
  return fail(Code::kRealmNotFound, "there is no realm {}; use 'me' for your own",
              shown(with_keys_hidden(std::string(realm))));
}

Failure not_authorised() {
  return fail(Code::kForbidden,
              "this user is not authorised; an admin can change that with the role 'authorized'");
}

Failure no_directory(std::string_view name) {
  return fail(Code::kNotFound, "there is no directory '{}' that you may use", shown(name));
}

Result<void> authorise_directory(DirectoryUse use, const Desk* desk, const Tool& tool,
                                 Right right) {
  if (desk == nullptr) return fail(Code::kInternal, "{} has no directory to work on", tool.name);
  switch (use) {
    case DirectoryUse::kNone:
      return no_directory(desk->directory);
    case DirectoryUse::kRead:
      if (right == Right::kReadDirectory) return {};
      return fail(Code::kForbidden, "you may only read in the directory '{}', and {} writes",
                  shown(desk->directory), tool.name);
    case DirectoryUse::kWrite:
      return {};
  }
  return fail(Code::kInternal, "a use that is not known");
}

void add_audited(std::string& out, const json::Value& value) {
  if (!value.is_string()) return;
  // Bounded: an audit entry is read by people, and arguments may be megabytes.
  if (!out.empty()) out += ' ';
  out += shown(json::text(value), 200);
}

// The subject of a call, as the caller named it: ids and paths, never content.
std::string context_of(const Tool& tool, const json::Value& arguments) {
  constexpr std::size_t kShownOfList = 5;
  auto out = tool.audited_place;
  if (!arguments.is_object()) return out;
  for (const auto& name : tool.audited) {
    const auto* value = json::find(arguments.get_object(), name);
    if (value == nullptr) continue;
    if (!value->is_array()) {
      add_audited(out, *value);
      continue;
    }
    const auto& list = value->get_array();
    for (std::size_t i = 0; i < std::min(kShownOfList, list.size()); ++i) add_audited(out, list[i]);
  }
  return out;
}

// One line without what keys open.
std::string logged(std::string_view message) {
  constexpr std::size_t kMost = 300;
  if (message.empty()) return {};
  return shown(with_keys_hidden(std::string(message)), kMost);
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

std::uint64_t size_of(const Reply& reply) {
  if (reply.file) return reply.file->size;
  if (reply.node) return reply.node->bytes().size();
  return text_bytes(reply.value);
}

}  // namespace

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

namespace {

// Another's realm is said not to exist, whether it does or not.
Result<void> check_realm(const Caller& caller, std::string_view realm) {
  if (realm == "me") return {};
  const auto id = RealmId::parse(realm);
  if (!id || *id != caller.session().realm) return no_realm(realm);
  return {};
}

}  // namespace

Executor::Executor(Services services, ToolTable table, Meter& meter, ExecutorOptions options)
    : services_(services),
      table_(std::move(table)),
      meter_(meter),
      rate_(services.clock, options.rate),
      rehearse_(std::move(options.rehearse)),
      observer_(services.realms, services.endpoints) {}

Result<Caller> Executor::authenticate(std::string_view token, std::string_view realm,
                                      Entrance entrance) const {
  Caller caller(TRY(services_.delegates.authenticate(token)), entrance);
  // The token may be good while its user has lost the right to use the server.
  TRY(check_again(caller));
  TRY(check_realm(caller, realm));
  return caller;
}

Result<Caller> Executor::signed_in(std::string_view cookie, std::string_view realm,
                                   Entrance entrance) const {
  auto sign_in = TRY(services_.sign_ins.verify(cookie));
  auto caller = TRY(trusted(sign_in->realm, entrance));
  caller.sign_in_ = std::move(sign_in);
  TRY(check_again(caller));
  TRY(check_realm(caller, realm));
  return caller;
}

Result<Caller> Executor::machine_owner(std::string_view realm, Entrance entrance) const {
  auto caller = TRY(trusted(TRY(services_.users.find(Users::kOwner)).id, entrance));
  TRY(check_realm(caller, realm));
  return caller;
}

Result<Caller> Executor::trusted(const RealmId& realm, Entrance entrance) const {
  auto root = TRY(services_.delegates.root(realm));
  return Caller(TRY(services_.delegates.act_as(realm, root.id)), entrance);
}

Result<void> Executor::check_again(const Caller& caller) const {
  TRY(services_.delegates.check_again(caller.session()));
  if (caller.sign_in()) TRY(services_.sign_ins.check_again(*caller.sign_in()));
  if (TRY(services_.users.role_of(caller.session().realm)) == Role::kUnauthorized) {
    return not_authorised();
  }
  return {};
}

Result<void> Executor::check_unchanged(const Caller& caller) const {
  TRY(services_.delegates.check_unchanged(caller.session()));
  return check_again(caller);
}

Result<Caller> Executor::as_now(const Caller& caller) const {
  return caller.as(TRY(services_.delegates.as_now(caller.session_)));
}

Result<DirectoryUse> Executor::directory_use(const Caller& caller,
                                             std::string_view directory) const {
  const auto& session = caller.session();
  return std::min(session.rights.directory_use(directory),
                  TRY(services_.users.directory_use(session.realm, directory)));
}

Result<void> Executor::authorise(const Caller& caller, const Tool& tool, Right right) const {
  const auto& rights = caller.session().rights;
  switch (right) {
    case Right::kRead:
      return {};
    case Right::kUpload:
      if (rights.can_upload()) return {};
      return fail(Code::kUploadNotAllowed,
                  "this delegate is read-only; {} needs one that was made with canUpload",
                  tool.name);
    case Right::kManageDepots:
    case Right::kCreateDepots:
      if (!rights.can_manage_depot()) {
        return fail(Code::kDepotManageNotAllowed,
                    "this delegate may not manage depots; {} needs one that was made with "
                    "canManageDepot",
                    tool.name);
      }
      if (right == Right::kManageDepots || rights.realm_wide()) return {};
      return fail(Code::kDepotManageNotAllowed,
                  "this delegate sees only a part of the realm, and a new depot would be outside "
                  "it; ask whoever made the delegate to create the depot");
    case Right::kOwn:
      if (!caller.session().who().parent) return {};
      return fail(Code::kForbidden, "{} is for the owner of the realm only", tool.name);
    case Right::kAdmin:
      if (TRY(is_admin(caller))) return {};
      return fail(Code::kForbidden, "{} is for admins only", tool.name);
    case Right::kReadDirectory:
    case Right::kWriteDirectory: {
      const auto* desk = caller.desk().get();
      const auto use = TRY(directory_use(caller, desk == nullptr ? "" : desk->directory));
      return authorise_directory(use, desk, tool, right);
    }
  }
  return fail(Code::kInternal, "a right that is not known");
}

Result<void> Executor::admit(const Caller& caller, const Tool& tool, const json::Value& arguments) {
  // Again, though authenticate() did: a large body may have taken minutes to arrive.
  TRY(check_again(caller));
  TRY(take_turn(caller));
  TRY(authorise(caller, tool,
                arguments.is_object() ? tool.right_for(arguments.get_object()) : tool.right));
  return tool.check(arguments);
}

Executor::Shown Executor::shown_of(const Tool& tool, const json::Value& arguments) {
  return {.context = context_of(tool, arguments),
          .changes = arguments.is_object() ? tool.changes(arguments.get_object()) : tool.changes()};
}

void Executor::note(const Caller& caller, const Tool& tool, Shown shown, const Ended& ended,
                    const Spent& spent) {
  AuditEntry entry;
  entry.time = services_.clock.now();
  entry.delegate = caller.session().answers_for();
  entry.entrance = name(caller.entrance());
  entry.tool = tool.operation();
  if (caller.via()) {
    entry.endpoint = caller.via()->endpoint.render();
    entry.binding = caller.via()->binding.render();
  }
  entry.context = std::move(shown.context);
  if (caller.desk() != nullptr && !caller.desk()->directory.empty()) {
    entry.context = fmt::format("{}: {}", caller.desk()->directory, entry.context);
  }
  entry.outcome = ended.outcome;
  entry.message = logged(ended.message);
  entry.request = caller.request();
  entry.bytes_in = spent.bytes_in;
  entry.bytes_out = spent.bytes_out;
  entry.micros = static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(spent.took).count());
  // A change that was made is in the log when its answer is sent; the rest follows in the
  // background.
  const bool now = shown.changes && ended.outcome == "ok";
  services_.audit.record(caller.session().realm, std::move(entry),
                         now ? AuditLog::When::kNow : AuditLog::When::kSoon);
  meter_.called(tool.operation(), ended.outcome, spent.took);
}

Result<Caller> Executor::acting_for(const RealmId& realm, const DelegateId& delegate,
                                    Entrance entrance) const {
  Caller caller(TRY(services_.delegates.act_as(realm, delegate)), entrance);
  TRY(check_again(caller));
  return caller;
}

Result<bool> Executor::is_admin(const Caller& caller) const {
  const auto& session = caller.session();
  return !session.who().parent && TRY(services_.users.role_of(session.realm)) == Role::kAdmin;
}

Result<void> Executor::check_store() const {
  // Whether the key exists does not matter, only that the store answers.
  TRY(services_.realms.store().kv().get("ready"));
  return services_.realms.store().ready();
}

Result<void> Executor::take_turn(const Caller& caller) {
  // Those below a delegate share its bucket, so that making children makes nobody faster. The root
  // delegate has no limit, wherever it works.
  if (const auto* branch = caller.session().branch()) return rate_.take(branch->id);
  return {};
}

Result<void> Executor::take_turn(const EndpointId& endpoint) {
  // Endpoint ids and delegate ids are both random, so they share the buckets without colliding.
  return rate_.take(DelegateId::from_bytes(endpoint.bytes()));
}

Course::Course(Executor& executor, const Caller& caller, const Tool& tool, json::Value arguments,
               ByteView body, std::stop_token stop)
    : executor_(executor),
      tool_(tool),
      arguments_(std::move(arguments)),
      shown_(Executor::shown_of(tool, arguments_)),
      bytes_in_(body.size() + text_bytes(arguments_)),
      began_(executor.services_.clock.monotonic()),
      given_(std::move(stop), Request{either_}),
      ending_(executor.ending_.get_token(), Request{either_}),
      body_(body) {
  call_.emplace(executor.services_, executor.table_, caller, body_, either_.get_token());
}

Result<void> Course::admit() {
  return ended_by([&]() -> Result<void> {
    // Who comes with rights of before: a body may have been long on its way, a client's stream
    // open.
    auto caller = TRY(executor_.as_now(call_->caller()));
    if (&caller.session() != &call_->session()) {
      call_.emplace(executor_.services_, executor_.table_, std::move(caller), body_,
                    either_.get_token());
    }
    TRY(executor_.admit(call_->caller(), tool_, arguments_));
    return tool_.rehearses(arguments_.get_object()) ? rehearse() : Result<void>();
  });
}

// From here on the call sees what there is, and whatever it does goes with the course.
Result<void> Course::rehearse() {
  if (!executor_.rehearse_) {
    return fail(Code::kInvalidArgument, "{} cannot be tried out here", tool_.name);
  }
  const auto caller = call_->caller();
  rehearsal_ = TRY(executor_.rehearse_(caller.session()));
  arguments_.get_object().erase(tool_.rehearsal);
  call_.emplace(rehearsal_->services(), executor_.table_, caller, body_, either_.get_token());
  return {};
}

void Course::note(const Executor::Ended& ended, std::uint64_t bytes_out) {
  if (std::exchange(noted_, true)) return;
  executor_.note(call_->caller(), tool_, std::move(shown_), ended,
                 {.bytes_in = bytes_in_,
                  .bytes_out = bytes_out,
                  .took = executor_.services_.clock.monotonic() - began_});
}

Result<Reply> Executor::run(const Caller& caller, std::string_view tool, json::Value arguments,
                            ByteView body, std::stop_token stop) {
  return run(caller, *TRY(table_.find(tool)), std::move(arguments), body, std::move(stop));
}

Result<Reply> Executor::run(const Caller& caller, const Tool& tool, json::Value arguments,
                            ByteView body, std::stop_token stop) {
  Course course(*this, caller, tool, std::move(arguments), body, std::move(stop));
  TRY(course.admit());
  auto reply = TRY(course.step([&](Call& call, Arguments& given) -> Result<Reply> {
    if (tool.run) return tool.run(call, given);
    return fail(Code::kBadRequest, "{} takes a streamed body", tool.name);
  }));
  course.done(size_of(reply));
  return course.told(std::move(reply));
}

// Where it was tried: in the realm of whoever it is about, if that is known.
void Executor::note_opened(const Issuing& about, const Error* error) {
  const auto outcome = outcome_of(error);
  meter_.called(about.operation, outcome, services_.clock.monotonic() - about.began);
  if (!about.realm || !about.delegate) return;
  AuditEntry entry;
  entry.time = services_.clock.now();
  entry.delegate = *about.delegate;
  entry.entrance = name(about.entrance);
  entry.tool = about.operation;
  entry.context = about.context;
  entry.outcome = outcome;
  if (error != nullptr) entry.message = logged(error->message);
  entry.request = about.request;
  services_.audit.record(*about.realm, std::move(entry),
                         error == nullptr ? AuditLog::When::kNow : AuditLog::When::kSoon);
}

Result<json::Object> Executor::note_issued(Issuing about, Result<CreatedDelegate> issued) {
  if (issued) {
    about.realm = issued->delegate.realm;
    about.delegate = issued->delegate.id;
  }
  note_opened(about, error_of(issued));
  if (!issued) return Failure(std::move(issued).error());
  return render_issued(*issued);
}

Result<OpenedSignIn> Executor::note_sign_in(Issuing about, Result<OpenedSignIn> opened) {
  if (opened) {
    about.realm = opened->sign_in.realm;
    about.delegate = DelegateId::from_bytes(about.realm->bytes());
  }
  note_opened(about, error_of(opened));
  return opened;
}

Result<json::Object> Executor::refresh(std::string_view refresh_token, Entrance entrance,
                                       std::string_view request) {
  Issuing about{.operation = "refresh",
                .entrance = entrance,
                .began = services_.clock.monotonic(),
                .request = std::string(request)};
  auto issued = services_.delegates.refresh(refresh_token);
  // A token that was used twice is the sign of a theft: whose it was is what the log is for.
  if (!issued) {
    if (const auto of = services_.delegates.bearer_of(refresh_token)) {
      about.realm = of->realm;
      about.delegate = of->delegate;
    }
  }
  return note_issued(std::move(about), std::move(issued));
}

Result<User> Executor::known_user(std::string_view user, std::string_view password,
                                  std::string_view address, Issuing& about) {
  const auto whose = services_.users.find(user);
  if (whose) {
    about.realm = whose->id;
    about.delegate = DelegateId::from_bytes(whose->id.bytes());
  }
  TRY(services_.password_limits.begin(user, address, whose.has_value()));
  auto known = TRY(services_.users.sign_in(user, password));
  services_.password_limits.succeeded(user, address);
  if (known.role == Role::kUnauthorized) return not_authorised();
  return known;
}

Result<json::Object> Executor::sign_in(std::string_view user, std::string_view password,
                                       std::string_view address, Entrance entrance,
                                       std::string_view request) {
  Issuing about{.operation = "sign_in",
                .entrance = entrance,
                .began = services_.clock.monotonic(),
                .request = std::string(request),
                .context = shown(address)};
  auto issue = [&]() -> Result<CreatedDelegate> {
    const auto known = TRY(known_user(user, password, address, about));
    auto root = TRY(services_.delegates.root(known.id));
    return CreatedDelegate{root, TRY(services_.delegates.issue(root))};
  };
  auto issued = issue();
  return note_issued(std::move(about), std::move(issued));
}

Result<OpenedSignIn> Executor::open_sign_in(std::string_view user, std::string_view password,
                                            const BrowserSeen& from) {
  Issuing about{.operation = "sign_in",
                .entrance = Entrance::kRest,
                .began = services_.clock.monotonic(),
                .context = shown(from.address)};
  auto open = [&]() -> Result<OpenedSignIn> {
    const auto known = TRY(known_user(user, password, from.address, about));
    return services_.sign_ins.open(known, SignInBy::kPassword, from);
  };
  auto opened = open();
  return note_sign_in(std::move(about), std::move(opened));
}

Result<OpenedSignIn> Executor::open_sign_in(std::string_view ticket, const BrowserSeen& from) {
  Issuing about{.operation = "sign_in_by_link",
                .entrance = Entrance::kRest,
                .began = services_.clock.monotonic(),
                .context = shown(from.address)};
  auto open = [&]() -> Result<OpenedSignIn> {
    auto opened = TRY(services_.sign_ins.redeem(ticket, from));
    if (TRY(services_.users.role_of(opened.sign_in.realm)) != Role::kUnauthorized) return opened;
    return not_authorised();
  };
  return note_sign_in(std::move(about), open());
}

Result<OpenedSignIn> Executor::open_sign_in_of(const RealmId& realm, const BrowserSeen& from) {
  Issuing about{.operation = "sign_in_by_provider",
                .entrance = Entrance::kRest,
                .began = services_.clock.monotonic(),
                .context = shown(from.address),
                .realm = realm,
                .delegate = DelegateId::from_bytes(realm.bytes())};
  auto open = [&]() -> Result<OpenedSignIn> {
    const auto user = TRY(services_.users.get(realm));
    if (user.role == Role::kUnauthorized) return not_authorised();
    return services_.sign_ins.open(user, SignInBy::kProvider, from);
  };
  return note_sign_in(std::move(about), open());
}

const DelegateId& shares_with(const Caller& caller) {
  const auto* branch = caller.session().branch();
  return branch == nullptr ? caller.session().chain.back()->id : branch->id;
}

Share share_of(const Caller& caller) {
  return {.group = std::string(caller.session().realm.bytes()),
          .who = std::string(shares_with(caller).bytes())};
}

bool runs_here(const Caller& caller, const Tool& tool, const json::Object* arguments) {
  return caller.session().rights.realm_wide() && tool.is_quick(arguments);
}

}  // namespace cairn
