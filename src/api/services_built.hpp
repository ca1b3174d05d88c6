// Whether this library has registries and their like. Any thread.
#pragma once

namespace zlink::api {

[[nodiscard]] bool has_services () noexcept;

}  // namespace zlink::api
