// Refuses a plan with a part that would not start, because its variables are too long or too many
// for Linux, or an agent in whose image a volume is in the way.
import { readFile } from "node:fs/promises";
import { posix } from "node:path";
import process from "node:process";
import { tooMuch } from "../../../../lib/config/start-sizes.ts";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import {
  addedBytes,
  bytesOf,
  maxStartBytes,
  maxStringBytes,
  startBytes,
  usualStartBytes,
} from "../../../../lib/model/exec-limits.ts";
import type { ContainerSpec } from "../../../../lib/runtime/container-spec.ts";
import type { PlanInput, PlannedImage } from "../../services/input.ts";
import type { Values } from "../../services/service.ts";
import type { InstancePlan } from "../plan/plan.ts";

type Known = {
  config: Pick<SettConfig, "agents">;
  /** Their own variables are in each container as well. */
  images: Pick<PlanInput["images"], "agents">;
  secrets: Values["secrets"];
  /** Else the limit is that of this machine. */
  isInContainer: boolean;
};

/** Throws `config-invalid`, with the agent or the part, and what is in the way. */
export async function requireStartable(
  plan: InstancePlan,
  { config, images, secrets, isInContainer }: Known,
): Promise<void> {
  const limitBytes = await startLimit(isInContainer);
  for (const { agent, spec } of [...plan.agents, ...plan.resting]) {
    checkVolumes(`agents.${agent}`, images.agents.get(agent), spec);
    const uses = config.agents.find(({ name }) => name === agent)?.secrets ?? [];
    const values = uses.flatMap(({ name, variable }) =>
      variable === undefined
        ? []
        : [[variable, Buffer.from(secrets[agent]?.[name] ?? "", "base64").toString()]],
    );
    const variables = {
      ...images.agents.get(agent)?.env,
      ...spec.env,
      ...Object.fromEntries(values),
    };
    check(`agents.${agent}`, agent, variables, spec, limitBytes);
  }
  for (const { spec } of plan.services) check(spec.name, spec.name, spec.env, spec, limitBytes);
}

/**
 * The Engine makes a folder for each volume of an image, as root's. Below a mount that is for
 * reading it cannot, and in one that the agent writes its cub could not remove it.
 */
function checkVolumes(
  at: string,
  { tag = "", volumes = [] }: Partial<PlannedImage> = {},
  { mounts }: ContainerSpec,
): void {
  const stored = mounts.filter(({ kind }) => kind === "volume" || kind === "bind");
  for (const volume of volumes) {
    // The Engine takes `/workspace/` for what it is: a mount of Sett's itself.
    const place = posix.resolve("/", volume);
    const mount = stored.find(({ target }) => place.startsWith(`${target}/`));
    if (mount === undefined) continue;
    const problem = `${at}: its image ${tag} declares the volume ${volume}, within ${mount.target}, which is Sett's own.`;
    throw new SettError("config-invalid", problem, {
      hint: "No Dockerfile can take back a VOLUME of its base: leave it out where it is declared, or take another image.",
    });
  }
}

function check(
  at: string,
  what: string,
  variables: Readonly<Record<string, string>>,
  { entrypoint = [], command = [] }: ContainerSpec,
  limitBytes: number,
): void {
  const long = Object.entries(variables).find(
    ([name, value]) => bytesOf(`${name}=${value}`) > maxStringBytes,
  );
  if (long !== undefined) throw tooLong(at, what, long);
  const bytes = startBytes([...entrypoint, ...command], variables);
  if (bytes <= limitBytes - addedBytes) return;
  throw new SettError(
    "config-invalid",
    `${at}: ${tooMuch(what, bytes, limitBytes - addedBytes)}.`,
    {
      hint: "They are counted with those of the image and with the secrets that have a `variable`; a secret without one is a file.",
    },
  );
}

/** Sett writes these from a key of sett.yml. An agent's own are below its name. */
const settingOf: Readonly<Record<string, string>> = {
  SETT_AGENT_COMMAND: "command",
  SETT_BID_COMMAND: "bid_command",
  SETT_SECRETS: "secrets",
  SETT_MODELS: "models",
  SETT_MODEL_AGENTS: "agents (their `model` and `budget`)",
  SETT_GOAL_BUDGET: "limits.budget",
  SETT_SPENDING_LIMITS: "limits.budget (`per_day`, `per_month`), and `budget` of triggers",
  SETT_POLICY: "agents and limits",
  SETT_NOTIFY: "notify",
  SETT_TRIGGERS: "triggers",
  SETT_API_TOKENS: "services.api.tokens",
  SETT_API_OIDC: "services.api.oidc",
  SETT_API_ORIGINS: "services.api.cors",
  SETT_TOOLS: "tools",
  SETT_TOOL_AGENTS: "agents (their `tools`)",
  SETT_FORGES: "forges, and `pull_request` of agents",
  SETT_LANE: "merge",
  SETT_WORKSPACE_PATHS: "workspace.paths",
  SETT_PACKS_SHELVES: "agents",
  SETT_RECORDER_AGENTS: "agents",
  SETT_EGRESS: "agents (their `egress`)",
  SETT_WORKERS: "agents (their `replicas`)",
};

function tooLong(at: string, what: string, [name, value]: [string, string]): SettError {
  const key = settingOf[name];
  const bytes = `${bytesOf(value)} bytes, and Linux allows ${maxStringBytes}`;
  if (key === undefined)
    return new SettError("config-invalid", `${at}: the variable ${name} has ${bytes}.`, {
      hint: "Make what sett.yml says of it shorter, or put it into a file.",
    });
  const place = at === what ? key : `${at}.${key}`;
  return new SettError("config-invalid", `${place}: ${what} gets it as one text of ${bytes}.`, {
    hint: "Make it shorter: leave out entries that are not used, or put long texts into files that the entries name.",
  });
}

/**
 * The limit of this machine is a quarter of the stack that its programs may have. In a container
 * that is the Engine's, most often 8 MiB.
 */
async function startLimit(isInContainer: boolean): Promise<number> {
  if (isInContainer) return usualStartBytes;
  // All other systems count less.
  if (process.platform !== "linux") return usualStartBytes / 2;
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, stack] = /^Max stack size\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (stack === undefined) return usualStartBytes;
  const quarter = stack === "unlimited" ? maxStartBytes : Math.floor(Number(stack) / 4);
  return Math.min(maxStartBytes, Math.max(maxStringBytes + 1, quarter));
}
