#include "data/oauth/requests.h"

#include "data/oauth/record.h"

namespace cairn::oauth {
namespace {

Scopes scopes_of(const json::Object& record) {
  return parse_scopes(text_of(record, "scopes")).value_or(Scopes{});
}

}  // namespace

Bytes encode(const StoredRequest& request) {
  json::Object out{{"client", request.client_id},  {"issuer", request.issuer},
                   {"redirect", request.redirect}, {"challenge", request.challenge},
                   {"resource", request.resource}, {"scopes", request.scopes.render()},
                   {"device", request.device},     {"iss", request.with_iss}};
  if (request.state) out["state"] = *request.state;
  return write_record(out);
}

Result<StoredRequest> decode_request(ByteView value) {
  const auto record = TRY(read_record(value, "an OAuth request"));
  StoredRequest out;
  out.client_id = text_of(record, "client");
  out.issuer = text_of(record, "issuer");
  out.redirect = text_of(record, "redirect");
  if (record.contains("state")) out.state = text_of(record, "state");
  out.challenge = text_of(record, "challenge");
  out.resource = text_of(record, "resource");
  out.scopes = scopes_of(record);
  out.device = text_of(record, "device");
  out.with_iss = flag_of(record, "iss");
  return out;
}

Bytes encode(const StoredCode& code) {
  json::Object out{{"client", code.client_id},          {"issuer", code.issuer},
                   {"redirect", code.redirect},         {"challenge", code.challenge},
                   {"resource", code.resource},         {"realm", code.realm.render()},
                   {"delegate", code.delegate.render()}};
  if (code.used_at) out["usedAt"] = *code.used_at;
  return write_record(out);
}

Result<StoredCode> decode_code(ByteView value) {
  const auto record = TRY(read_record(value, "an authorization code"));
  StoredCode out;
  out.client_id = text_of(record, "client");
  out.issuer = text_of(record, "issuer");
  out.redirect = text_of(record, "redirect");
  out.challenge = text_of(record, "challenge");
  out.resource = text_of(record, "resource");
  out.realm = TRY(RealmId::parse(text_of(record, "realm")));
  out.delegate = TRY(DelegateId::parse(text_of(record, "delegate")));
  out.used_at = maybe_number_of(record, "usedAt");
  return out;
}

Bytes encode(const StoredDevice& device) {
  json::Object out{{"client", device.client_id},
                   {"issuer", device.issuer},
                   {"resource", device.resource},
                   {"scopes", device.scopes.render()},
                   {"code", device.user_code},
                   {"address", device.address},
                   {"state", std::string(1, static_cast<char>(device.state))},
                   {"polledAt", device.polled_at},
                   {"interval", device.interval},
                   {"used", device.used}};
  if (device.realm) out["realm"] = device.realm->render();
  if (device.delegate) out["delegate"] = device.delegate->render();
  return write_record(out);
}

Result<StoredDevice> decode_device(ByteView value) {
  const auto record = TRY(read_record(value, "a device's request"));
  StoredDevice out;
  out.client_id = text_of(record, "client");
  out.issuer = text_of(record, "issuer");
  out.resource = text_of(record, "resource");
  out.scopes = scopes_of(record);
  out.user_code = text_of(record, "code");
  out.address = text_of(record, "address");
  const auto state = text_of(record, "state");
  out.state = state == "a"   ? StoredDevice::State::kAllowed
              : state == "w" ? StoredDevice::State::kWaiting
                             : StoredDevice::State::kDenied;
  out.polled_at = number_of(record, "polledAt");
  out.interval = number_of(record, "interval");
  out.used = flag_of(record, "used");
  if (record.contains("realm")) out.realm = TRY(RealmId::parse(text_of(record, "realm")));
  if (record.contains("delegate")) {
    out.delegate = TRY(DelegateId::parse(text_of(record, "delegate")));
  }
  return out;
}

}  // namespace cairn::oauth
