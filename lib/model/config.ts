// sett.yml: the keys of the file, and the configuration that the rest of Sett gets from it
// (docs/reference/sett-yml.md).
import { z } from "zod";
import { Strategy, WorkspaceMode } from "./agent.ts";
import { BidRule } from "./bid.ts";
import { type Budget, BudgetFile } from "./budget.ts";
import type { ForgeAgent } from "./built-in.ts";
import { BudgetLimits, limitsOf } from "./config-budget.ts";
import { ImagesFile, KubernetesFile } from "./config-cluster.ts";
import { Argument, Command } from "./config-command.ts";
import { Environment } from "./config-environment.ts";
import { ForgeName, ForgesFile, PullRequestFile } from "./config-forges.ts";
import {
  ModelName,
  type ModelSettings,
  ModelsFile,
  type ProviderWay,
  type RecordMode,
} from "./config-models.ts";
import { ImageName, Role, UnreservedAgentName } from "./config-names.ts";
import { HookFile } from "./config-notify.ts";
import { type PromptKey, Prompts } from "./config-prompts.ts";
import { ContextSize, Duration, durationBetween, OutputSize, Port } from "./config-quantities.ts";
import { AgentResources } from "./config-resources.ts";
import { Retention } from "./config-retention.ts";
import { SecretsFile, SecretUses } from "./config-secrets.ts";
import { Services } from "./config-services.ts";
import { type ToolsConfig, ToolsFile, ToolUses } from "./config-tools.ts";
import { Egress, NetworkMode, networkModes } from "./egress.ts";
import type { AgentName } from "./ids.ts";
import { Isolation } from "./isolation.ts";
import { defaultOutputBytes } from "./kept-output.ts";
import { LaneMerge, LaneName } from "./lane.ts";
import { grantLeaseMs } from "./leases.ts";
import type { Hook } from "./notify.ts";
import { type KnownPerson, PeopleFile, type Signing } from "./people.ts";
import { defaultPolicy } from "./policy.ts";
import { PrepareFile } from "./prepare.ts";
import { NotBy, notByWords } from "./quorum.ts";
import { type Sidecar, SidecarsFile } from "./sidecar.ts";
import type { SpendingLimits } from "./spending.ts";
import { type Trigger, TriggersFile } from "./trigger.ts";
import { withoutUndefined } from "./without-undefined.ts";
import { WorkspacePaths } from "./workspace-path.ts";

const Path = Argument.min(1, { error: "must not be empty" });

const BuildMap = z.strictObject({
  context: Path.optional().describe(
    "The folder that is sent to the Engine. Without it, with `use`, `args` are for the build of the package.",
  ),
  dockerfile: Path.default("Dockerfile").describe("The Dockerfile, relative to `context`."),
  args: z
    .record(z.string().regex(/^\w+$/, { error: "must be letters, digits and `_`" }), Argument)
    .default({})
    .describe(
      "Build arguments: name and value. Docker's own `proxies` are among them, as for `docker build`.",
    ),
});

/**
 * `./folder` is short for `{ context: ./folder }`, as in Docker Compose. Paths are as the file has
 * them.
 */
export const Build = z.union([BuildMap, Path.transform((context) => BuildMap.parse({ context }))], {
  error: "must be a map with `context`, or a folder",
});

export type Build = z.infer<typeof Build>;

const Use = z
  .string()
  .regex(/^[^\s\p{Cc}]{1,255}$/u, { error: "must be the name of a package, a folder or an image" });

const ReplicaCount = z.int().min(1).max(100);

const Replicas = z.union(
  [
    ReplicaCount,
    z.strictObject({
      min: z
        .int()
        .min(0)
        .max(1, { error: "must be 0 or 1: more come when there is work for them" })
        .default(1)
        .describe("How many are there without work."),
      max: ReplicaCount.describe("How many there are at most."),
    }),
  ],
  { error: "must be a whole number, or a map with `min` and `max`" },
);
type Replicas = z.infer<typeof Replicas>;

function maxReplicas(replicas: Replicas): number {
  return typeof replicas === "number" ? replicas : replicas.max;
}

function minReplicas(replicas: Replicas): number {
  return typeof replicas === "number" ? 1 : replicas.min;
}

const defaultIdleMs = 5 * 60_000;

