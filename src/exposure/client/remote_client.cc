#include "exposure/client/remote_client.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "exposure/http/client.h"
#include "exposure/http/uri.h"

namespace cairn::client {
namespace {

std::optional<Detail> detail_of(const json::Value& value) {
  if (value.is_string()) return Detail(std::string(json::text(value)));
  if (value.is_int64()) return Detail(value.get_int64());
  if (!value.is_array()) return std::nullopt;
  const auto& list = value.get_array();
  if (!list.empty() && list.front().is_object()) {
    std::vector<DetailRow> rows;
    for (const auto& item : list) {
      if (!item.is_object()) return std::nullopt;
      auto& row = rows.emplace_back();
      for (const auto& member : item.get_object()) {
        if (auto field = detail_of(member.value())) row.fields.emplace(member.key(), *field);
      }
    }
    return Detail(std::move(rows));
  }
  std::vector<std::string> texts;
  for (const auto& item : value.get_array()) texts.emplace_back(json::text(item));
  return Detail(std::move(texts));
}

std::optional<Code> code_named(std::string_view name) {
  const auto codes = all_codes();
  const auto at = std::ranges::find(codes, name, &CodeInfo::name);
  if (at == codes.end()) return std::nullopt;
  return at->code;
}

// The error that a Cairn server reports; any other answer comes from something in between.
Error error_of(const http::ClientResponse& response) {
  auto body = json::parse(response.body);
  const auto* object = body ? body->if_object() : nullptr;
  const auto* name = object != nullptr ? json::find(*object, "error") : nullptr;
  const auto code = name != nullptr ? code_named(json::text(*name)) : std::nullopt;
  if (!code) {
    return Error(Code::kUnavailable,
                 fmt::format("the server answered {} and not as Cairn does; check its URL",
                             response.status));
  }
  const auto* message = json::find(*object, "message");
  Error error(*code, message != nullptr ? std::string(json::text(*message)) : std::string());
  const auto* details = json::find(*object, "details");
  if (details == nullptr || !details->is_object()) return error;
  for (const auto& member : details->get_object()) {
    if (auto detail = detail_of(member.value())) {
      error.details.insert_or_assign(std::string(member.key()), std::move(*detail));
    }
  }
  return error;
}

// From the portions of a body to its rows.
class RowReader final {
 public:
  explicit RowReader(const Client::RowSink& sink) : sink_(sink) {}

  // Fails, with whatever error, once there is enough.
  Result<void> append(ByteView portion) {
    while (!portion.empty()) {
      const auto end = portion.find('\n');
      line_ += portion.substr(0, end);
      if (end == ByteView::npos) return {};
      portion.remove_prefix(end + 1);
      TRY(take(std::exchange(line_, {})));
    }
    return {};
  }
  bool enough() const { return enough_; }
  std::optional<json::Object> take_summary() { return std::move(summary_); }

 private:
  Result<void> take(std::string_view line) {
    // Nothing yet.
    if (line.empty()) return {};
    auto row = TRY(json::parse(line));
    if (!row.is_object()) return fail(Code::kUnavailable, "the server sent a row that is none");
    auto& object = row.get_object();
    if (auto* summary = object.if_contains("summary"); summary != nullptr && summary->is_object()) {
      summary_ = std::move(summary->get_object());
      return {};
    }
    enough_ = TRY(sink_(object)) == More::kNo;
    if (enough_) return fail(Code::kUnavailable, "there is enough");
    return {};
  }

  const Client::RowSink& sink_;
  std::string line_;
  std::optional<json::Object> summary_;
  bool enough_ = false;
};

class RemoteClient final : public Client {
 public:
  RemoteClient(http::Url url, const RemoteOptions& options)
      : client_(std::move(url), client_options(options)),
        token_(options.token),
        source_(options.source),
        where_(options.where),
        tools_(options.tools) {}

