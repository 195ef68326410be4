// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The facts about bodies (payloads*.json in tests/data) and the bodies with known values
// (payload-vectors*.json), as frames that the decoder can be asked about.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "decode/body.hpp"
#include "iggy/layouts.hpp"
#include "iggy/operations.hpp"
#include "iggy/registry.hpp"
#include "support/body_oracle.hpp"
#include "support/body_recorder.hpp"
#include "support/facts_files.hpp"
#include "support/iggy_frames.hpp"

namespace support {

inline const Json& command_named(iggy::Generation generation, const std::string& name) {
  for (const Json& command : body_facts(generation)["commands"])
    if (command["name"] == name) return command;
  throw std::out_of_range(name);
}

inline std::uint8_t operation_named(const std::string& name) {
  for (const iggy::Operation& operation : iggy::operations)
    if (operation.name == name) return operation.value;
  throw std::out_of_range(name);
}

// The layout of that name within another; null where there is none.
inline const iggy::describe::Layout* layout_in(const iggy::describe::Layout* layout,
                                               const std::string& name) {
  if (layout == nullptr || layout->name == name) return layout;
  for (const iggy::describe::Field& field : layout->fields)
    if (const auto* const found = layout_in(field.layout, name)) return found;
  return nullptr;
}

// A layout that bodies of the generation are made of. Several generations may have one of the name.
inline const iggy::describe::Layout& layout_named(iggy::Generation generation,
                                                  const std::string& name) {
  for (const iggy::BodyTables& tables : iggy::body_tables) {
    if (tables.generation != generation) continue;
    for (const iggy::CommandBodies& row : tables.commands)
      for (const iggy::Body& body : {row.request, row.reply})
        if (const auto* const found = layout_in(body.layout, name)) return *found;
    for (const iggy::ReplicatedBody& row : tables.replicated)
      if (const auto* const found = layout_in(row.body.layout, name)) return *found;
    for (const iggy::ControlBody& row : tables.control)
      if (const auto* const found = layout_in(row.body.layout, name)) return *found;
  }
  for (const iggy::describe::Layout* const layout : iggy::all_layouts())
    if (layout->name == name) return *layout;
  throw std::out_of_range(name);
}

// A body with known values, and the layout that the decoder chooses for it.
struct BodyVector {
  std::string id;
  iggy::Generation generation{};
  std::vector<std::byte> bytes;
  Json decoded;
  iggy::decode::BodyPlan plan;
  std::vector<oracle::Struct> facts;  // what it is made of, as the facts have it
};

inline iggy::decode::BodyPlan plan_of_vector(iggy::Generation generation, const Json& vector,
                                             const Buffer& body) {
  const auto plan_in_frame = [generation](const Buffer& frame, std::uint32_t code) {
    const iggy::decode::Bytes all{frame};
    return plan_body(iggy::decode::facts_of(all.first(256), generation), generation, code,
                     iggy::decode::whole(all.subspan(256)));
  };
  const std::string kind = vector["kind"];
  if (kind == "primitive")
    return {.state = iggy::decode::BodyState::decoded,
            .layout = &layout_named(generation, vector["type"])};
  if (kind == "replicated")
    return plan_in_frame(prepare({.operation = operation_named(vector["operation"]), .body = body}),
                         0);
  const Json& command = command_named(generation, vector["command"]);
  const std::uint32_t code = command["code"];
  if (kind == "request") {
    const std::uint8_t operation = command["request_operation"];
    return plan_in_frame(
        request({.operation = operation, .code = operation == 2 ? code : 0, .body = body}), code);
  }
  return plan_in_frame(reply({.operation = command["reply_operations"][0], .body = body}), code);
}

inline std::vector<oracle::Struct> facts_of_vector(iggy::Generation generation,
                                                   const Json& vector) {
  const oracle::Structs& structs = oracle::Structs::of(generation);
  const std::string kind = vector["kind"];
  if (kind == "primitive") return {structs.named(vector["type"])};
  if (kind == "replicated") {
    for (const Json& fact : body_facts(generation)["replicated_bodies"])
      if (fact["operation"] == vector["operation"]) return {structs.made(fact)};
    throw std::out_of_range(vector["operation"].get<std::string>());
  }
  const Json& command = command_named(generation, vector["command"]);
  if (kind == "request") return {structs.made(command["request"])};
  std::vector<oracle::Struct> parts;
  if (vector["decoded"].contains("result"))
    parts.push_back(structs.made(body_facts(generation)["result_section"]));
  if (vector["decoded"].contains("payload")) parts.push_back(structs.made(command["reply"]));
  return parts;
}

inline std::vector<BodyVector> vectors_from(const std::string& name, iggy::Generation generation) {
  std::vector<BodyVector> made;
  const Json facts = facts_from(name);
  for (const Json& vector : facts["vectors"]) {
    BodyVector one;
    one.id = std::string(word_of(generation)) + ' ' + vector["kind"].get<std::string>() + ' ' +
             vector["id"].get<std::string>();
    one.generation = generation;
    one.bytes = bytes_of_hex(vector["hex"].get<std::string>());
    one.decoded = vector["decoded"];
    one.plan = plan_of_vector(generation, vector, Buffer(one.bytes));
    one.facts = facts_of_vector(generation, vector);
    made.push_back(std::move(one));
  }
  return made;
}

inline const std::vector<BodyVector>& body_vectors() {
  static const std::vector<BodyVector> vectors = [] {
    std::vector<BodyVector> made = vectors_from("payload-vectors.json", iggy::Generation::v0_11);
    for (BodyVector& vector : vectors_from("payload-vectors-0.12.json", iggy::Generation::v0_12))
      made.push_back(std::move(vector));
    return made;
  }();
  return vectors;
}

}  // namespace support