/** An agent of the file. `impossibleCombinations` checks which keys exclude each other. */
export const AgentFile = z
  .strictObject({
    role: Role.optional().describe(
      "What the agent is to others: rules name it in `from`. Default: the agent's name.",
    ),
    external: z
      .boolean()
      .default(false)
      .describe("The agent takes part by hand: Sett starts nothing for it."),
    human: z
      .boolean()
      .default(false)
      .describe("The agent is a person, who reviews with `sett approve` and `sett reject`."),
    people: z
      .array(z.string().min(1))
      .min(1, { error: "must name a person or a group, or be left out" })
      .max(100)
      .optional()
      .describe(
        "With `human: true`, or `forge`: the people who may give the verdict, by their names or groups in `people`. Default: every person, and with `forge` all who have an account there.",
      ),
    approvals: z
      .int()
      .min(2, { error: "must be 2 or more: without it one approval is enough" })
      .max(20)
      .optional()
      .describe("With `human: true`: how many different people of `people` have to approve."),
    not_by: z
      .array(NotBy)
      .min(1, { error: `must name one of ${notByWords.join(", ")}, or be left out` })
      .optional()
      .describe(
        "With `human: true`: people whose approval does not count: who has posted the goal, has answered a question of the work, has made it by hand, or has approved what it was made from.",
      ),
    forge: ForgeName.optional().describe(
      "The agent is built in: it makes a pull request of what it reviews, at this forge of `forges`.",
    ),
    pull_request: PullRequestFile.optional().describe("With `forge`: what it asks for there."),
    use: Use.optional().describe(
      "The agent package that says what is not written here: one of Sett's own (`sett add --list`), a folder with an `agent.yml`, or an image with one.",
    ),
    build: Build.optional().describe(
      "The folder with the agent's Dockerfile, or a map with `context`, `dockerfile`, `args`.",
    ),
    image: ImageName.optional().describe("An image that is used as it is, instead of `build`."),
    path: Path.optional().describe("A folder with a devcontainer.json, instead of `build`."),
    command: Command.optional().describe(
      "What the cub runs for each grant: JSON on stdin, JSON on stdout.",
    ),
    lane: LaneName.optional().describe(
      "The agent merges results onto this lane, one goal after the other; it has no `command`: docs/guides/lane.md.",
    ),
    merge: LaneMerge.optional().describe("How a result comes onto the agent's `lane`."),
    bids: z
      .array(BidRule)
      .max(1000)
      .default([])
      .describe("How the agent bids. The first rule that matches counts."),
    bid_command: Command.optional().describe(
      "A command that decides the bid: the artefact on stdin, one word on stdout.",
    ),
    on_missing_bid: z
      .enum(["wait", "ignore"])
      .default("wait")
      .describe(
        "What happens at the deadline when the bid is missing and the agent has no `bids`.",
      ),
    replicas: Replicas.default(1).describe(
      "How many grants the agent works on at the same time: a number, or `{ min, max }`. `min: 0` is `on_demand: true`.",
    ),
    on_demand: z
      .boolean()
      .default(false)
      .describe("Nothing runs for the agent while it has no work. It bids by its `bids` alone."),
    idle: durationBetween([1_000, "1s"], [86_400_000, "1d"])
      .optional()
      .describe(
        "With `strategy: reuse`: how long a worker waits for more work before it ends. Default: 5m.",
      ),
    strategy: Strategy.optional().describe(
      "`reuse`: a container works on one grant after the other. `fresh_per_call`: one for each grant. Default: `reuse`, and with `workspace.prepare` or `services` `fresh_per_call`.",
    ),
    workspace: z
      .strictObject({
        mode: WorkspaceMode.default("ro").describe(
          "`rw`: what the command commits is published. `none`: it sees no file of the repository.",
        ),
        keep: z
          .boolean()
          .default(false)
          .describe(
            "Files that git ignores, such as caches, stay in the working copy for the agent's next grant.",
          ),
        history: z
          .int()
          .min(1)
          .max(1e7)
          .optional()
          .describe(
            "How many commits it needs to see; all see as many as the agent that needs most.",
          ),
        prepare: PrepareFile.optional().describe(
          "What is made once for all grants that have the same key, such as installed packages.",
        ),
        paths: WorkspacePaths.optional().describe(
          'The part of the repository in which it works: `["services/door/", "*.md"]`. Only this is checked out, and what it commits changes nothing else.',
        ),
      })
      .prefault({})
      .describe("The agent's working copy of the repository."),
    writable_root: z
      .boolean()
      .optional()
      .describe(
        "The command may write anywhere in its container, as far as its user may. Default: only for `path`.",
      ),
    isolation: Isolation.optional().describe(
      "What is between its command and the kernel of the machine: as the key of the same name for all agents, which it replaces.",
    ),
    network: NetworkMode.default("board").describe(networkModes),
    egress: z
      .array(Egress)
      .max(200)
      .default([])
      .describe(
        "Hosts outside that the command reaches through a proxy: `registry.example.org:443`.",
      ),
    environment: Environment.default([]).describe("Variables of the command: a list, or a map."),
    secrets: SecretUses.default([]).describe(
      "Secrets of the file that the command gets: each is in `/run/secrets/NAME`, and in `variable`, if one is named.",
    ),
    resources: AgentResources.prefault({}).describe("What the agent's container may use."),
    services: SidecarsFile.default([]).describe(
      "Services that run beside each container in which the agent works, such as a database for tests, by name.",
    ),
    prompts: Prompts,
    model: ModelName.optional().describe(
      "The model of the agent: a name in `models`. Its command reaches it through the gateway. Default, for an agent whose prompts need one: the only model, or the one called `default`.",
    ),
    tools: ToolUses.default([]).describe(
      "The MCP servers whose tools the agent may call: names in `tools`. It finds them at `SETT_MCP_URL`. It needs a `model`.",
    ),
    budget: BudgetFile.prefault({}).describe(
      "What the agent's calls of its model may cost on one claim, all attempts together. What is missing has no limit.",
    ),
    on_budget: z
      .enum(["fail", "ask"])
      .default("fail")
      .describe(
        "When a budget is spent: the work fails, or the agent asks a person, whose answer raises the budget.",
      ),
    timeout: Duration.optional().describe(
      "How long one run may take. Default: 5m; 30m without a `command`, where a model does the work.",
    ),
    retries: z
      .int()
      .min(0)
      .max(100)
      .default(0)
      .describe("How many more attempts follow a failed one."),
    shutdown: Duration.optional().describe(
      "How long a running command may go on when its agent is stopped.",
    ),
    health_port: Port.optional().describe(
      "The port of `/healthz` and `/metrics` in the container. Default: 8080.",
    ),
  })
  .transform(({ timeout, shutdown, strategy, replicas, on_demand, idle, ...agent }) => ({
    ...agent,
    // What it merges is published.
    workspace:
      agent.lane === undefined ? agent.workspace : { ...agent.workspace, mode: "rw" as const },
    replicas: maxReplicas(replicas),
    on_demand: on_demand || minReplicas(replicas) === 0,
    idle_ms: idle ?? defaultIdleMs,
    strategy: strategy ?? usualStrategy(agent),
    // A model asks, reads and tries for longer than most programs run.
    timeout_ms:
      timeout ?? (agent.command === undefined && agent.lane === undefined ? 30 : 5) * 60_000,
    shutdown_ms: shutdown,
  }));

