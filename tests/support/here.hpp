// Which surroundings the tests of this program have.
#pragma once

#include "support/machine.hpp"
#include "support/surroundings.hpp"

namespace zlink::test {

// Set, before the first test, by a program whose tests live elsewhere.
inline surroundings *elsewhere = nullptr;

[[nodiscard]] inline surroundings &here ()
{
    static machine own;
    return elsewhere != nullptr ? *elsewhere : own;
}

}  // namespace zlink::test
