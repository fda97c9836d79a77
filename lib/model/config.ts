// sett.yml: what the file may say, and what the rest of Sett gets from it (DESIGN §9).
import { z } from "zod";
import { Strategy, WorkspaceMode } from "./agent.ts";
import { userRole } from "./artefact.ts";
import { BidRule } from "./bid.ts";
import { Environment } from "./config-environment.ts";
import { HookFile } from "./config-notify.ts";
import { ContextSize, Cpus, Duration, durationBetween, Memory, Port } from "./config-quantities.ts";
import { AgentName } from "./ids.ts";
import { grantLeaseMs } from "./leases.ts";
import type { Hook } from "./notify.ts";
import { defaultPolicy } from "./policy.ts";

/** The kernel takes no longer single argument or variable than 128 KiB. */
const maxArgumentBytes = 100 * 1024;

const Argument = z
  .string()
  .refine((text) => !text.includes("\0"), { error: "must not contain a NUL character" })
  .refine((text) => new TextEncoder().encode(text).length <= maxArgumentBytes, { error: "must not be longer than 100 KiB" });

const Command = z
  .array(Argument, {
    error: ({ input }) =>
      typeof input === "string" ? 'must be a list: `["/app/run.sh"]`, or `["sh", "-c", "…"]` for a shell' : undefined,
  })
  .min(1, { error: "must not be empty: its first entry is the program" })
  .refine((words) => words[0] !== "", { path: [0], error: "must name a program" });

const ImageName = z.string().regex(/^[A-Za-z0-9][\w.:/@-]*$/, { error: "must be an image such as `debian:bookworm-slim`" });

const Path = Argument.min(1, { error: "must not be empty" });

const BuildMap = z.strictObject({
  context: Path,
  dockerfile: Path.default("Dockerfile"),
  args: z.record(z.string().regex(/^\w+$/, { error: "must be letters, digits and `_`" }), Argument).default({}),
});

/** `./folder` is short for `{ context: ./folder }`, as in Docker Compose. Paths are still as the file has them. */
export const Build = z.union([BuildMap, Path.transform((context) => BuildMap.parse({ context }))], {
  error: "must be a map with `context`, or a folder",
});

export type Build = z.infer<typeof Build>;

const Amounts = z
  .strictObject({ cpus: Cpus.optional(), memory: Memory.optional() })
  .transform(({ cpus, memory }) => ({ cpus, memory_bytes: memory }));

/** True unless both are known and the reservation is the larger one. */
function fits(reserved: number | undefined, limit: number | undefined): boolean {
  return reserved === undefined || limit === undefined || reserved <= limit;
}

const Resources = z
  .strictObject({ limits: Amounts.optional(), reservations: Amounts.optional() })
  .refine(({ limits, reservations }) => fits(reservations?.cpus, limits?.cpus), {
    path: ["reservations", "cpus"],
    error: "must not be more than `limits.cpus`",
  })
  .refine(({ limits, reservations }) => fits(reservations?.memory_bytes, limits?.memory_bytes), {
    path: ["reservations", "memory"],
    error: "must not be more than `limits.memory`",
  });

const takenSentence = "is taken: `user` stands for people, `orchestrator` and `redis` for parts of Sett";
function isTaken(name: string): boolean {
  return [userRole, "orchestrator", "redis"].includes(name);
}

const Role = z
  .string()
  .min(1, { error: "must not be empty" })
  .max(100, { error: "must have at most 100 characters" })
  .regex(/^[^\s*\p{Cc}](?:[^*\p{Cc}]*[^\s*\p{Cc}])?$/u, {
    error: "must be a word without `*`, spaces at its ends or control characters",
  })
  .refine((role) => !isTaken(role), { error: takenSentence });

/** Names are default roles, so the same words are taken. */
const FreeAgentName = AgentName.refine((name) => !isTaken(name), { error: takenSentence });

/** One agent of the file. What is impossible beside something else is left to `impossibleCombinations`. */
export const AgentFile = z
  .strictObject({
    role: Role.optional(),
    external: z.boolean().default(false),
    human: z.boolean().default(false),
    build: Build.optional(),
    image: ImageName.optional(),
    path: Path.optional(),
    command: Command.optional(),
    bids: z.array(BidRule).max(1000).default([]),
    bid_command: Command.optional(),
    on_missing_bid: z.enum(["wait", "ignore"]).default("wait"),
    replicas: z.int().min(1).max(100).default(1),
    strategy: Strategy.default("reuse"),
    workspace: z.strictObject({ mode: WorkspaceMode.default("ro") }).prefault({}),
    environment: Environment.default([]),
    resources: Resources.prefault({}),
    prompts: z.strictObject({ claim: Argument.optional(), execution: Argument.optional() }).prefault({}),
    timeout: Duration.default(5 * 60_000),
    retries: z.int().min(0).max(100).default(0),
    shutdown: Duration.optional(),
    health_port: Port.optional(),
  })
  .transform(({ timeout, shutdown, ...agent }) => ({ ...agent, timeout_ms: timeout, shutdown_ms: shutdown }));