  Result<json::Value> call(std::string_view tool, const json::Object& arguments) override {
    http::ClientRequest request{.method = http::Method::kPost,
                                .target = tools_ + http::percent_encode(tool),
                                .headers = {{"Content-Type", "application/json"}},
                                .body = json::write(json::Value(arguments))};
    auto response = TRY(send(std::move(request)));
    if (response.header("content-type").starts_with("application/json")) {
      return json::parse(response.body);
    }
    return fail(Code::kBadRequest, "{} gives bytes; use 'cairn cat'", shown(tool));
  }

  Result<json::Object> stream(std::string_view tool, const json::Object& arguments,
                              const RowSink& sink) override {
    RowReader rows(sink);
    http::ClientRequest request{
        .method = http::Method::kPost,
        .target = tools_ + http::percent_encode(tool),
        .headers = {{"Content-Type", "application/json"}, {"Accept", "application/x-ndjson"}},
        .body = json::write(json::Value(arguments)),
        .sink = [&](ByteView portion) { return rows.append(portion); }};
    auto sent = send(std::move(request));
    if (rows.enough()) return json::Object();
    TRY(std::move(sent));
    if (auto summary = rows.take_summary()) return std::move(*summary);
    return fail(Code::kUnavailable, "the server broke off before the end of its answer");
  }

  Result<void> read_file(std::string_view node, std::string_view path, const Sink& sink) override {
    http::ClientRequest request{.target = file_target(node, path), .sink = sink};
    TRY(send(std::move(request)));
    return {};
  }

  Result<json::Value> write_file(std::string_view node, std::string_view path,
                                 const Source& source) override {
    http::ClientRequest request{
        .method = http::Method::kPut, .target = file_target(node, path), .source = source};
    return json::parse(TRY(send(std::move(request))).body);
  }

  bool same_machine() const override { return where_ == Where::kThisMachine; }

 private:
  // Some tools take their time: a check of everything, a backup.
  static http::ClientOptions client_options(const RemoteOptions& options) {
    return {.ca_file = options.ca_file, .idle_timeout = std::chrono::minutes(30)};
  }
  static std::string file_target(std::string_view node, std::string_view path) {
    return fmt::format("/api/realm/me/nodes/fs/{}/file?path={}", http::percent_encode(node),
                       http::percent_encode(path));
  }

  Result<http::ClientResponse> send(const http::ClientRequest& request) {
    auto response = TRY(send_with(request, source_ ? TRY(source_({})) : token_));
    // A body that was made while it was sent is gone.
    if (response.status == 401 && source_ && !request.source) {
      auto other = TRY(source_(token_));
      if (other != token_) response = TRY(send_with(request, std::move(other)));
    }
    if (response.status < 300) return response;
    return Failure(error_of(response));
  }
  Result<http::ClientResponse> send_with(http::ClientRequest request, std::string token) {
    token_ = std::move(token);
    if (!token_.empty()) request.headers.emplace_back("Authorization", "Bearer " + token_);
    return client_.send(request);
  }

  http::Client client_;
  std::string token_;  // the last one, when there is a source
  http::TokenSource source_;
  Where where_;
  std::string tools_;
};

}  // namespace

Result<std::unique_ptr<Client>> open_remote(const RemoteOptions& options) {
  return std::make_unique<RemoteClient>(TRY(http::Url::parse(options.url)), options);
}

namespace {

Result<http::ClientResponse> ask(const RemoteOptions& options, const std::string& target) {
  http::Client client(TRY(http::Url::parse(options.url)),
                      {.ca_file = options.ca_file,
                       .connect_timeout = std::chrono::seconds(2),
                       .idle_timeout = std::chrono::seconds(5),
                       .max_body_bytes = 64 << 10});
  return client.send({.target = target});
}

}  // namespace

bool answers(const RemoteOptions& options) { return ask(options, "/healthz").has_value(); }

std::string asked(const RemoteOptions& options, const std::string& target,
                  std::string_view member) {
  const auto response = ask(options, target);
  const auto value = response ? json::parse(response->body) : json::Value();
  if (!value || !value->is_object()) return {};
  const auto* found = json::find(value->get_object(), member);
  return found != nullptr ? std::string(json::text(*found)) : std::string();
}

}  // namespace cairn::client
