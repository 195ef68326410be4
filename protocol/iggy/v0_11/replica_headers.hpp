// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// All headers between replicas of protocol 0.11. The rows stand in the two files below.
#pragma once

#include "iggy/v0_11/repair_headers.hpp"
#include "iggy/v0_11/replication_headers.hpp"
