import { expect, test } from "bun:test";
import { readStory, type StorySource } from "../../../../../lib/client/facts/story.ts";
import { SettEvent } from "../../../../../lib/model/event.ts";
import { derived } from "../../../../support/records/lineage.ts";

const goal = derived([], { metadata: { summary: "Write it" } });
const elsewhere = derived([], { type: "Plan", version: 3, produced_by_agent: "planner" });
const lost = "99999999-9999-4999-8999-999999999999";
const claim_id = "44444444-4444-4444-8444-444444444444";
const made = derived([goal], { type: "Draft", produced_by_agent: "writer" });
const suggest = (words: string) => `sett ${words}`;

let places = 0;
function event(type: string, over: object): SettEvent {
  places += 1;
  const place = { id: `1795230000000-${places}`, time: "2026-11-21T09:00:00.000Z" };
  return SettEvent.parse({
    type,
    actor: "orchestrator:1",
    goal_id: goal.goal_id,
    ...place,
    ...over,
  });
}

const call = (agent: string, data: object) =>
  event("model_called", { claim_id, agent, actor: "gateway", data });
const events = [
  event("artefact_created", { artefact_id: goal.id, actor: "trigger:nightly" }),
  event("claim_opened", { claim_id, artefact_id: goal.id, data: { cause: "standard" } }),
  event("bid_placed", { claim_id, agent: "writer", data: { word: "exclusive" } }),
  event("bid_imposed", { claim_id, agent: "tester", data: { word: "ignore" } }),
  call("tester", { model: "small", usd: 9, request: "t".repeat(64) }),
  event("grant_started", {
    ...{ claim_id, agent: "writer", actor: "agent:writer@3f2a" },
    data: { attempt: 1, inputs: `${elsewhere.id} ${lost}`, inputs_left_out: 4, base_commit: "c1" },
  }),
  call("writer", { model: "large", usd: 0.25, request: "a".repeat(64) }),
  call("writer", { model: "large", unpriced: true, request: "b".repeat(64) }),
  event("artefact_created", { claim_id, artefact_id: made.id, data: { agent: "writer" } }),
  event("grant_done", {
    ...{ claim_id, agent: "writer", artefact_id: made.id },
    data: { attempt: 1, phase: "exclusive" },
  }),
];

function sourceOf(log: SettEvent[]): StorySource {
  const all = [goal, elsewhere, made];
  return {
    board: {
      findArtefacts: async () => [],
      readArtefact: async (id) => all.find((one) => one.id === id),
      readHeads: async (ids) =>
        all
          .filter(({ id }) => ids.includes(id))
          .map(({ payload, ...head }) => ({ head, payloadBytes: payload.length, beginning: "" })),
      readFacts: async () => new Map(),
    },
    eventsAbout: async () => log,
    pages: async function* () {},
    resultsOf: async () => [],
    seal: async (_goal, place) => ({ entry: 7, size: 9, root: place, origin: "demo" }),
  };
}

test("the calls of its own agent count, and each input is named, also of another goal or where it is lost", async () => {
  expect(await readStory(sourceOf(events), made.id, suggest)).toMatchObject({
    goal: { by: "trigger:nightly" },
    bids: [
      { agent: "writer", bid: "exclusive" },
      { agent: "tester", bid: "ignore" },
    ],
    grant: { agent: "writer", base_commit: "c1", image: null, run_by: "agent:writer@3f2a" },
    inputs: [
      { id: elsewhere.id, type: "Plan", version: 3, by: "agent:planner" },
      { id: lost, type: "an artefact", version: 1, by: "" },
    ],
    inputs_left_out: 4,
    calls: {
      ...{ count: 2, usd: 0.25, unpriced: 1, models: ["large"] },
      requests: ["a".repeat(64), "b".repeat(64)],
    },
    sealed: { root: events.at(-2)?.id },
  });
});

test("where the log does not say how an artefact came, there is no story of it", async () => {
  await expect(readStory(sourceOf(events.slice(0, 3)), made.id, suggest)).rejects.toMatchObject({
    code: "not-found",
    hint: "`sett doctor` says whether a part of the log is lost.",
  });
});