/**
 * A layer lies below the workspace of a container that is made after it, and services are started
 * with the container beside which they run.
 */
export function usualStrategy({
  workspace,
  services,
}: Readonly<Record<string, unknown>>): Strategy {
  const isFresh =
    Object(workspace).prepare !== undefined || Object.keys(Object(services)).length > 0;
  return isFresh ? "fresh_per_call" : "reuse";
}

const Limits = z
  .strictObject({
    review_rounds: z
      .int()
      .min(0)
      .max(1000)
      .default(defaultPolicy.review_rounds)
      .describe("How many reworks one thread gets before another rejection is a Failure."),
    artefacts_per_goal: z
      .int()
      .min(1)
      .max(1_000_000)
      .default(defaultPolicy.artefacts_per_goal)
      .describe("A goal that has more artefacts ends with a Failure."),
    workers: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe(
        "How many workers all agents together may have. Those of `sett up` are not among them. Default: as many as their `replicas`.",
      ),
    bid_deadline: Duration.prefault(`${defaultPolicy.bid_deadline_ms / 1000}s`).describe(
      "When a missing bid is taken from the agent's `bids`.",
    ),
    context: ContextSize.optional().describe("How much context one grant may have. Default: 64M."),
    output: OutputSize.prefault(defaultOutputBytes).describe(
      "How much is kept of what the command of one grant prints: of more, the beginning and the end. `0` keeps nothing.",
    ),
    shutdown: Duration.prefault("30s").describe(
      "How long a running command may go on when its agent is stopped.",
    ),
    // A shorter lease would lapse on a busy machine; with a longer one the loss of a cub would be
    // noticed too late.
    lease: durationBetween([3_000, "3s"], [3_600_000, "1h"])
      .prefault(`${grantLeaseMs / 1000}s`)
      .describe("An agent that does not renew its lease for so long has lost its grant."),
    budget: BudgetLimits.optional().describe(
      "What the calls of models may cost: for one goal, all agents together (default: 5 US dollars), and in a day and a month. What is missing has no limit.",
    ),
  })
  .transform(({ bid_deadline, context, output, shutdown, lease, budget, ...limits }) => ({
    ...limits,
    budget: budget?.goal,
    spending: { instance: budget?.instance ?? {}, people: peopleOf(budget?.people) },
    ...{
      bid_deadline_ms: bid_deadline,
      context_bytes: context,
      output_bytes: output,
      shutdown_ms: shutdown,
      lease_ms: lease,
    },
  }));

