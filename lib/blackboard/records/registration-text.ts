// A registration as it is stored: JSON, which people may have written by hand, or a program of
// another version.
import { z } from "zod";
import { AgentRegistration, type RegisteredAgent } from "../../model/agent.ts";
import { messageOf } from "../../model/errors.ts";
import type { AgentName } from "../../model/ids.ts";
import { parseJson } from "../../model/json.ts";

/**
 * Members that a later version has added are ignored, but not those of a rule: they may change what
 * it means.
 */
const StoredRegistration = z.object(AgentRegistration.shape);

/** Never fails: an agent whose registration cannot be read is registered all the same. */
export function registrationOfText(name: AgentName, text: string): RegisteredAgent {
  const read = StoredRegistration.safeParse(parseJson(text));
  const problem = read.success ? nameProblem(name, read.data.name) : problemOf(text, read.error);
  if (read.success && problem === undefined) return read.data;
  return {
    name,
    role: name,
    replicas: 1,
    strategy: "reuse",
    bids: [],
    on_missing_bid: "wait",
    workspace_mode: "ro",
    timeout_ms: 1,
    retries: 0,
    image: "",
    unreadable: { text, problem: problem ?? "" },
  };
}

/** The text to store, and the data of its event. */
export function textOfRegistration(agent: RegisteredAgent): {
  text: string;
  data: Record<string, string | number>;
} {
  if (agent.unreadable !== undefined) return { text: agent.unreadable.text, data: {} };
  // Parsing puts the members in one order, so that the same registration is the same text.
  const registration = AgentRegistration.parse(agent);
  const { role, replicas, strategy, image } = registration;
  return { text: JSON.stringify(registration), data: { role, replicas, strategy, image } };
}

function nameProblem(name: AgentName, found: AgentName): string | undefined {
  return name === found ? undefined : `it is the registration of ${found}`;
}

function problemOf(text: string, { issues }: z.ZodError): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return `it is not JSON (${messageOf(error)})`;
  }
  const path = issues[0]?.path.map(String) ?? [];
  if (path.length === 0) return "it is not a JSON object";
  const name = `\`${path.join(".")}\``;
  return valueAt(parseJson(text), path) === undefined
    ? `${name} is missing`
    : `${name} has a value that this version of Sett does not know`;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  return typeof value === "object" && value !== null
    ? valueAt(Object.entries(value).find(([key]) => key === first)?.[1], rest)
    : undefined;
}
