#include "exposure/mcp/bridge/relay.h"

namespace cairn::mcp {

std::string one_line(std::string_view text, const json::Value& message) {
  if (text.find_first_of("\r\n") != std::string_view::npos) return json::write(message);
  return std::string(text);
}

void Relay::to_client(std::string_view text, const json::Object& message) {
  if (const auto* id = json::find(message, "id")) {
    auto key = json::write(*id);
    auto questions = questions_.lock();
    if (questions->over) return refuse_question(key);
    questions->open.insert(std::move(key));
  }
  out_.send(one_line(text, message));
}

void Relay::to_server(std::string message) {
  lane_.run([this, message = std::move(message)] { deliver(message); });
}

void Relay::deliver(std::string_view message) {
  auto link = links_.current();
  for (int attempt = 0; attempt < 2 && link->session; ++attempt) {
    const auto outcome = link->upstream->send(
        {.body = message, .headers = link->headers(), .stop = ending_}, [](auto) {});
    const bool unreachable = !outcome && !outcome.error().sent;
    if (!unreachable && (!outcome || outcome->status != 404)) return;
    auto repaired = links_.repair(
        link, unreachable ? Links::Trouble::kUnreachable : Links::Trouble::kSessionGone, ending_);
    if (!repaired) return;
    link = std::move(*repaired);
  }
}

void Relay::answered(const RpcId& id) { questions_.lock()->open.erase(json::write(id)); }

void Relay::client_left() {
  auto questions = questions_.lock();
  questions->over = true;
  for (const auto& id : questions->open) refuse_question(id);
  questions->open.clear();
}

void Relay::refuse_question(std::string_view id) {
  auto value = json::parse(id);
  if (!value) return;
  to_server(write_error(*value, {rpc_code::kInternal, "the client has left"}));
}

}  // namespace cairn::mcp
