// What is prepared once for many grants, such as the packages of a lock file: `workspace.prepare`
// of sett.yml, and what is known of one that was made (docs/internals/layers.md#prepared).
import { z } from "zod";
import { durationBetween } from "./config-quantities.ts";
import { SecretUses } from "./config-secrets.ts";
import { Egress } from "./egress.ts";
import { AgentName, CommitHash } from "./ids.ts";

const maxRunLength = 10_000;

/** A path in the repository, as git has it. */
const KeyPath = z
  .string()
  .max(1000, { error: "must have at most 1000 characters" })
  .refine((path) => path.split("/").every((name) => !["", ".", ".."].includes(name)), {
    error: "must be the path of a file or folder in the repository, such as `package-lock.json`",
  })
  .refine((path) => !/[\0\n]/.test(path), { error: "must be one line" });

export const PrepareFile = z
  .strictObject({
    run: z
      .string()
      .max(maxRunLength, { error: "must have at most 10000 characters" })
      .refine((line) => line.trim() !== "", {
        error: "must not be empty: it is a line for a shell, such as `npm ci`",
      })
      .refine((line) => !line.includes("\0"), { error: "must not contain a NUL character" })
      .describe("A line for the shell of the agent's image, run beside the files of `key`."),
    key: z
      .array(KeyPath)
      .min(1, { error: "must name what it depends on, such as `[package-lock.json]`" })
      .max(100)
      .describe(
        "Files or folders of the commit that it needs: where they are the same, it is not run again. Nothing else of the commit is there.",
      ),
    network: z
      .strictObject({
        egress: z
          .array(Egress)
          .max(200)
          .default([])
          .describe("Hosts outside that it reaches through a proxy. Default: none."),
      })
      .prefault({})
      .describe("What it reaches, whatever the agent itself reaches."),
    secrets: SecretUses.default([]).describe(
      "Secrets of the file that it gets, as an agent does. The agent's own are not there.",
    ),
    timeout: durationBetween([1_000, "1s"], [24 * 3_600_000, "24h"])
      .prefault("10m")
      .describe("How long it may take."),
  })
  .transform(({ timeout, network, ...file }) => ({
    ...file,
    egress: network.egress,
    timeout_ms: timeout,
  }));

/** `egress`: as sett.yml has it, with ports. */
export type Prepare = z.infer<typeof PrepareFile>;

/** The commit for which it is made. `agent`: who has put it on record, where it was an agent. */
export const PrepareBase = z.strictObject({
  commit: CommitHash,
  agent: z.union([AgentName, z.literal("")]),
});
export type PrepareBase = z.infer<typeof PrepareBase>;

/** The order for the container that makes it. */
export const PrepareOrder = PrepareBase.extend({
  run: z.string(),
  key: z.array(z.string()),
  timeout_ms: z.int().min(1),
});
export type PrepareOrder = z.infer<typeof PrepareOrder>;

/** `digest`: of all that was left, whatever its order and times are. */
export const PreparedContent = z.object({
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  files: z.int(),
  bytes: z.int(),
});
export type PreparedContent = z.infer<typeof PreparedContent>;

/**
 * How it went. `lines`: what its container has logged, under its name; only for the grant for
 * which it was made, so that it is on record once. `reason`: sentences.
 */
const Log = z.strictObject({ container: z.string(), lines: z.array(z.string()) });
export const Preparation = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("not_needed") }),
  z.strictObject({
    outcome: z.literal("ready"),
    key: z.string(),
    content: PreparedContent,
    duration_ms: z.int(),
    log: Log.optional(),
  }),
  z.strictObject({ outcome: z.literal("failed"), reason: z.string(), log: Log.optional() }),
]);
export type Preparation = z.infer<typeof Preparation>;

/**
 * The part of it that a worker has. `files`: the digest of the key's files, which must be those of
 * its commit. `folder`: from where it is copied; undefined where it lies below the workspace
 * already.
 */
export const PreparedWorkspace = z.strictObject({
  key: z.array(z.string()),
  files: z.string(),
  folder: z.string().optional(),
});
export type PreparedWorkspace = z.infer<typeof PreparedWorkspace>;

/**
 * What makes it goes by this name where it is another one than the agent, such as for the egress
 * proxy and the keeper of secrets: no agent's name has a dot in it.
 */
export function prepareWay(agent: AgentName): string {
  return `${agent}.prepare`;
}
