// Whom a question goes to first (DESIGN §7): the agent that made what it is about, or whoever made what that came from, and so up the
// chain; at the user, or where nobody else is left, a person. Pure: the caller fetches the artefacts that the way up leads through.
import type { AgentRegistration } from "../model/agent.ts";
import { type ArtefactHead, userRole } from "../model/artefact.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";

/** How many agents may be asked one after the other, and how many artefacts looked at for each, before a person is. */
export const clarificationDepth = 10;

/** `look`: the artefact to be fetched and handed in next. */
export type Route = { to: "people" } | { to: "agent"; agent: AgentName } | { to: "look"; artefact: ArtefactId };

type Maker = Pick<ArtefactHead, "produced_by_role" | "produced_by_agent" | "source_artefacts">;

/**
 * `about`: the artefact that the question is about, and what was fetched on the way up from it, in order. `asked`: who asked, and who was
 * asked already, in this chain of questions.
 */
export function routeQuestion(input: {
  about: readonly Maker[];
  asked: ReadonlySet<string>;
  agents: readonly AgentRegistration[];
}): Route {
  const { about, asked, agents } = input;
  const here = about.at(-1);
  if (here === undefined || here.produced_by_role === userRole || here.produced_by_agent === "") return { to: "people" };
  if (asked.size > clarificationDepth || about.length > clarificationDepth) return { to: "people" };
  const producer = agents.find(({ name }) => name === here.produced_by_agent);
  // Who takes part by hand has no tool that answers.
  const canAnswer = producer !== undefined && !asked.has(producer.name) && producer.external !== true && producer.human !== true;
  if (canAnswer) return { to: "agent", agent: producer.name };
  const [earlier] = here.source_artefacts;
  return earlier === undefined ? { to: "people" } : { to: "look", artefact: earlier };
}