function peopleOf(people: z.infer<typeof BudgetLimits>["people"] = {}): SpendingLimits["people"] {
  return Object.fromEntries(
    Object.entries(people).map(([name, budget]) => [name, limitsOf(budget)]),
  );
}

/** `on` and `off` are texts of YAML; who writes `true` means the same. */
/** `key`: the verifier key that the notary must have. */
export type ProofConfig = { mode: "off" | "on" | "required"; key?: string };

const Proof = z
  .union(
    [
      z.literal(["on", "off"]),
      z.boolean(),
      z.strictObject({
        required: z
          .boolean()
          .default(false)
          .describe("Nothing new begins while nothing is sealed."),
        key: z
          .string()
          .optional()
          .describe(
            "The public key that the notary must have, as `sett audit key` prints it: `sett up` refuses another one.",
          ),
      }),
    ],
    {
      error: "must be `on`, `off`, or a map such as `{ required: true }`",
    },
  )
  .default("off")
  .transform((proof): ProofConfig => {
    if (typeof proof !== "object") return { mode: proof === "on" || proof === true ? "on" : "off" };
    return { mode: proof.required ? "required" : "on", ...withoutUndefined({ key: proof.key }) };
  })
  .describe(
    "`on`: a notary seals the log, so that `sett audit export` shows to anyone that nothing was changed, left out or put in between. `{ required: true }`: the instance is paused while nothing is sealed for a minute.",
  );

/**
 * The file's data, with defaults, milliseconds and bytes. Paths and `${…}` are not resolved yet.
 */
export const SettFile = z.strictObject({
  version: z
    .literal("1.0", {
      error: ({ input }) =>
        input === undefined
          ? "is missing: write `version: '1.0'`"
          : "must be `'1.0'`, with the quotes",
    })
    .describe("The version of this format, with the quotes."),
  clarification: z
    .enum(["human", "tiered"])
    .default(defaultPolicy.clarification)
    .describe(
      "Who answers questions: people at once, or first the agents whose work they are about.",
    ),
  consensus: z
    .enum(["full", "first_bid"])
    .default(defaultPolicy.consensus)
    .describe(
      "When the bidding closes: with the last bid, or with the first one that is not `ignore`.",
    ),
  models: ModelsFile.prefault({}).describe("The language models that agents may ask, by name."),
  tools: ToolsFile.default({}).describe(
    "MCP servers by name, whose tools the agents that name them may call. Only the gateway reaches them.",
  ),
  limits: Limits.prefault({}).describe("Limits of the whole instance."),
  isolation: Isolation.optional().describe(
    "What is between the commands of agents and the kernel of the machine: `gvisor`, `kata`, or the name of a runtime that the Docker Engine knows. Default: the Engine's own.",
  ),
  secrets: SecretsFile.default({}).describe(
    "Secrets by name: tokens, keys and passwords, for the agents that name them.",
  ),
  agents: z
    .record(UnreservedAgentName, AgentFile)
    .refine((agents) => Object.keys(agents).length > 0, { error: "must name at least one agent" })
    .describe("The agents by name."),
  people: PeopleFile,
  notify: z
    .array(HookFile)
    .max(20)
    .default([])
    .describe("The webhooks to notify when a person is needed, or a goal has ended."),
  forges: ForgesFile,
  triggers: TriggersFile,
  proof: Proof,
  retention: Retention.prefault({}).describe("How long what has ended is kept. Default: for ever."),
  services: Services.prefault({}).describe("Sett's own containers."),
  images: ImagesFile.prefault({}).describe("Where images go that a cluster pulls."),
  kubernetes: KubernetesFile.prefault({}).describe(
    "For `sett up --runtime kubernetes` alone: where pods run, and how.",
  ),
});
export type SettFile = z.infer<typeof SettFile>;
export type AgentFile = z.infer<typeof AgentFile>;

