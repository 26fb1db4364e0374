#include "exposure/agent/outcome.h"

#include <algorithm>

#include "base/quote.h"
#include "tools/workspace/file_errors.h"

namespace cairn::agent {
namespace {

// As much of a list in an error as is worth reading.
constexpr std::size_t kMaxListBytes = 20'000;

json::Value shortened(const std::vector<std::string>& items, std::size_t& left_out) {
  json::Array out;
  std::size_t bytes = 0;
  for (const auto& item : items) {
    bytes += item.size() + 3;
    if (bytes > kMaxListBytes && !out.empty()) break;
    out.emplace_back(item);
  }
  left_out = items.size() - out.size();
  return out;
}

}  // namespace

json::Object render_details(const Error& error) {
  json::Object out;
  for (const auto& [name, detail] : error.details) {
    if (const auto* text = std::get_if<std::string>(&detail)) {
      out[name] = *text;
    } else if (const auto* number = std::get_if<std::int64_t>(&detail)) {
      out[name] = *number;
    } else if (const auto* list = std::get_if<std::vector<std::string>>(&detail)) {
      std::size_t left_out = 0;
      out[name] = shortened(*list, left_out);
      if (left_out > 0) out[name + "LeftOut"] = left_out;
    }
    // Rows are for programs: the message says in words what is in them.
  }
  return out;
}

namespace {

json::Array text_content(std::string text) {
  json::Object block;
  block["type"] = "text";
  block["text"] = std::move(text);
  json::Array content;
  content.emplace_back(std::move(block));
  return content;
}

std::string error_text(const Error& error) {
  auto text = fmt::format("Error: {} — {}", error.name(), error.message);
  if (!error.details.empty()) {
    text += '\n';
    json::write(text, render_details(error));
  }
  return text;
}

mcp::ToolOutcome failed(Voice voice, const Error& error) {
  mcp::ToolOutcome out;
  out.is_error = true;
  switch (voice) {
    case Voice::kCairn:
    case Voice::kOutsider:
      out.content = text_content(error_text(error));
      break;
    case Voice::kReference:
      out.content = text_content(work::reference_error(error));
      break;
    case Voice::kManual: {
      json::Object told{{"success", false}, {"error", work::manual_error(error)}};
      out.content = text_content(json::write(json::Value(told)));
      out.structured = std::move(told);
      break;
    }
  }
  return out;
}

// Codes for something that is not there, or not for the caller to see.
constexpr Code kNotThere[] = {Code::kPathNotFound, Code::kNotADirectory, Code::kNodeNotFound,
                              Code::kNodeNotAuthorized, Code::kDepotNotFound};
// Codes for a request that cannot be answered as it was asked.
constexpr Code kAskedWrong[] = {Code::kInvalidArgument, Code::kInvalidPath,   Code::kInvalidKey,
                                Code::kAmbiguousKey,    Code::kInvalidCursor, Code::kFileTooLarge,
                                Code::kNotAFile,        Code::kBadRequest};

int rpc_code_of(Code code) {
  if (std::ranges::count(kNotThere, code) > 0) return mcp::rpc_code::kResourceNotFound;
  if (std::ranges::count(kAskedWrong, code) > 0) return mcp::rpc_code::kInvalidParams;
  return mcp::rpc_code::kInternal;
}

}  // namespace

mcp::ToolOutcome outcome_of(const Tool& tool, Result<Reply> reply) {
  if (!reply) return failed(tool.voice, reply.error());
  mcp::ToolOutcome out;
  out.content =
      reply->content ? std::move(*reply->content) : text_content(json::write(reply->value));
  out.structured = std::move(reply->value);
  return out;
}

mcp::RpcError rpc_error(const Error& error, json::Object data) {
  data["code"] = error.name();
  return {rpc_code_of(error.code), error.message, std::move(data)};
}

mcp::RpcError resource_error(std::string_view uri, const Error& error) {
  json::Object data;
  data["uri"] = uri;
  auto out = rpc_error(error, std::move(data));
  // Of paths the caller may know what is there instead; of all else, nothing.
  const bool of_path = error.code == Code::kPathNotFound || error.code == Code::kNotADirectory;
  if (out.code == mcp::rpc_code::kResourceNotFound && !of_path) {
    out.message = fmt::format("there is no resource {} that you may read", shown(uri));
    out.data.as_object().erase("code");
  }
  return out;
}

}  // namespace cairn::agent
