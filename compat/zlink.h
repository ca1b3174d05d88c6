/* SPDX-License-Identifier: MPL-2.0
 *
 * zlink.h - the header's place in zlink 1.x: it stands in zlink/zlink.h.
 */
#ifndef ZLINK_H_FORWARDS
#define ZLINK_H_FORWARDS

#include "zlink/zlink.h"

#endif
