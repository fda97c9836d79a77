// Names all that a container is made from, so that the next `sett up` can tell whether it would make just the same again.
import { createHash } from "node:crypto";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";

/**
 * The specification with a label that holds a digest of it and of the image's id, for a tag may name another image tomorrow. An
 * agent's registration belongs to it: the cub reads it when it starts. Comparing one label is plainer, and surer, than comparing the
 * plan with what the engine tells of a container, which it puts in its own words and completes with defaults of its own. The order of keys
 * does not count, and other labels do not either: what they say of a container is in its name and its environment.
 */
export function withMadeFrom(spec: ContainerSpec, imageId: string, registration?: AgentRegistration): ContainerSpec {
  const { labels, ...rest } = spec;
  const text = JSON.stringify([rest, imageId, registration], (_, value: unknown) => (isMap(value) ? sorted(value) : value));
  return { ...spec, labels: { ...labels, madeFrom: createHash("sha256").update(text).digest("hex") } };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(map: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1)));
}
