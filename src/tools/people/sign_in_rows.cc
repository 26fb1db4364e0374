#include "tools/people/sign_in_rows.h"

#include "tools/executor/shape.h"

namespace cairn {

json::Object render_sign_in(const SignIn& sign_in) {
  return {{"signInId", sign_in.id.render()}, {"by", name(sign_in.by)},
          {"address", sign_in.from.address}, {"browser", sign_in.from.agent},
          {"openedAt", sign_in.opened_at},   {"usedAt", sign_in.used_at},
          {"endsAt", sign_in.ends_at}};
}

json::Value sign_in_shape() {
  return shape::object({{"signInId", shape::text("sgn_…")},
                        {"by", shape::choice({"password", "link", "provider"})},
                        {"address", shape::text("Where it was opened from")},
                        {"browser", shape::text("What the browser calls itself")},
                        {"openedAt", shape::integer("Milliseconds since 1970")},
                        {"usedAt", shape::integer("To within ten minutes")},
                        {"endsAt", shape::integer("If it is not used before")}});
}

}  // namespace cairn
