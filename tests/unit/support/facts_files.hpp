// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The facts about bodies, as the files in tests/data have them (payloads*.json).
//
// Nothing here knows our tables.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "iggy/generation.hpp"
#include "support/test_data.hpp"

namespace support {

using Json = nlohmann::ordered_json;

inline Json facts_from(const std::string& name) {
  std::ifstream in(test_data(name));
  EXPECT_TRUE(in) << name;
  return Json::parse(in);
}

// Generations whose bodies are described.
inline constexpr iggy::Generation with_body_facts[] = {iggy::Generation::v0_11,
                                                       iggy::Generation::v0_12};

inline const Json& body_facts(iggy::Generation generation) {
  static const Json of_0_11 = facts_from("payloads.json");
  static const Json of_0_12 = facts_from("payloads-0.12.json");
  return generation == iggy::Generation::v0_12 ? of_0_12 : of_0_11;
}

}  // namespace support
