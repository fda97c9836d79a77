import { describe, expect, test } from "bun:test";
import { clarificationDepth, routeQuestion } from "../../../../lib/core/route-question.ts";
import type { AgentRegistration } from "../../../../lib/model/agent.ts";
import type { ArtefactId } from "../../../../lib/model/ids.ts";
import { agentName, newArtefactId, sampleAgent } from "../../../support/records/sample.ts";

const madeBy = (agent: string, ...source_artefacts: ArtefactId[]) => ({
  produced_by_role: agent === "" ? "user" : agent.replace(/-\d+$/, ""),
  produced_by_agent: agent,
  source_artefacts,
});
/** `coder-2` has the role `coder`. */
const member = (name: string, over: Partial<AgentRegistration> = {}) =>
  sampleAgent(name, { role: name.replace(/-\d+$/, ""), ...over });
const clan = (...names: string[]): AgentRegistration[] => names.map((name) => member(name));
const earlier = newArtefactId();
const toEarlier = { to: "fetch", artefact: earlier } as const;

type Input = Parameters<typeof routeQuestion>[0];
const route = (
  about: Input["about"],
  agents: Input["agents"],
  over: { asking?: string[]; tried?: [string, string][] } = {},
) =>
  routeQuestion({
    about,
    agents,
    asking: new Set(over.asking ?? ["tester"]),
    tried: new Map(over.tried),
  });
const toCoder = (agent: string, because: string) => ({
  to: "agent" as const,
  agent: agentName(agent),
  standIn: { for: "coder", because },
});

describe("a question goes", () => {
  const about = [madeBy("coder", earlier)];

  test("to the agent that made what it is about", () => {
    expect(route(about, clan("coder", "coder-2", "tester"))).toEqual({
      to: "agent",
      agent: agentName("coder"),
    });
  });

  test("to people about what a person made", () => {
    expect(route([madeBy("")], clan("coder", "user"))).toEqual({ to: "people" });
  });

  test.each([
    [
      "asks it itself, or on the way here",
      clan("coder", "coder-2"),
      { asking: ["tester", "coder"] },
    ],
    [
      "was asked and could not answer",
      clan("coder"),
      { tried: [["coder", "It failed."] as [string, string]] },
    ],
    ["is gone", clan("tester"), {}],
    ["takes part by hand", [member("coder", { external: true })], {}],
    ["is a person who reviews", [member("coder", { human: true })], {}],
  ])("past an agent that %s, to what its artefact came from", (_, agents, over) => {
    expect(route(about, agents, over)).toEqual(toEarlier);
  });

  test.each([
    ["is gone", [], {}, "It is not registered any more."],
    [
      "was asked and could not answer",
      clan("coder"),
      { tried: [["coder", "It failed."] as [string, string]] },
      "It failed.",
    ],
    ["takes part by hand", [member("coder", { external: true })], {}, "It takes part by hand."],
  ])("to another of its role where the agent %s", (_, agents, over, because) => {
    const all = [...agents, ...clan("coder-3", "coder-2", "tester")];
    expect(route(about, all, over)).toEqual(toCoder("coder-2", because));
  });

  test("to each of the role once, in the order of their names, and then on to what the artefact came from", () => {
    const all = clan("coder-3", "coder-2");
    const tried: [string, string][] = [["coder-2", "It knows nothing either."]];
    expect(route(about, all, { tried })).toEqual(
      toCoder("coder-3", "It is not registered any more."),
    );
    expect(route(about, all, { tried: [...tried, ["coder-3", "Nor does it."]] })).toEqual(
      toEarlier,
    );
  });

  test("to no agent that has no tool, asks itself, or has an unreadable registration", () => {
    const unreadable = {
      ...member("coder-2"),
      unreadable: { text: "{", problem: "it is not JSON" },
    };
    const others = [
      member("coder-3", { external: true }),
      member("coder-4", { human: true }),
      member("coder-5"),
      unreadable,
    ];
    expect(route(about, others, { asking: ["coder-5"] })).toEqual(toEarlier);
  });

  test("to people where nothing came before, and after so many agents or artefacts", () => {
    expect(route([madeBy("gone")], [])).toEqual({ to: "people" });
    const many = Array.from({ length: clarificationDepth + 1 }, (_, index) => `agent-${index}`);
    expect(route(about, clan("coder"), { asking: many })).toEqual({ to: "people" });
    expect(route(about, clan("coder"), { tried: many.map((name) => [name, ""]) })).toEqual({
      to: "people",
    });
    expect(
      route(
        many.map(() => madeBy("gone", earlier)),
        clan("coder"),
      ),
    ).toEqual({ to: "people" });
  });
});
