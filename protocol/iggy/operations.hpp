// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// The `operation` byte: every value with upstream's name, the generations that know it, and the
// classes that upstream computes from it.
//
// A value is listed once. Which command travels as which operation stands in exchanges.hpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "describe/field.hpp"
#include "iggy/generation.hpp"

namespace iggy {

// Generations as a set: a row belongs to each of them.
using Generations = std::uint8_t;

constexpr Generations set_of(Generation generation) {
  return static_cast<Generations>(1U << static_cast<unsigned>(generation));
}
inline constexpr Generations in_older = set_of(Generation::v0) | set_of(Generation::va);
inline constexpr Generations in_0_11 = set_of(Generation::v0_11);
inline constexpr Generations in_0_12 = set_of(Generation::v0_12);
inline constexpr Generations up_to_0_11 = in_older | in_0_11;
inline constexpr Generations in_all_frames = up_to_0_11 | in_0_12;

struct Operation {
  std::uint8_t value;
  Generations generations;
  std::string_view name;
};

// clang-format off

// Source: core/binary_protocol/src/consensus/operation.rs of each crate. 64 to 127 and 166 to 169
// are the servers' own and are never accepted from a client.
inline constexpr Operation operations[] = {
    {  0, in_all_frames, "Reserved"},
    {  1, in_all_frames, "Register"},
    {  2, in_all_frames, "NonReplicated"},
    {  3, in_all_frames, "Logout"},
    { 64, in_all_frames, "CreateTopicWithAssignments"},
    { 65, in_all_frames, "CreatePartitionsWithAssignments"},
    { 66, in_all_frames, "RemoveConsumerGroupMember"},
    { 67, in_all_frames, "CompleteConsumerGroupRevocation"},
    { 68, in_all_frames, "TruncatePartition"},
    { 70, in_0_12,       "FinalizeSession"},
    { 71, in_0_12,       "CompleteLifecycle"},
    { 72, in_0_12,       "UpdateStreamResolved"},
    { 73, in_0_12,       "UpdateTopicResolved"},
    { 74, in_0_12,       "UpdateUserResolved"},
    { 75, in_0_12,       "RewrapStreamKeys"},
    {128, in_all_frames, "CreateStream"},
    {129, up_to_0_11,    "UpdateStream"},
    {130, in_all_frames, "DeleteStream"},
    {131, up_to_0_11,    "PurgeStream"},
    {132, in_all_frames, "CreateTopic"},
    {133, up_to_0_11,    "UpdateTopic"},
    {134, in_all_frames, "DeleteTopic"},
    {135, up_to_0_11,    "PurgeTopic"},
    {136, in_all_frames, "CreatePartitions"},
    {137, in_all_frames, "DeletePartitions"},
    {138, in_all_frames, "DeleteSegments"},
    {139, in_all_frames, "CreateConsumerGroup"},
    {140, in_all_frames, "DeleteConsumerGroup"},
    {141, in_all_frames, "CreateUser"},
    {142, up_to_0_11,    "UpdateUser"},
    {143, in_all_frames, "DeleteUser"},
    {144, in_all_frames, "ChangePassword"},
    {145, in_all_frames, "UpdatePermissions"},
    {146, in_all_frames, "CreatePersonalAccessToken"},
    {147, in_all_frames, "DeletePersonalAccessToken"},
    {148, in_all_frames, "JoinConsumerGroup"},
    {149, in_all_frames, "LeaveConsumerGroup"},
    {150, in_0_12,       "UpdateResource"},
    {160, in_all_frames, "SendMessages"},
    {161, in_all_frames, "StoreConsumerOffset"},
    {162, in_all_frames, "DeleteConsumerOffset"},
    {164, up_to_0_11,    "StoreConsumerOffset2"},   // in 0.11 builds before edge.4 alone
    {165, up_to_0_11,    "DeleteConsumerOffset2"},  // likewise
    {166, in_0_12,       "RetireSession"},
    {167, in_0_12,       "InstallConsumerGroupOwner"},
    {168, in_0_12,       "TransitionPartitionHistory"},
    {169, in_0_12,       "RetireConsumerGroupOwners"},
};

// clang-format on

// What rows of headers are named with. No number ever had two names, so a frame of one generation
// may show a name of another; is_known_operation tells them apart.
inline constexpr auto operation_names = [] {
  std::array<describe::Name, std::size(operations)> names{};
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = {operations[i].value, operations[i].name};
  return names;
}();

// Where each byte stands in the list, since every frame asks; past its end when it does not.
inline constexpr auto operation_places = [] {
  std::array<std::uint8_t, 256> places{};
  places.fill(std::size(operations));
  for (std::size_t i = 0; i < std::size(operations); ++i)
    places[operations[i].value] = static_cast<std::uint8_t>(i);
  return places;
}();

// Upstream's name of an operation byte; empty when the generation does not know it.
constexpr std::string_view operation_name(Generation generation, std::uint8_t operation) {
  const std::size_t place = operation_places[operation];
  if (place == std::size(operations)) return {};
  const Operation& row = operations[place];
  return (row.generations & set_of(generation)) != 0 ? row.name : std::string_view{};
}

// Whether the byte is an operation of that generation at all; servers up to 0.11 drop others
// silently.
constexpr bool is_known_operation(Generation generation, std::uint8_t operation) {
  return !operation_name(generation, operation).empty();
}

// The servers' own operations: a client that sends one is refused.
constexpr bool is_internal_operation(Generation generation, std::uint8_t operation) {
  return is_known_operation(generation, operation) &&
         ((operation >= 64 && operation <= 127) || operation >= 166);
}

// Operations of the metadata state machine. 138 is none of them: it is resolved to 68 first.
constexpr bool is_metadata_operation(Generation generation, std::uint8_t operation) {
  return is_known_operation(generation, operation) && operation >= 64 && operation <= 150 &&
         operation != 138;
}

// The operation that the client sent, of the operation that a reply carries.
constexpr std::uint8_t requested_operation(std::uint8_t replied) {
  switch (replied) {
    case 64:
      return 132;
    case 65:
      return 136;
    case 68:
      return 138;
    case 72:
    case 73:
    case 74:
      return 150;
    default:
      return replied;
  }
}

// Whether a reply with status 0 starts with a result section; for Register only with a body.
// Result sections came with the second header generation (va).
constexpr bool is_result_framed(Generation generation, std::uint8_t replied, bool has_body) {
  if (generation == Generation::v0 || !is_known_operation(generation, replied)) return false;
  if (replied == 1) return has_body;
  const bool is_of_offsets = replied == 161 || replied == 162 || replied == 164 || replied == 165;
  return is_metadata_operation(generation, replied) || is_of_offsets;
}

}  // namespace iggy
