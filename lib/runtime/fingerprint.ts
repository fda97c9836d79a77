// The fingerprint of a container: digests of everything from which it is made. The next `sett up`
// compares fingerprints to find out whether a container has changed, and in what.
import { createHash, createHmac } from "node:crypto";
import type { AgentRegistration } from "../model/agent.ts";
import { withWhole } from "../model/in-pieces.ts";
import { isObject } from "../model/json.ts";
import type { ContainerSpec } from "./container-spec.ts";

/**
 * Parts that are not in sett.yml. A change in them is reported as `container`, if no other part has
 * changed.
 */
const unnamed = ["container", "programs"];

/** Variables that Sett sets itself; the agent's `environment` cannot change them. */
const ownVariable = /^(?:SETT_|LD_|BUN_|REDIS_URL$)/;

/**
 * The specification with its fingerprint as a label. The fingerprint includes the image's id,
 * because a tag may name another image later, and an agent's registration, because the cub reads it
 * only at its start. Comparing one label is simpler and safer than comparing the plan with the
 * engine's description of a container, which has other names and added defaults. The order of keys
 * does not count. Of the labels only the repository's folder counts: name and environment of the
 * container contain what the others say. `key`: where others may see the label, so that they cannot
 * guess a short value by its digest.
 */
export function withFingerprint(
  spec: ContainerSpec,
  imageId: string,
  registration?: AgentRegistration,
  key?: string,
): ContainerSpec {
  const { labels, image, entrypoint, command, env, resources, ...container } = spec;
  const {
    SETT_AGENT_COMMAND,
    SETT_BID_COMMAND,
    SETT_MODEL,
    SETT_MODEL_PROVIDER,
    SETT_MODEL_NAME,
    SETT_MODEL_CONTEXT,
    SETT_MODEL_OUTPUT,
    SETT_MODEL_TIMEOUT,
    ...others
  } = withWhole(env, ["SETT_PROMPT_CLAIM", "SETT_PROMPT_EXECUTION"]);
  const { SETT_PROMPT_CLAIM, SETT_PROMPT_EXECUTION, ...variables } = others;
  const isOwn = ([name]: [string, unknown]) => ownVariable.test(name);
  const entries = Object.entries(variables);
  const parts = {
    image: [image, imageId],
    command: SETT_AGENT_COMMAND,
    prompts: [SETT_PROMPT_CLAIM, SETT_PROMPT_EXECUTION],
    model: [
      ...[SETT_MODEL, SETT_MODEL_PROVIDER, SETT_MODEL_NAME],
      ...[SETT_MODEL_CONTEXT, SETT_MODEL_OUTPUT, SETT_MODEL_TIMEOUT],
    ],
    environment: Object.fromEntries(entries.filter((variable) => !isOwn(variable))),
    resources,
    // Its place among the others says nothing to the agent itself.
    settings: [{ ...registration, position: undefined }, SETT_BID_COMMAND],
    container: [
      container,
      entrypoint,
      command,
      Object.fromEntries(entries.filter(isOwn)),
      labels.workspace,
    ],
  };
  const fingerprint = Object.entries(parts).map(
    ([kind, value]) => `${kind}=${digestOf(value, key)}`,
  );
  return { ...spec, labels: { ...labels, fingerprint: fingerprint.join(" ") } };
}

/**
 * The names of the parts in which two fingerprints differ, and never their values. Empty where they
 * are equal.
 */
export function changedParts(before: string | undefined, now: string | undefined): string[] {
  if (before === now) return [];
  const known = new Set(before?.split(" "));
  const kindOf = (part: string) => part.split("=")[0] ?? "";
  const kindsBefore = new Set([...known].map(kindOf));
  const changed = (now ?? "").split(" ").flatMap((part) => (known.has(part) ? [] : [kindOf(part)]));
  const named = changed.filter((kind) => !unnamed.includes(kind) && kindsBefore.has(kind));
  return named.length > 0 ? named : ["container"];
}

function digestOf(value: unknown, key: string | undefined): string {
  const text = JSON.stringify([value], (_, each: unknown) =>
    isObject(each) ? sorted(each) : each,
  );
  const hash = key === undefined ? createHash("sha256") : createHmac("sha256", key);
  return hash.update(text).digest("hex").slice(0, 32);
}

function sorted(map: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1)));
}
