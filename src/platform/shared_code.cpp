#include "platform/shared_code.hpp"

#include <cstring>
#include <string_view>

#include <dlfcn.h>

namespace zlink::platform {

using base::errc;
using base::result;

namespace {

constexpr std::size_t path_bytes_max = 4'096;

// Null: it is not there. What lies beside us belongs to us.
void *load_beside (const char *file) noexcept
{
    Dl_info here;
    if (::dladdr (reinterpret_cast<void *> (&load_beside), &here) == 0 || here.dli_fname == nullptr)
        return nullptr;
    const std::string_view us (here.dli_fname);
    const std::size_t slash = us.rfind ('/');
    std::array<char, path_bytes_max> path;
    if (slash == std::string_view::npos || slash + 1 + std::strlen (file) >= path.size ())
        return nullptr;
    us.copy (path.data (), slash + 1);
    std::memcpy (path.data () + slash + 1, file, std::strlen (file) + 1);
    return ::dlopen (path.data (), RTLD_NOW | RTLD_LOCAL);
}

void note_complaint (load_complaint &why) noexcept
{
    const char *const text = ::dlerror ();
    const std::string_view said = text == nullptr ? std::string_view () : std::string_view (text);
    why[said.copy (why.data (), why.size () - 1)] = '\0';
}

}  // namespace

result<void *> function_of_library (const char *file, const char *name, load_complaint &why) noexcept
{
    void *library = load_beside (file);
    if (library == nullptr)
        library = ::dlopen (file, RTLD_NOW | RTLD_LOCAL);
    void *const found = library == nullptr ? nullptr : ::dlsym (library, name);
    if (found == nullptr) {
        note_complaint (why);
        return errc::no_such_file;
    }
    return found;
}

}  // namespace zlink::platform
