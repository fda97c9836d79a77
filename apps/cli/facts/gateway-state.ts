// Says what is wrong with the gateway of a running instance, as far as its container and its
// announcement show it.
import { z } from "zod";
import type { GatewayNotice, ModelBoard } from "../../../lib/blackboard/port/models.ts";
import type { ContainerPart } from "../../../lib/runtime/port.ts";

/**
 * `stopped`: no gateway serves the agents that have a model. `models`: names in sett.yml of the
 * models whose keys the gateway lacks.
 */
export type GatewayProblem = { problem: "stopped" } | { problem: "keys-missing"; models: string[] };

type Parts = readonly Pick<ContainerPart, "labels" | "state" | "env">[];

const running = new Set<ContainerPart["state"]["state"]>(["running", "unsupervised"]);

const Settings = z.record(z.string(), z.looseObject({ needs_key: z.boolean() }));

/** Undefined where nothing is wrong, and where no agent has a model. */
export async function gatewayProblem(
  containers: Parts,
  board: Pick<ModelBoard, "readGateway">,
): Promise<GatewayProblem | undefined> {
  if (
    !containers.some(
      ({ env }) => env.SETT_GATEWAY_URL !== undefined || env.SETT_MODELS !== undefined,
    )
  )
    return undefined;
  return problemOf(containers, await board.readGateway());
}

export function problemOf(
  containers: Parts,
  notice: GatewayNotice | undefined,
): GatewayProblem | undefined {
  const gateway = containers.find(({ labels }) => labels.component === "gateway");
  if (gateway === undefined || !running.has(gateway.state.state)) return { problem: "stopped" };
  const models = modelsIn(gateway.env.SETT_MODELS).filter(
    (name) => notice?.models[name]?.has_key === false,
  );
  return models.length === 0 ? undefined : { problem: "keys-missing", models };
}

/** The folder is on this machine. */
export type CassettesInUse = { mode: "record" | "replay"; folder: string };

/** Undefined where the gateway neither records calls nor replays them. */
export function cassettesOf(containers: Parts): CassettesInUse | undefined {
  const gateway = containers.find(({ labels }) => labels.component === "gateway");
  const { SETT_CASSETTE_MODE: mode, SETT_CASSETTE_SOURCE: folder = "" } = gateway?.env ?? {};
  return mode === "record" || mode === "replay" ? { mode, folder } : undefined;
}

export function cassettesSentence({ mode, folder }: CassettesInUse): string {
  if (mode === "replay")
    return `A replay: calls of models are answered from ${folder}, and no provider is asked.`;
  return `Each exchange with a model is recorded in ${folder}.`;
}

/**
 * The folder on this machine into which the gateway writes calls; undefined where it records none.
 */
export function recordingOf(containers: Parts): string | undefined {
  const cassettes = cassettesOf(containers);
  return cassettes?.mode === "record" ? cassettes.folder : undefined;
}

/** The names of the models that need a key. */
function modelsIn(text = "{}"): string[] {
  try {
    const settings = Settings.parse(JSON.parse(text));
    return Object.entries(settings).flatMap(([name, { needs_key }]) => (needs_key ? [name] : []));
  } catch {
    // The announcement is of another version of Sett.
    return [];
  }
}

/** `up`: the command that repairs it, as a person types it. */
export function gatewaySentence(found: GatewayProblem, up: string): string {
  if (found.problem === "stopped")
    return `The gateway does not run, so no agent reaches its model; \`${up}\` starts it again.`;
  const keys = found.models.length === 1 ? "the key of the model" : "the keys of the models";
  const why = "a restart of its container clears its memory";
  return `The gateway does not have ${keys} ${found.models.join(", ")}: ${why}. \`${up}\` gives it the keys again.`;
}
