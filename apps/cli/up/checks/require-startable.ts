// Refuses a plan with a part that Linux would not start, because its variables are too long or too
// many.
import { readFile } from "node:fs/promises";
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
import type { PlanInput } from "../../services/input.ts";
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

/** Throws `config-invalid`, with the agent or the part, the sum and the limit. */
export async function requireStartable(
  plan: InstancePlan,
  { config, images, secrets, isInContainer }: Known,
): Promise<void> {
  const limitBytes = await startLimit(isInContainer);
  for (const { agent, spec } of plan.agents) {
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
  if (long !== undefined) {
    throw new SettError(
      "config-invalid",
      `${at}: the variable ${long[0]} has ${bytesOf(long[1])} bytes, and Linux allows ${maxStringBytes}.`,
      {
        hint: "Make what sett.yml says of it shorter, or put it into a file.",
      },
    );
  }
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
