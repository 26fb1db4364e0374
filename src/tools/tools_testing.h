// What the tests of this folder share: a realm in memory with one depot, and callers with the
// rights that a test gives them.
//
//   put("a.txt", "1");
//   const auto reader = delegate({{"name", "reader"}});
//   EXPECT_THAT(refused(reader, "fs_rm", {{"nodeKey", depot_}, {"path", "a.txt"}}),
//               Says(Code::kUploadNotAllowed, "canUpload"));
//
// Some rules hold for every call, and are checked with every one: an answer is of the shape its
// tool says and has the size an agent can take, and a call that is refused leaves the depot as it
// was.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/json/schema.h"
#include "data/tree/change.h"
#include "tools/engine/engine.h"

namespace cairn {

inline void PrintTo(const Error& error, std::ostream* out) { *out << error.render(); }

namespace tools_testing {

// An error with this code, whose message has this in it.
MATCHER_P2(Says, code, text,
           std::string(info(code).name) + " saying '" + ::testing::PrintToString(text) + "'") {
  return arg.code == code && arg.message.contains(text);
}

// The member of an answer, as a text.
inline std::string text(const json::Object& answer, std::string_view name) {
  const auto* found = json::find(answer, name);
  return found == nullptr ? std::string() : std::string(json::text(*found));
}

inline bool is_true(const json::Object& answer, std::string_view name) {
  const auto* found = json::find(answer, name);
  return found != nullptr && found->is_bool() && found->get_bool();
}

// A member of each row of a list.
inline std::vector<std::string> column(const json::Object& answer, std::string_view list,
                                       std::string_view name) {
  std::vector<std::string> out;
  for (const auto& row : answer.at(list).as_array()) {
    out.emplace_back(json::text(row.as_object().at(name)));
  }
  return out;
}

// Every page of a tool's answers, until there is no cursor for another.
template <typename CallPage>
std::vector<json::Object> all_pages(json::Object arguments, CallPage call) {
  std::vector<json::Object> out;
  while (out.size() < 1000) {
    out.push_back(call(arguments));
    const auto* next = json::find(out.back(), "nextCursor");
    if (next == nullptr || !next->is_string()) break;
    arguments["cursor"] = *next;
  }
  return out;
}

class ToolTest : public ::testing::Test {
 protected:
  // About kAnswerBytes, with what stands around the rows.
  static constexpr std::size_t kMostBytes = 64'000;

  explicit ToolTest(const EngineOptions& options = {})
      : engine_(std::move(*Engine::in_memory(clock_, random_, meter_, options))),
        owner_(*engine_->executor().trusted(engine_->owner(), Entrance::kMcp)) {
    depot_ = text(call("create_depot", {{"title", "d"}}), "depotId");
  }

  Executor& executor() { return engine_->executor(); }
  Realm& realm() { return engine_->services().realms.get(engine_->owner()); }
  const Tool& tool(std::string_view name) { return *executor().table().find(name).value(); }

  // The answer of a call that has to succeed.
  json::Object call(const Caller& caller, std::string_view name, const json::Object& arguments,
                    ByteView body = {}) {
    auto reply = executor().run(caller, name, json::Value(arguments), body);
    EXPECT_TRUE(reply) << name << ": " << (reply ? "" : reply.error().render());
    if (!reply || !reply->value.is_object()) return {};
    check_answer(caller, tool(name), reply->value);
    return std::move(reply->value.get_object());
  }
  json::Object call(std::string_view name, const json::Object& arguments) {
    return call(owner_, name, arguments);
  }

  // The rows of a call that has to succeed, with the summary as the last.
  std::vector<json::Object> rows(const Caller& caller, std::string_view name,
                                 const json::Object& arguments) {
    auto stream = executor().stream(caller, tool(name), json::Value(arguments));
    EXPECT_TRUE(stream) << name << ": " << (stream ? "" : stream.error().render());
    std::vector<json::Object> out;
    while (stream) {
      auto portion = (*stream)->next();
      EXPECT_TRUE(portion) << name << ": " << (portion ? "" : portion.error().render());
      if (!portion || !*portion) break;
      EXPECT_LE(json::write(json::Value(**portion)).size(), kMostBytes) << name;
      for (auto& row : **portion) out.push_back(std::move(row.as_object()));
    }
    return out;
  }

