// JSON-RPC 2.0 messages as MCP uses them.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "data/json/json.h"

namespace cairn::mcp {

namespace rpc_code {
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternal = -32603;
inline constexpr int kRateLimited = -32000;
inline constexpr int kResourceNotFound = -32002;  // legacy; modern clients get kInvalidParams
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedRevision = -32022;
}  // namespace rpc_code

struct RpcError {
  int code = rpc_code::kInternal;
  std::string message;
  json::Value data = nullptr;  // null: none
};

template <typename T>
using Rpc = std::expected<T, RpcError>;

inline std::unexpected<RpcError> rpc_fail(int code, std::string message,
                                          json::Value data = nullptr) {
  return std::unexpected(RpcError{code, std::move(message), std::move(data)});
}

// A request's id: a text or an integer; null only in the answer to what had none that could be
// read.
using RpcId = json::Value;

struct Request {
  RpcId id;
  std::string method;
  json::Object params;
};

struct Notification {
  std::string method;
  json::Object params;
};

// The client's answer to a request of the server.
struct Response {
  RpcId id;
  std::expected<json::Object, RpcError> outcome;
};

using Message = std::variant<Request, Notification, Response>;

// The fault of a message, and its id as far as it could be read.
struct BadMessage {
  RpcId id;
  RpcError error;
};

std::expected<Message, BadMessage> read_message(json::Value value);

std::string write_result(const RpcId& id, const json::Object& result);
std::string write_error(const RpcId& id, const RpcError& error);
std::string write_request(const RpcId& id, std::string_view method, const json::Object& params);
std::string write_notification(std::string_view method, const json::Object& params);

}  // namespace cairn::mcp
