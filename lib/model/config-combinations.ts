// Finds settings of an agent that exclude each other, or need each other.
import { type BuiltInKind, builtInKeys, builtInKind } from "./built-in.ts";
import { AgentFile, usualStrategy } from "./config.ts";
import { isObject } from "./json.ts";

/** Keys that have a meaning only where Sett starts a container for the agent. */
const withContainer = [
  ...[
    "use",
    "build",
    "image",
    "path",
    "command",
    "lane",
    "merge",
    "bid_command",
    "replicas",
    "strategy",
    "on_demand",
    "idle",
    "workspace",
    "writable_root",
    "isolation",
  ],
  ...[
    "network",
    "egress",
    "environment",
    "secrets",
    "resources",
    "services",
    "prompts",
    "model",
    "budget",
    "on_budget",
    "tools",
  ],
  ...["timeout", "shutdown", "health_port"],
] as const;

/** The keys of a person, who reviews. */
const ofPerson = new Set(["human", "people", "approvals", "not_by", "role", "bids"]);

function impossibleForPerson(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const message =
    "cannot be combined with `human: true`: a person has only a `role`, `bids` that say what they review, `people` who may speak, `approvals` and `not_by`";
  const surplus = Object.keys(AgentFile.in.shape).filter(
    (key) => agent[key] !== undefined && !ofPerson.has(key),
  );
  const words = bidsIn(agent.bids);
  const wrong = words.flatMap((word, index) =>
    word === "claim" || word === "exclusive"
      ? [
          {
            path: ["bids", index, "bid"],
            message:
              "must be `review` or `ignore`: a person (`human: true`) reviews and does no work",
          },
        ]
      : [],
  );
  const never = {
    path: ["bids"],
    message:
      "never says `review`, so this person would never get work: `- { on: ReleasePlan, bid: review }`",
  };
  return [
    ...surplus.map((key) => ({ path: [key], message })),
    ...wrong,
    // A word that is none is said by itself: it may be meant for `review`.
    ...(words.every((word) => word === "ignore") ? [never] : []),
  ];
}

/** The words by which a built-in agent of each kind may bid, and what it is for. */
const builtInWords: Record<BuiltInKind, { words: readonly string[]; does: string }> = {
  forge: { words: ["review", "ignore"], does: "reviews by what a forge says" },
};

/** Agents for which Sett itself does the work: all their keys mean something there. */
function impossibleForBuiltIn(
  agent: Readonly<Record<string, unknown>>,
  kind: BuiltInKind,
): Impossible[] {
  const own: readonly string[] = builtInKeys[kind];
  const { words, does } = builtInWords[kind];
  const surplus = Object.keys(AgentFile.in.shape).filter(
    (key) => agent[key] !== undefined && !["role", "bids", ...own].includes(key),
  );
  const missing = own.slice(1, 2).filter((key) => agent[key] === undefined);
  const found = bidsIn(agent.bids);
  return [
    ...surplus.map((key) => ({
      path: [key],
      message: `cannot be combined with \`${kind}\`: Sett itself does the work of this agent`,
    })),
    ...missing.map((key) => ({ path: [key], message: `is missing: \`${kind}\` needs it` })),
    ...found.flatMap((word, index) =>
      typeof word !== "string" || words.includes(word)
        ? []
        : [
            {
              path: ["bids", index, "bid"],
              message: `must be ${words.map((one) => `\`${one}\``).join(" or ")}: this agent ${does}`,
            },
          ],
    ),
    ...(found.some((word) => word !== "ignore")
      ? []
      : [{ path: ["bids"], message: `never says \`${words[0]}\`, so it would never get work` }]),
  ];
}

function impossibleWithoutFiles(workspace: unknown): Impossible[] {
  const { mode, ...other }: Record<string, unknown> = Object(workspace);
  if (mode !== "none") return [];
  const message = "cannot be combined with `mode: none`: the agent sees no file of the repository";
  return (["keep", "history", "prepare", "paths"] as const)
    .filter((key) => other[key] !== undefined)
    .map((key) => ({ path: ["workspace", key], message }));
}

/** The `bid` of each rule, as the file has it. */
function bidsIn(bids: unknown): unknown[] {
  return Array.isArray(bids) ? bids.map((rule: unknown) => Object(rule).bid) : [];
}

type Impossible = { path: (string | number)[]; message: string };

