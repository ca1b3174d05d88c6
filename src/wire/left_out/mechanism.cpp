// Instead of mechanism and the mechanisms, in a minimal library: NULL is all.
// Chosen by src/wire/CMakeLists.txt; contracts are those of wire/mechanism.hpp.
#include "wire/mechanism.hpp"
#include "wire/zap.hpp"

namespace zlink::wire {

std::unique_ptr<mechanism> make_mechanism (const security &, base::entropy *, std::vector<std::byte>)
{
    return nullptr;
}

bool has_mechanism (mechanism_kind kind) noexcept { return kind == mechanism_kind::null; }

std::string_view zap_status_meaning (int) noexcept { return {}; }

std::string_view unguarded_text (bool) noexcept { return {}; }

std::string_view bad_password_text () noexcept { return {}; }

}  // namespace zlink::wire