const Limits = z
  .strictObject({
    review_rounds: z.int().min(0).max(1000).default(defaultPolicy.review_rounds),
    artefacts_per_goal: z.int().min(1).max(1_000_000).default(defaultPolicy.artefacts_per_goal),
    bid_deadline: Duration.default(defaultPolicy.bid_deadline_ms),
    context: ContextSize.optional(),
    shutdown: Duration.default(30_000),
    // Shorter ones would lapse while a busy machine thinks; of longer ones nobody would hear in time that a cub is gone.
    lease: durationBetween([3_000, "3s"], [3_600_000, "1h"]).default(grantLeaseMs),
  })
  .transform(({ bid_deadline, context, shutdown, lease, ...limits }) => ({
    ...limits,
    ...{ bid_deadline_ms: bid_deadline, context_bytes: context, shutdown_ms: shutdown, lease_ms: lease },
  }));

const Orchestrator = z.strictObject({ image: ImageName.optional(), health_port: Port.optional() });

const Redis = z
  .strictObject({
    image: ImageName.optional(),
    resources: Resources.prefault({}),
    timeout: durationBetween([100, "100ms"], [60_000, "1m"]).default(3_000),
    give_up: Duration.default(60_000),
  })
  .refine(({ timeout, give_up }) => give_up >= timeout, { path: ["give_up"], error: "must not be less than `timeout`" })
  .transform(({ timeout, give_up, ...redis }) => ({ ...redis, timeout_ms: timeout, give_up_ms: give_up }));

/** The file as YAML gives it → the same with defaults, milliseconds and bytes. Paths and `${…}` are not resolved yet. */
export const SettFile = z.strictObject({
  version: z.literal("1.0", {
    error: ({ input }) => (input === undefined ? "is missing: write `version: '1.0'`" : "must be `'1.0'`, with the quotes"),
  }),
  clarification: z.enum(["human", "tiered"]).default(defaultPolicy.clarification),
  consensus: z.enum(["full", "first_bid"]).default(defaultPolicy.consensus),
  limits: Limits.prefault({}),
  agents: z
    .record(FreeAgentName, AgentFile)
    .refine((agents) => Object.keys(agents).length > 0, { error: "must name at least one agent" }),
  notify: z.array(HookFile).max(20).default([]),
  services: z.strictObject({ orchestrator: Orchestrator.prefault({}), redis: Redis.prefault({}) }).prefault({}),
});
export type SettFile = z.infer<typeof SettFile>;
export type AgentFile = z.infer<typeof AgentFile>;

/** Where an agent's image comes from. Paths are absolute; the folder of a devcontainer holds its devcontainer.json. */
export type ImageSource =
  | { kind: "build"; context: string; dockerfile: string; args: Record<string, string> }
  | { kind: "devcontainer"; folder: string }
  | { kind: "image"; image: string };

/** One agent, with everything resolved: absolute paths, the role, the values of its environment. */
export type AgentConfig = Omit<
  AgentFile,
  "external" | "human" | "build" | "image" | "path" | "role" | "command" | "environment" | "shutdown_ms"
> & {
  name: AgentName;
  role: string;
  source: ImageSource;
  /** Empty for an agent that is for a model alone. */
  command: string[];
  environment: Record<string, string>;
  /** How long what it has in hand may go on when it is stopped. */
  shutdown_ms: number;
};

/** One that takes part by hand. Its rules count when its bid is missing. */
export type ExternalAgent = Pick<AgentConfig, "name" | "role" | "bids" | "on_missing_bid" | "retries">;

/** A person, who reviews with `sett approve` and `sett reject`. */
export type Person = Pick<AgentConfig, "name" | "role" | "bids">;

/** sett.yml, ready for use. The agents stand in the order of the file, those for which nothing is started apart. */
export type SettConfig = Omit<SettFile, "version" | "agents" | "notify"> & {
  agents: AgentConfig[];
  external: ExternalAgent[];
  people: Person[];
  notify: Hook[];
};