/**
 * An agent's image comes from one of these. Paths are absolute; the folder of a devcontainer holds
 * its devcontainer.json. A `package` is one of Sett's own, whose files are in the program.
 */
export type ImageSource =
  | { kind: "build"; context: string; dockerfile: string; args: Record<string, string> }
  | { kind: "package"; name: string; args: Record<string, string> }
  | { kind: "devcontainer"; folder: string }
  | { kind: "image"; image: string };

/** An agent with everything resolved: absolute paths, the role, the values of its environment. */
export type AgentConfig = Omit<
  AgentFile,
  | "external"
  | "human"
  | "people"
  | "approvals"
  | "not_by"
  | "forge"
  | "pull_request"
  | "use"
  | "build"
  | "image"
  | "path"
  | "role"
  | "command"
  | "environment"
  | "services"
  | "prompts"
  | "shutdown_ms"
> & {
  name: AgentName;
  role: string;
  source: ImageSource;
  /** Its package: how sett.yml names it, and its digest. */
  package?: { use: string; digest: string } | undefined;
  /** Empty: the built-in worker does what `prompts.execution` says. */
  command: string[];
  environment: Record<string, string>;
  services: Sidecar[];
  prompts: { [Key in PromptKey]?: string | undefined };
  /** How long a running command may go on when the agent is stopped. */
  shutdown_ms: number;
  /** Only a cluster sets it, as the registration has it. */
  open_network?: true;
};

/** An agent that takes part by hand. */
export type ExternalAgent = Pick<
  AgentConfig,
  "name" | "role" | "bids" | "on_missing_bid" | "retries"
>;

/** An agent for which Sett itself does the work. */
export type BuiltInAgent = Pick<AgentConfig, "name" | "role" | "bids"> & ForgeAgent;

/** A person, who reviews with `sett approve` and `sett reject`. */
export type Person = Pick<AgentConfig, "name" | "role" | "bids"> & {
  /** They may give the verdict; undefined: every person. */
  people?: KnownPerson[];
  approvals?: number;
  not_by?: NotBy[];
};

/**
 * The models of the file. `keys`: model → the provider's key, where it has one. A key may go to the
 * gateway, and nowhere else.
 */
export type ModelsConfig = {
  record: RecordMode;
  way: ProviderWay;
  settings: Record<string, ModelSettings>;
  keys: Record<string, string>;
};

/**
 * sett.yml, ready for use. Agents are in the order of the file; those for which Sett starts nothing
 * have lists of their own.
 */
export type SettConfig = Omit<
  SettFile,
  "version" | "agents" | "models" | "tools" | "limits" | "people" | "notify" | "triggers"
> & {
  models: ModelsConfig;
  tools: ToolsConfig;
  /**
   * `budget` is that of one goal; without limits where the file has no models. `spending`: what
   * counts over time.
   */
  limits: Omit<SettFile["limits"], "budget" | "spending"> & {
    budget: Budget;
    spending: SpendingLimits;
  };
  agents: AgentConfig[];
  external: ExternalAgent[];
  people: Person[];
  builtIn: BuiltInAgent[];
  /** Undefined where no file says whose keys sign. */
  signing: Signing | undefined;
  /** The names of all agents, in the order of the file. */
  order: AgentName[];
  notify: Hook[];
  /** Triggers are in the order of the file. */
  triggers: Trigger[];
};
