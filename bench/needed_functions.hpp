// Functions of the library that is measured, by their names.
#pragma once

#include <string>

#include "bench/library.hpp"
#include "bench/roles.hpp"

namespace zlink::bench {

struct needed_functions
{
    const library &from;

    // Ends the process when there is none of that name.
    template <class Function> void operator() (const char *name, Function *&to) const
    {
        to = reinterpret_cast<Function *> (from.find (name));
        if (to == nullptr)
            fail (from.path + " has no " + name);
    }
};

}  // namespace zlink::bench
