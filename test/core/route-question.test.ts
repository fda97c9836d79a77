import { describe, expect, test } from "bun:test";
import { clarificationDepth, routeQuestion } from "../../lib/core/route-question.ts";
import type { AgentRegistration } from "../../lib/model/agent.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";
import { agentName, newArtefactId, sampleAgent } from "../support/sample.ts";

const madeBy = (agent: string, ...source_artefacts: ArtefactId[]) => ({
  produced_by_role: agent === "" ? "user" : agent,
  produced_by_agent: agent,
  source_artefacts,
});
const clan = (...names: string[]): AgentRegistration[] => names.map((name) => sampleAgent(name));
const nobody = new Set<string>();
const earlier = newArtefactId();

describe("a question goes", () => {
  test("to the agent that made what it is about", () => {
    const route = routeQuestion({
      about: [madeBy("coder", earlier)],
      asked: new Set(["tester"]),
      agents: clan("coder", "tester"),
    });
    expect(route).toEqual({ to: "agent", agent: agentName("coder") });
  });

  test("to people about what a person made", () => {
    expect(routeQuestion({ about: [madeBy("")], asked: nobody, agents: clan("coder") })).toEqual({ to: "people" });
  });

  test.each([
    ["asked it, or was asked before", new Set(["coder"]), clan("coder")],
    ["is gone", nobody, clan("tester")],
    ["takes part by hand", nobody, [sampleAgent("coder", { external: true })]],
    ["is a person who reviews", nobody, [sampleAgent("coder", { human: true })]],
  ])("past an agent that %s, to what its artefact came from", (_, asked, agents) => {
    const about = [madeBy("coder", earlier)];
    expect(routeQuestion({ about, asked, agents })).toEqual({ to: "look", artefact: earlier });
  });

  test("to people where nothing came before, and after so many agents or artefacts", () => {
    expect(routeQuestion({ about: [madeBy("gone")], asked: nobody, agents: [] })).toEqual({ to: "people" });
    const many = Array.from({ length: clarificationDepth + 1 }, (_, index) => `agent-${index}`);
    const about = [madeBy("coder", earlier)];
    expect(routeQuestion({ about, asked: new Set(many), agents: clan("coder") })).toEqual({ to: "people" });
    const way = many.map(() => madeBy("gone", earlier));
    expect(routeQuestion({ about: way, asked: nobody, agents: clan("coder") })).toEqual({ to: "people" });
  });
});