/** Undefined for an agent that has a container. */
function impossibleWithoutContainer(
  agent: Readonly<Record<string, unknown>>,
): Impossible[] | undefined {
  if (agent.human === true) return impossibleForPerson(agent);
  const builtIn = builtInKind(agent);
  if (builtIn !== undefined) return impossibleForBuiltIn(agent, builtIn);
  if (agent.pull_request !== undefined)
    return [{ path: ["pull_request"], message: "needs `forge`, which says where" }];
  const ofPeople = (["people", "approvals", "not_by"] as const).filter(
    (key) => agent[key] !== undefined,
  );
  if (ofPeople.length > 0)
    return ofPeople.map((key) => ({
      path: [key],
      message: "needs `human: true`: only people are asked by name",
    }));
  if (agent.external !== true) return undefined;
  const message =
    "cannot be combined with `external: true`: Sett starts nothing for this agent, which takes part by hand";
  return withContainer
    .filter((key) => agent[key] !== undefined)
    .map((key) => ({ path: [key], message }));
}

/**
 * Mistakes that no single key shows. It takes an agent as the file has it, so that combinations are
 * checked also where zod stops because another key is wrong.
 */
export function impossibleCombinations(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const { command, model, strategy = usualStrategy(agent), network = "board" } = agent;
  const withoutContainer = impossibleWithoutContainer(agent);
  if (withoutContainer !== undefined) return withoutContainer;
  const found: Impossible[] = [];
  if (agent.lane !== undefined) found.push(...impossibleOnLane(agent));
  else if (command === undefined) found.push(...impossibleWithoutCommand(agent));
  if (agent.merge !== undefined && agent.lane === undefined)
    found.push({ path: ["merge"], message: "needs a `lane`: its name, such as `lane: main`" });
  if (model === undefined) {
    const message = "needs a `model`: without one there are no calls that cost anything";
    found.push(
      ...(["budget", "on_budget"] as const)
        .filter((key) => agent[key] !== undefined)
        .map((key) => ({ path: [key], message })),
    );
  }
  found.push(...impossibleTools(agent), ...impossibleWithoutFiles(agent.workspace));
  found.push(...impossibleSources(agent), ...impossibleForWorkers({ ...agent, strategy }));
  if (network === "none" && model !== undefined) {
    found.push({
      path: ["network"],
      message: "is `none`, which also cuts off the gateway to its `model`: leave it out",
    });
  }
  if (
    (network === "none" || network === "direct") &&
    Array.isArray(agent.egress) &&
    agent.egress.length > 0
  ) {
    const message = `needs \`network: board\` or \`open\`: with \`${String(network)}\` it would change nothing`;
    found.push({ path: ["egress"], message });
  }
  if (strategy === "fresh_per_call" && Object(agent.workspace).keep === true) {
    const message =
      "cannot be combined with `prepare` or `strategy: fresh_per_call`, where each grant has a working copy of its own";
    found.push({ path: ["workspace", "keep"], message });
  }
  if (strategy !== "fresh_per_call" && Object(agent.workspace).prepare !== undefined) {
    const message =
      "cannot be combined with `strategy: reuse`: it lies below the workspace of each new container. Leave `strategy` out";
    found.push({ path: ["workspace", "prepare"], message });
  }
  found.push(...impossibleServices({ ...agent, strategy }));
  return found;
}

/** Services come and go with the container beside which they run: that of `sett up` stays. */
function impossibleServices(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const { services, lane, strategy, on_demand, replicas } = agent;
  if (Object.keys(Object(services)).length === 0) return [];
  if (lane !== undefined)
    return [
      { path: ["services"], message: "cannot be combined with `lane`, which has no command" },
    ];
  if (strategy === "fresh_per_call" || on_demand === true || Object(replicas).min === 0) return [];
  const message =
    "cannot be combined with `strategy: reuse`, unless the agent is `on_demand: true`: leave `strategy` out for services that are new for each grant";
  return [{ path: ["services"], message }];
}

/** The gateway knows by the token for a model who calls. */
function impossibleTools({ model, tools }: Readonly<Record<string, unknown>>): Impossible[] {
  if (model !== undefined || !Array.isArray(tools) || tools.length === 0) return [];
  return [{ path: ["tools"], message: "need a `model`, whose answers say which of them to call" }];
}

/** One of them says where the image comes from. */
function impossibleSources(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const found: Impossible[] = [];
  const isOfArguments =
    agent.use !== undefined && Object(agent.build).context === undefined && isObject(agent.build);
  const [source, ...more] = (["build", "image", "path"] as const).filter(
    (key) => agent[key] !== undefined && !(key === "build" && isOfArguments),
  );
  if (source === undefined && agent.use === undefined) {
    found.push({
      path: [],
      message:
        "needs an image: write `use: NAME` (`sett add --list` has the names), `build: ./folder`, `image: name:tag`, or `path: ./folder`",
    });
  }
  const isBuild = agent.build !== undefined && !isOfArguments && isObject(agent.build);
  if (isBuild && Object(agent.build).context === undefined)
    found.push({
      path: ["build", "context"],
      message: "is missing: it must be the folder with the Dockerfile",
    });
  for (const key of more)
    found.push({
      path: [key],
      message: `cannot be combined with \`${source}\`: keep one of the two`,
    });
  return found;
}

