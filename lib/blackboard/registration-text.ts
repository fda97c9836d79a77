// A registration as it is stored: JSON, which people may have written by hand, or a program of another version.
import { z } from "zod";
import { AgentRegistration, type RegisteredAgent } from "../model/agent.ts";
import { messageOf } from "../model/errors.ts";
import type { AgentName } from "../model/ids.ts";

/** Members that a later version has added are passed over; within a rule they may change what it means, and are not. */
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

/** The text to store, and what its event tells. */
export function textOfRegistration(given: RegisteredAgent): { text: string; data: Record<string, string | number> } {
  if (given.unreadable !== undefined) return { text: given.unreadable.text, data: {} };
  // Parsing puts the members in one order, so that the same registration is the same text.
  const registration = AgentRegistration.parse(given);
  const { role, replicas, strategy, image } = registration;
  return { text: JSON.stringify(registration), data: { role, replicas, strategy, image } };
}

function nameProblem(name: AgentName, found: AgentName): string | undefined {
  return name === found ? undefined : `it is that of ${found}`;
}

function problemOf(text: string, { issues }: z.ZodError): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return `it is not JSON (${messageOf(error)})`;
  }
  const [first] = issues;
  return `${first?.path.join(".") || "the whole"}: ${first?.message}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
