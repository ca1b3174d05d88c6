/* SPDX-License-Identifier: MPL-2.0
 *
 * zlink_utils.h - an old name: everything that it declared is in zlink.h.
 */
#ifndef ZLINK_UTILS_H_FORWARDS
#define ZLINK_UTILS_H_FORWARDS

#include "zlink.h"

#endif
