#include "exposure/mcp/server_exchange.h"

#include <array>
#include <utility>

#include "base/result.h"

namespace cairn::mcp {
namespace {

constexpr std::array<std::string_view, 8> kLevels = {"debug", "info",     "notice", "warning",
                                                     "error", "critical", "alert",  "emergency"};

// `elicitation/create` → `elicitation`.
std::string_view capability_for(std::string_view method) {
  return method.substr(0, method.find('/'));
}

}  // namespace

std::string_view name(LogLevel level) { return kLevels.at(static_cast<std::size_t>(level)); }

std::optional<LogLevel> parse_log_level(std::string_view text) {
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (kLevels.at(i) == text) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

ServerExchange::ServerExchange(Peer& peer, std::shared_ptr<Channel> channel, std::stop_token stop,
                               Terms terms)
    : peer_(peer),
      channel_(std::move(channel)),
      stop_(std::move(stop)),
      terms_(std::move(terms)),
      principal_(peer.principal()) {
  const auto* token = json::find(meta_of(terms_.params), "progressToken");
  if (token != nullptr && (token->is_string() || token->is_int64() || token->is_uint64())) {
    progress_token_ = *token;
  }
}

void ServerExchange::progress(double done, std::optional<double> total, std::string_view message) {
  if (progress_token_.is_null() || stop_.stop_requested()) return;
  if (last_progress_ && done <= *last_progress_) return;
  last_progress_ = done;
  json::Object params{{"progressToken", progress_token_}, {"progress", done}};
  if (total) params["total"] = *total;
  if (!message.empty() && terms_.revision >= Revision::k2025_03_26) params["message"] = message;
  channel_->send(write_notification("notifications/progress", params));
}

void ServerExchange::log(LogLevel level, std::string_view logger, json::Value data) {
  if (!terms_.log_level || level < *terms_.log_level || stop_.stop_requested()) return;
  json::Object params{{"level", name(level)}, {"data", std::move(data)}};
  if (!logger.empty()) params["logger"] = logger;
  channel_->send(write_notification("notifications/message", params));
}

Rpc<void> ServerExchange::check_can_be_asked(const Question& question) const {
  const auto capability = capability_for(question.method);
  if (terms_.capabilities.contains(capability)) return {};
  return rpc_fail(
      is_modern(terms_.revision) ? rpc_code::kMissingCapability : rpc_code::kInvalidRequest,
      fmt::format("this needs a client that has declared '{}'", capability),
      json::Object{{"requiredCapabilities", json::Object{{capability, json::Object()}}}});
}

const json::Object* ServerExchange::given_answer(std::string_view key) const {
  const auto* all = json::find(terms_.params, "inputResponses");
  if (all == nullptr || !all->is_object()) return nullptr;
  const auto* one = json::find(all->get_object(), key);
  return one != nullptr && one->is_object() ? &one->get_object() : nullptr;
}

Rpc<std::optional<std::vector<json::Object>>> ServerExchange::ask(
    std::span<const Question> questions) {
  std::vector<json::Object> answers;
  for (const Question& question : questions) TRY(check_can_be_asked(question));
  if (!is_modern(terms_.revision)) {
    for (const Question& question : questions) {
      answers.push_back(TRY(peer_.ask(*channel_, question.method, question.params, stop_)));
    }
    return answers;
  }
  for (const Question& question : questions) {
    if (const auto* given = given_answer(question.key)) {
      answers.push_back(*given);
    } else {
      unanswered_[question.key] =
          json::Object{{"method", question.method}, {"params", question.params}};
    }
  }
  if (answers.size() < questions.size()) return std::nullopt;
  return answers;
}

void ServerExchange::close_stream(std::chrono::milliseconds retry) {
  if (terms_.revision != Revision::k2025_11_25) return;
  if (auto* closable = dynamic_cast<ClosableChannel*>(channel_.get())) {
    closable->close_connection(retry);
  }
}

}  // namespace cairn::mcp
