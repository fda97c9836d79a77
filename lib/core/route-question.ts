// Decides to whom a question goes next (docs/internals/claims.md#questions): the agent that made
// the artefact that the question is about; another agent of its role where that one cannot answer;
// then the producer of that artefact's source, and so up the chain; at the user, or where no agent
// is left, a person. Pure: the caller fetches the artefacts of the chain.
import type { RegisteredAgent } from "../model/agent.ts";
import { type ArtefactHead, userRole } from "../model/artefact.ts";
import type { StandIn } from "../model/claim.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";
import { hasTool, isNotRegistered, standInsFor } from "./stand-in.ts";

/**
 * How many agents may be asked one after the other, and how many artefacts of the chain are
 * followed, before a person is asked.
 */
export const clarificationDepth = 10;

/** `fetch`: the next artefact of the chain, for the caller to fetch and pass in. */
export type Route =
  | { to: "people" }
  | { to: "agent"; agent: AgentName; standIn?: StandIn }
  | { to: "fetch"; artefact: ArtefactId };

type Produced = Pick<ArtefactHead, "produced_by_role" | "produced_by_agent" | "source_artefacts">;

/**
 * `about`: the artefact that the question is about, and the artefacts of its chain that were
 * fetched so far, in order. `asking`: the agents that ask this question and those that led to it;
 * neither they nor their stand-ins are asked. `tried`: agent → why it gave no answer.
 */
export function routeQuestion(input: {
  about: readonly Produced[];
  asking: ReadonlySet<string>;
  tried: ReadonlyMap<string, string>;
  agents: readonly RegisteredAgent[];
}): Route {
  const { about, asking, tried, agents } = input;
  const here = about.at(-1);
  if (here === undefined || here.produced_by_role === userRole || here.produced_by_agent === "")
    return { to: "people" };
  if (asking.size + tried.size > clarificationDepth || about.length > clarificationDepth)
    return { to: "people" };
  const maker = here.produced_by_agent;
  const producer = agents.find(({ name }) => name === maker);
  if (!asking.has(maker)) {
    const because = whyNot(producer, tried.get(maker));
    if (producer !== undefined && because === undefined)
      return { to: "agent", agent: producer.name };
    const another = standInsFor(here, agents).find((name) => !asking.has(name) && !tried.has(name));
    if (another !== undefined)
      return { to: "agent", agent: another, standIn: { for: maker, because: because ?? "" } };
  }
  const [earlier] = here.source_artefacts;
  return earlier === undefined ? { to: "people" } : { to: "fetch", artefact: earlier };
}

/** Why the producer cannot answer, if it cannot. */
function whyNot(
  producer: RegisteredAgent | undefined,
  outcome: string | undefined,
): string | undefined {
  if (outcome !== undefined) return outcome;
  if (producer === undefined) return isNotRegistered;
  return hasTool(producer) || producer.unreadable !== undefined
    ? undefined
    : "It takes part by hand.";
}