/** `strategy`: also where the file does not say it. */
function impossibleForWorkers(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const { replicas, strategy, idle, bid_command, bids, prompts, model } = agent;
  const { min, max = replicas }: Record<string, unknown> = Object(replicas);
  const isOnDemand = agent.on_demand === true || min === 0;
  const found: Impossible[] = [];
  const say = (path: Impossible["path"], message: string) => found.push({ path, message });
  if (agent.on_demand === true && min === 1)
    say(["replicas", "min"], "is 1, which cannot be combined with `on_demand: true`");
  if (isOnDemand) {
    const absent = "nothing of an agent that is on demand runs when it would have to be asked";
    if (bid_command !== undefined)
      say(["bid_command"], `cannot be combined with \`on_demand\` or \`min: 0\`: ${absent}`);
    else if (bidsIn(bids).length === 0)
      say(["bids"], `must have a rule: ${absent}: \`- { on: GoalDefined, bid: exclusive }\``);
    else if (model !== undefined && Object(prompts).claim !== undefined)
      say(["prompts", "claim"], `cannot be combined with \`on_demand\` or \`min: 0\`: ${absent}`);
  }
  const lasts = strategy === "reuse" && (isOnDemand || (typeof max === "number" && max > 1));
  if (idle !== undefined && !lasts)
    say(
      ["idle"],
      "needs `strategy: reuse` with `on_demand: true` or several `replicas`: no other worker waits for more work",
    );
  if (lasts && Object(agent.workspace).keep === true)
    say(
      ["workspace", "keep"],
      "cannot be combined with `on_demand` or several `replicas`: their containers come and go",
    );
  return found;
}

/** One grant after the other, each in the same container: that is the lane. */
function impossibleOnLane(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const surplus = (["command", "model", "prompts"] as const).filter(
    (key) => agent[key] !== undefined,
  );
  const { mode, paths, prepare }: Record<string, unknown> = Object(agent.workspace);
  const inWorkspace = Object.entries({ paths, prepare }).filter(([, value]) => value !== undefined);
  return [
    ...surplus.map((key) => ({
      path: [key],
      message: "cannot be combined with `lane`: Sett itself does the work of a lane",
    })),
    ...(mode === undefined || mode === "rw"
      ? []
      : [{ path: ["workspace", "mode"], message: "must be `rw`: the lane publishes its merges" }]),
    ...inWorkspace.map(([key]) => ({
      path: ["workspace", key],
      message: "cannot be combined with `lane`, which merges whole commits",
    })),
    ...(agent.replicas === undefined || agent.replicas === 1
      ? []
      : [{ path: ["replicas"], message: "must be 1: a lane takes one goal after the other" }]),
    ...(agent.on_demand === true
      ? [{ path: ["on_demand"], message: "cannot be combined with `lane`, whose container stays" }]
      : []),
    ...impossibleBidsOnLane(agent),
  ];
}

/** Without rules an agent bids on goals: each would have landed before anything is done. */
function impossibleBidsOnLane(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const words = bidsIn(agent.bids);
  if (words.length === 0 && agent.bid_command === undefined)
    return [
      {
        path: ["bids"],
        message: "must say what lands: `- { on: CodeCommit, bid: exclusive }`",
      },
    ];
  return words.flatMap((word, index) =>
    word === "review"
      ? [{ path: ["bids", index, "bid"], message: "must be `exclusive`: a lane reviews nothing" }]
      : [],
  );
}

/** Without a command, the built-in worker does what a prompt says, with a model. */
function impossibleWithoutCommand(agent: Readonly<Record<string, unknown>>): Impossible[] {
  const { claim, execution } = Object(agent.prompts);
  if (execution === undefined) {
    const message =
      'is missing: write `command: ["/app/run.sh"]`, or a `model` and `prompts: { execution: … }`';
    return [{ path: ["command"], message }];
  }
  // An agent that ignores everything needs no model. It is warned of.
  const ignoresAll = claim !== undefined && !hasRules(agent);
  if (agent.model !== undefined || ignoresAll) return [];
  return [
    {
      path: ["prompts", "execution"],
      message: "needs a `model` that does the work, or a `command`",
    },
  ];
}

/** True where something other than a model decides how the agent bids. */
function hasRules({ bids = [], bid_command }: Readonly<Record<string, unknown>>): boolean {
  return bid_command !== undefined || !Array.isArray(bids) || bids.length > 0;
}
