// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The facts about bodies (tests/data/payloads.json) and the bodies with known values
// (tests/data/payload-vectors.json), as frames that the decoder can be asked about.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "decode/body.hpp"
#include "iggy/operations.hpp"
#include "iggy/registry.hpp"
#include "support/body_recorder.hpp"
#include "support/iggy_frames.hpp"
#include "support/test_data.hpp"

namespace support {

using Json = nlohmann::ordered_json;

inline Json facts_from(const std::string& name) {
  std::ifstream in(test_data(name));
  EXPECT_TRUE(in) << name;
  return Json::parse(in);
}

inline const Json& body_facts() {
  static const Json facts = facts_from("payloads.json");
  return facts;
}

inline const Json& command_named(const std::string& name) {
  for (const Json& command : body_facts()["commands"])
    if (command["name"] == name) return command;
  throw std::out_of_range(name);
}

inline std::uint8_t operation_named(const std::string& name) {
  for (const iggy::Operation& operation : iggy::operations)
    if (operation.name == name) return operation.value;
  throw std::out_of_range(name);
}

inline const iggy::describe::Layout& layout_named(const std::string& name) {
  for (const iggy::describe::Layout* const layout : iggy::all_layouts())
    if (layout->name == name) return *layout;
  throw std::out_of_range(name);
}

// A body with known values, and the layout that the decoder chooses for it.
struct BodyVector {
  std::string id;
  std::vector<std::byte> bytes;
  Json decoded;
  iggy::decode::BodyPlan plan;
};

inline iggy::decode::BodyPlan plan_in_frame(const Buffer& frame, std::uint32_t code) {
  const iggy::decode::Bytes all{frame};
  return plan_body(iggy::decode::facts_of(all.first(256), iggy::Generation::v0_11),
                   iggy::Generation::v0_11, code, iggy::decode::whole(all.subspan(256)));
}

inline iggy::decode::BodyPlan plan_of_vector(const Json& vector, const Buffer& body) {
  const std::string kind = vector["kind"];
  if (kind == "primitive")
    return {iggy::decode::BodyState::decoded, &layout_named(vector["type"]), false, false};
  if (kind == "replicated")
    return plan_in_frame(prepare({.operation = operation_named(vector["operation"]), .body = body}),
                         0);
  const Json& command = command_named(vector["command"]);
  const std::uint32_t code = command["code"];
  if (kind == "request") {
    const std::uint8_t operation = command["request_operation"];
    return plan_in_frame(
        request({.operation = operation, .code = operation == 2 ? code : 0, .body = body}), code);
  }
  return plan_in_frame(reply({.operation = command["reply_operations"][0], .body = body}), code);
}

inline const std::vector<BodyVector>& body_vectors() {
  static const std::vector<BodyVector> vectors = [] {
    std::vector<BodyVector> made;
    const Json facts = facts_from("payload-vectors.json");
    for (const Json& vector : facts["vectors"]) {
      BodyVector one;
      one.id = vector["kind"].get<std::string>() + ' ' + vector["id"].get<std::string>();
      one.bytes = bytes_of_hex(vector["hex"].get<std::string>());
      one.decoded = vector["decoded"];
      one.plan = plan_of_vector(vector, Buffer(one.bytes));
      made.push_back(std::move(one));
    }
    return made;
  }();
  return vectors;
}

}  // namespace support
