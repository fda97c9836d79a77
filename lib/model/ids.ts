// Names and ids: branded, so that one kind is never passed for another.
import { z } from "zod";

const uuid = z
  .uuid({ version: "v4", error: "must be a UUID, version 4, in lower case" })
  .lowercase();

export const ArtefactId = uuid.brand<"ArtefactId">();
export type ArtefactId = z.infer<typeof ArtefactId>;

/** A thread's id: shared by all versions of one logical artefact. */
export const LogicalId = uuid.brand<"LogicalId">();
export type LogicalId = z.infer<typeof LogicalId>;

/** The id of the `GoalDefined` artefact that a workflow started from. */
export const GoalId = uuid.brand<"GoalId">();
export type GoalId = z.infer<typeof GoalId>;

export const ClaimId = uuid.brand<"ClaimId">();
export type ClaimId = z.infer<typeof ClaimId>;

const dnsLabel = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/** Part of container names and Redis keys, hence a DNS label. */
export const InstanceName = z
  .string()
  .max(40, { error: "must have at most 40 characters" })
  .regex(dnsLabel, { error: "must be lower-case letters, digits and inner hyphens" })
  .brand<"InstanceName">();
export type InstanceName = z.infer<typeof InstanceName>;

/** Part of container names, Redis keys and Lua string searches, hence a DNS label. */
export const AgentName = z
  .string()
  .max(40, { error: "must have at most 40 characters" })
  .regex(dnsLabel, { error: "must be lower-case letters, digits and inner hyphens" })
  .brand<"AgentName">();
export type AgentName = z.infer<typeof AgentName>;

/** A full object name of git: 40 hexadecimal digits, or 64 in a SHA-256 repository. */
export const CommitHash = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, { error: "must be a full commit hash" })
  .brand<"CommitHash">();
export type CommitHash = z.infer<typeof CommitHash>;
