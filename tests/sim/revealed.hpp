// Private members, for tests that look inside: access rules do not hold for
// the arguments of an explicit instantiation. To reveal one:
//   struct lock_of { friend constexpr auto reveal (lock_of) noexcept; };
//   template struct revealed<lock_of, &thing::lock_>;
// and then: object.*reveal (lock_of{}).
#pragma once

namespace zlink::sim {

template <class Tag, auto Member> struct revealed
{
    friend constexpr auto reveal (Tag) noexcept { return Member; }
};

}  // namespace zlink::sim
