// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-or-later
//
// Names of the numbers that headers carry: commands, eviction reasons and the states of the
// replica plane, in upstream's spelling.
//
// Only numbers and names stand here. A number that upstream took out is never given away again, so
// one list serves all generations; which generation knows a number is said in registry.hpp.
#pragma once

#include "describe/field.hpp"

namespace iggy {

// clang-format off

// The byte at 60. Source: core/binary_protocol/src/consensus/command.rs.
inline constexpr describe::Name command_names[] = {
    { 0, "Reserved"},
    { 1, "Ping"},
    { 2, "Pong"},
    { 3, "PingClient"},
    { 4, "PongClient"},
    { 5, "Request"},
    { 6, "Prepare"},
    { 7, "PrepareOk"},
    { 8, "Reply"},
    { 9, "Commit"},
    {10, "StartViewChange"},
    {11, "DoViewChange"},
    {12, "StartView"},
    {13, "Eviction"},
    {14, "ReplicaHello"},
    {15, "ReplicaChallenge"},
    {16, "ReplicaFinish"},
    {17, "RequestStartView"},
    {18, "RequestPrepares"},
    {19, "RepairPrepare"},
    {20, "RepairDone"},
    {21, "RangeEvicted"},
    {22, "RequestStateTransfer"},
    {23, "StateTransferTarget"},
    {24, "RequestStateChunk"},
    {25, "StateChunk"},
    {26, "ForwardRegister"},
    {27, "ForwardRegisterResult"},
    {28, "ForwardLogout"},
    {29, "ForwardLogoutResult"},
    {30, "ConsumerSessionHeartbeat"},   // from 0.11.1 on
    {31, "SessionRetirementProgress"},  // from here on 0.12
    {32, "ForwardCompletion"},
    {33, "PrimaryRebalance"},
    {34, "SegmentDelete"},
    {35, "CommitReply"},
    {36, "PrepareProgress"},
};

// Why a server ends a session. Source: EvictionReason in core/binary_protocol/src/consensus.
inline constexpr describe::Name eviction_reasons[] = {
    { 0, "Reserved"},
    { 1, "NoSession"},
    { 2, "ClientReleaseTooLow"},
    { 3, "ClientReleaseTooHigh"},
    { 4, "InvalidRequestOperation"},
    { 5, "InvalidRequestBody"},
    { 6, "InvalidRequestBodySize"},
    { 7, "SessionTooLow"},
    { 8, "SessionReleaseMismatch"},
    { 9, "InvalidCredentials"},
    {10, "InvalidToken"},
    {11, "UserInactive"},
    {12, "SessionError"},
    {13, "StaleClient"},
    {14, "IncompatibleProtocol"},
    {15, "MalformedLogin"},
};

// Answer to a ReplicaHello; upstream numbers these without naming them. 4 and 5 reach logs only.
inline constexpr describe::Name handshake_statuses[] = {
    {0, "ok"},
    {1, "unknown command"},
    {2, "cluster mismatch"},
    {3, "directional rule"},
    {4, "authentication required"},
    {5, "MAC mismatch"},
};

// Source: core/binary_protocol/src/consensus/header.rs, ForwardRegisterResultHeader.
inline constexpr describe::Name forward_register_outcomes[] = {
    {0, "Ok"},
    {1, "NotPrimary"},
    {2, "NotCaughtUp"},
    {3, "PipelineFull"},
    {4, "InProgress"},
    {5, "Canceled"},
    {6, "ClientIdOwnedByAnotherUser"},
    {7, "Unauthenticated"},  // 0.12
};

// Source: core/binary_protocol/src/consensus/header.rs, ForwardLogoutResultHeader.
inline constexpr describe::Name forward_logout_outcomes[] = {
    {0, "Ok"},
    {1, "NotPrimary"},
    {2, "PipelineFull"},
    {3, "InProgress"},
    {4, "Canceled"},
    {5, "RequestTooOld"},      // 0.12
    {6, "OperationMismatch"},  // 0.12
};

// How a StateTransferTarget answers, and what follows from a refusal.
inline constexpr describe::Name state_offers[] = {{0, "refused"}, {1, "offered"}};
inline constexpr describe::Name refusal_terms[] = {{1, "for now"}};

// What a PrimaryRebalance frame of 0.12 asks or tells.
inline constexpr describe::Name primary_rebalance_kinds[] = {
    {0, "MetadataProbe"},
    {1, "MetadataReply"},
    {2, "PartitionProbe"},
    {3, "PartitionReply"},
    {4, "SourceProbe"},
    {5, "SourceReply"},
    {6, "PrimaryTransfer"},
};

// What a SegmentDelete frame of 0.12 asks or tells.
inline constexpr describe::Name segment_delete_kinds[] = {
    {0, "Query"},
    {1, "Resolved"},
    {2, "Retry"},
};

// Which way a PrepareProgress frame of 0.12 goes.
inline constexpr describe::Name prepare_progress_kinds[] = {
    {0, "Probe"},
    {1, "Reply"},
};

// clang-format on

}  // namespace iggy
