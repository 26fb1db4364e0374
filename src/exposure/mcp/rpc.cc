#include "exposure/mcp/rpc.h"

#include <utility>

#include "base/quote.h"

namespace cairn::mcp {
namespace {

// It is kept for as long as the request is answered, which may be for ever.
constexpr std::size_t kMaxIdBytes = 1000;

// No fractions: two spellings of one number would be two ids.
bool is_id(const json::Value& value) {
  if (value.is_string()) return value.get_string().size() <= kMaxIdBytes;
  return value.is_int64() || value.is_uint64();
}

std::unexpected<BadMessage> bad(RpcId id, std::string message) {
  return std::unexpected(
      BadMessage{std::move(id), RpcError{rpc_code::kInvalidRequest, std::move(message)}});
}

std::expected<Message, BadMessage> read_response(RpcId id, json::Object& object) {
  Response response{std::move(id), json::Object()};
  if (auto* result = object.if_contains("result")) {
    if (result->is_object()) {
      response.outcome = std::move(result->get_object());
    } else {
      // The question was answered, if badly: whoever asked it must not wait on.
      response.outcome =
          std::unexpected(RpcError{rpc_code::kInternal, "the client's result is not an object"});
    }
    return response;
  }
  auto* error = object.if_contains("error");
  if (error == nullptr || !error->is_object()) {
    return bad(response.id, "a message needs a 'method', a 'result' or an 'error'");
  }
  const auto* code = json::find(error->get_object(), "code");
  const auto* message = json::find(error->get_object(), "message");
  response.outcome = std::unexpected(
      RpcError{code != nullptr && code->is_int64() ? static_cast<int>(code->get_int64())
                                                   : rpc_code::kInternal,
               std::string(message != nullptr ? json::text(*message) : "")});
  return response;
}

// {"jsonrpc":"2.0","id":ID, with what follows still to come.
std::string opening(const RpcId& id) {
  std::string out = R"({"jsonrpc":"2.0","id":)";
  json::write(out, id);
  return out;
}

}  // namespace

std::expected<Message, BadMessage> read_message(json::Value value) {
  if (!value.is_object()) return bad(nullptr, "a message has to be a JSON object");
  auto& object = value.get_object();
  const auto* given_id = json::find(object, "id");
  // Read first: an error about the rest can still be told to the right request.
  RpcId id = given_id != nullptr && is_id(*given_id) ? *given_id : RpcId(nullptr);
  const auto* version = json::find(object, "jsonrpc");
  if (version == nullptr || json::text(*version) != "2.0") {
    return bad(std::move(id), R"('jsonrpc' has to be "2.0")");
  }
  if (given_id != nullptr && !is_id(*given_id)) {
    return bad(nullptr,
               fmt::format("'id' has to be a text of at most {} bytes or an integer", kMaxIdBytes));
  }
  auto* method = object.if_contains("method");
  if (method == nullptr) {
    if (given_id == nullptr) return bad(nullptr, "a message needs a 'method' or an 'id'");
    return read_response(std::move(id), object);
  }
  if (!method->is_string()) return bad(std::move(id), "'method' has to be a text");
  json::Object params;
  if (auto* given = object.if_contains("params")) {
    if (!given->is_object()) return bad(std::move(id), "'params' has to be an object");
    params = std::move(given->get_object());
  }
  std::string method_name(json::text(*method));
  if (given_id == nullptr) return Notification{std::move(method_name), std::move(params)};
  return Request{std::move(id), std::move(method_name), std::move(params)};
}

std::string write_result(const RpcId& id, const json::Object& result) {
  std::string out = opening(id);
  out += R"(,"result":)";
  json::write(out, result);
  out += '}';
  return out;
}

std::string write_error(const RpcId& id, const RpcError& error) {
  json::Object body{{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) body["data"] = error.data;
  std::string out = opening(id);
  out += R"(,"error":)";
  json::write(out, body);
  out += '}';
  return out;
}

std::string write_request(const RpcId& id, std::string_view method, const json::Object& params) {
  json::Object message{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
  return json::write(message);
}

std::string write_notification(std::string_view method, const json::Object& params) {
  json::Object message{{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.empty()) message["params"] = params;
  return json::write(message);
}

}  // namespace cairn::mcp
