// Whom a question goes to first (docs/internals/claims.md#questions): the agent that made what it is about, another of its role where that one cannot answer, or whoever
// made what that came from, and so up the chain; at the user, or where nobody else is left, a person. Pure: the caller fetches the artefacts that the way up leads through.
import type { RegisteredAgent } from "../model/agent.ts";
import { type ArtefactHead, userRole } from "../model/artefact.ts";
import type { StandIn } from "../model/claim.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";
import { hasTool, isNotRegistered, standInsFor } from "./stand-in.ts";

/** How many agents may be asked one after the other, and how many artefacts looked at for each, before a person is. */
export const clarificationDepth = 10;

/** `look`: the artefact to be fetched and handed in next. */
export type Route =
  | { to: "people" }
  | { to: "agent"; agent: AgentName; standIn?: StandIn }
  | { to: "fetch"; artefact: ArtefactId };

type Made = Pick<ArtefactHead, "produced_by_role" | "produced_by_agent" | "source_artefacts">;

/**
 * `about`: the artefact that the question is about, and what was fetched on the way up from it, in order. `asking`: who asks, and who asked on
 * the way here: who does not know is not asked, nor anybody in its place. `tried`: who was asked this before, and why that came to nothing.
 */
export function routeQuestion(input: {
  about: readonly Made[];
  asking: ReadonlySet<string>;
  tried: ReadonlyMap<string, string>;
  agents: readonly RegisteredAgent[];
}): Route {
  const { about, asking, tried, agents } = input;
  const here = about.at(-1);
  if (here === undefined || here.produced_by_role === userRole || here.produced_by_agent === "") return { to: "people" };
  if (asking.size + tried.size > clarificationDepth || about.length > clarificationDepth) return { to: "people" };
  const maker = here.produced_by_agent;
  const producer = agents.find(({ name }) => name === maker);
  if (!asking.has(maker)) {
    const because = whyNot(producer, tried.get(maker));
    if (producer !== undefined && because === undefined) return { to: "agent", agent: producer.name };
    const another = standInsFor(here, agents).find((name) => !asking.has(name) && !tried.has(name));
    if (another !== undefined) return { to: "agent", agent: another, standIn: { for: maker, because: because ?? "" } };
  }
  const [earlier] = here.source_artefacts;
  return earlier === undefined ? { to: "people" } : { to: "fetch", artefact: earlier };
}

/** Why whoever made it cannot answer, if it cannot. */
function whyNot(producer: RegisteredAgent | undefined, outcome: string | undefined): string | undefined {
  if (outcome !== undefined) return outcome;
  if (producer === undefined) return isNotRegistered;
  return hasTool(producer) || producer.unreadable !== undefined ? undefined : "It takes part by hand.";
}
