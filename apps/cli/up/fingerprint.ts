// Names all that a container is made from, so that the next `sett up` can tell whether it would make just the same again, and if not, what
// has changed.
import { createHash } from "node:crypto";
import type { AgentRegistration } from "../../../lib/model/agent.ts";
import type { ContainerSpec } from "../../../lib/runtime/container-spec.ts";

/** What the plan says beside sett.yml, and this machine's programs: told as the container where nothing else has changed. */
const unnamed = ["container", "programs"];

/** Set by Sett itself, whatever the agent's `environment` says. */
const ownVariable = /^(?:SETT_|LD_|BUN_|REDIS_URL$)/;

/**
 * The specification with a label that holds digests of its parts and of the image's id, for a tag may name another image tomorrow. An
 * agent's registration belongs to it: the cub reads it when it starts. Comparing one label is plainer, and surer, than comparing the
 * plan with what the engine tells of a container, which it puts in its own words and completes with defaults of its own. The order of keys
 * does not count, and other labels do not either: what they say of a container is in its name and its environment.
 */
export function withMadeFrom(spec: ContainerSpec, imageId: string, registration?: AgentRegistration): ContainerSpec {
  const { labels, image, entrypoint, command, env, resources, ...container } = spec;
  const { SETT_AGENT_COMMAND, SETT_PROMPT_CLAIM, SETT_PROMPT_EXECUTION, ...variables } = env;
  const isOwn = ([name]: [string, string]) => ownVariable.test(name);
  const given = Object.entries(variables);
  const parts = {
    image: [image, imageId],
    command: SETT_AGENT_COMMAND,
    prompts: [SETT_PROMPT_CLAIM, SETT_PROMPT_EXECUTION],
    environment: Object.fromEntries(given.filter((variable) => !isOwn(variable))),
    resources,
    settings: registration,
    container: [container, entrypoint, command, Object.fromEntries(given.filter(isOwn))],
  };
  const madeFrom = Object.entries(parts).map(([kind, value]) => `${kind}=${digestOf(value)}`);
  return { ...spec, labels: { ...labels, madeFrom: madeFrom.join(" ") } };
}

/** The same on another runtime: what it was made from by its plan still counts, and so does what becomes of it there. */
export function withPrograms(planned: ContainerSpec, spec: ContainerSpec, version: string): ContainerSpec {
  const { labels: _, ...rest } = spec;
  const madeFrom = `${planned.labels.madeFrom} programs=${digestOf([rest, version])}`;
  return { ...spec, labels: { ...spec.labels, madeFrom } };
}

/** What two such labels differ in, in words for people; never what it is or was. Empty where they are the same. */
export function changedParts(before: string | undefined, now: string | undefined): string[] {
  if (before === now) return [];
  const known = new Set(before?.split(" "));
  const kindOf = (part: string) => part.split("=")[0] ?? "";
  const kindsBefore = new Set([...known].map(kindOf));
  const changed = (now ?? "").split(" ").flatMap((part) => (known.has(part) ? [] : [kindOf(part)]));
  const named = changed.filter((kind) => !unnamed.includes(kind) && kindsBefore.has(kind));
  return named.length > 0 ? named : ["container"];
}

function digestOf(value: unknown): string {
  const text = JSON.stringify([value], (_, each: unknown) => (isMap(each) ? sorted(each) : each));
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sorted(map: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1)));
}