  // The error of a call that has to fail. Whatever is wrong with it, the depot stays as it is.
  Error refused(const Caller& caller, std::string_view name, const json::Object& arguments,
                ByteView body = {}) {
    const auto before = root_if_any();
    auto reply = executor().run(caller, name, json::Value(arguments), body);
    EXPECT_FALSE(reply) << name << " " << json::write(json::Value(arguments)).substr(0, 500);
    EXPECT_EQ(root_if_any(), before) << name << " was refused and changed the depot";
    return reply ? Error(Code::kInternal, "") : std::move(reply).error();
  }
  Error refused(std::string_view name, const json::Object& arguments) {
    return refused(owner_, name, arguments);
  }

  // A delegate of the owner's, or of another, made with these arguments of create_delegate.
  Caller delegate(const json::Object& wanted) { return delegate(owner_, wanted); }
  Caller delegate(const Caller& parent, const json::Object& wanted) {
    return with_token(text(call(parent, "create_delegate", wanted), "accessToken"));
  }
  Caller with_token(std::string_view token) {
    return executor().authenticate(token, "me", Entrance::kMcp).value();
  }
  // One that may write, and sees one directory of the depot as if it were all of it.
  Caller writer_in(std::string_view directory) {
    return delegate(
        {{"canUpload", true}, {"scope", json::Array{fmt::format("{}/{}", depot_, directory)}}});
  }
  static std::string id_of(const Caller& caller) { return caller.session().who().id.render(); }
  // Another user, with a realm of its own.
  Caller another_user(std::string_view name) {
    const auto made = call("add_user", {{"name", name}});
    return executor().trusted(RealmId::parse(text(made, "userId")).value(), Entrance::kMcp).value();
  }

  // A file written from what the depot has now, or from a root; not committed.
  std::string write(std::string_view path, std::string_view content, std::string_view from = {}) {
    return text(
        call("fs_write",
             {{"nodeKey", from.empty() ? depot_ : from}, {"path", path}, {"content", content}}),
        "newRoot");
  }
  json::Object commit(std::string_view root, std::string_view message = "a change") {
    return call("depot_commit", {{"depotId", depot_}, {"root", root}, {"message", message}});
  }
  void put(std::string_view path, std::string_view content) { commit(write(path, content)); }
  // Many at once, without a call for each; bytes of any kind.
  void put_all(const std::vector<std::pair<std::string, std::string>>& files) {
    const auto start = realm().get_depot(DepotId::parse(depot_).value())->root;
    Stage stage(realm().nodes());
    Changed change{.root = stage.get(start).value(), .linked = {}};
    for (const auto& [path, content] : files) {
      change.root =
          cairn::write(stage, change.root, Path::parse(path).value(), content).value().root;
    }
    ASSERT_TRUE(realm().save(stage, change, start, Place(DepotId::parse(depot_).value())));
    commit(change.root->key().render());
  }

  std::string root() { return root_if_any().value(); }
  std::string content(std::string_view path) { return content_at(depot_, path); }
  std::string content_at(std::string_view node, std::string_view path) {
    return text(call("fs_read", {{"nodeKey", node}, {"path", path}}), "content");
  }
  bool exists(std::string_view node, std::string_view path) {
    return executor()
        .run(owner_, "fs_stat", json::Object{{"nodeKey", node}, {"path", path}})
        .has_value();
  }
  std::int64_t node_count() { return call("get_usage", {}).at("nodeCount").to_number<int>(); }

  ManualClock clock_;
  SeededRandom random_{1};
  NoMeter meter_;
  std::unique_ptr<Engine> engine_;
  Caller owner_;
  std::string depot_;

 private:
  std::optional<std::string> root_if_any() {
    const auto id = DepotId::parse(depot_);
    if (!id) return std::nullopt;
    const auto found = realm().get_depot(*id);
    if (!found) return std::nullopt;
    return found->root.render();
  }
  static void check_answer(const Caller& caller, const Tool& tool, const json::Value& value) {
    const auto fits = json::Schema::compile(tool.output).value().check(value);
    EXPECT_TRUE(fits) << tool.name << ": " << (fits ? "" : fits.error().render());
    if (tool.audience != Audience::kAgents || caller.entrance() != Entrance::kMcp) return;
    EXPECT_LE(json::write(value).size(), kMostBytes) << tool.name;
  }
};

}  // namespace tools_testing
}  // namespace cairn
