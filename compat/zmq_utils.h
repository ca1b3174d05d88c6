/* SPDX-License-Identifier: MPL-2.0
 *
 * zmq_utils.h - an old name: everything that it declared is in zmq.h.
 */
#ifndef __ZMQ_UTILS_H_INCLUDED__
#define __ZMQ_UTILS_H_INCLUDED__

#include "zmq.h"

#endif
