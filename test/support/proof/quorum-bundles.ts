// Bundles in which two people have to approve something, each with what came of it.
import { goal, makeBundle } from "./bundle.ts";
import { key } from "./damages.ts";

const claim = "55555555-5555-4555-8555-555555555555";

type Said = { type: string; actor: string; data?: object; [member: string]: unknown };

const request = (data: object = { approvals: 2 }): Said => ({
  ...{ type: "grant_waiting", actor: "orchestrator:1", claim_id: claim, agent: "owner" },
  data,
});
const approved = (name: string, agent = "owner"): Said => ({
  ...{ type: "artefact_created", actor: `person:${name}`, claim_id: claim },
  data: { structural_type: "Review", agent },
});
const done = (data: object = {}, actor = "person:x"): Said => ({
  ...{ type: "grant_done", actor, claim_id: claim, agent: "owner" },
  data,
});
const ada = approved("Ada <ada@example.org>");
const bob = approved("bob");

/** `line`: of the problem in `records.jsonl`; undefined where there is none. */
export const quorums: [name: string, events: Said[], line: number | undefined][] = [
  ["two people", [request(), ada, bob, done()], undefined],
  ["one person", [request(), ada, done()], 3],
  ["none", [request(), done()], 2],
  ["one rule alone", [request({ approvals: 1 }), ada, done()], undefined],
  ["one person twice", [request(), ada, approved("A <ADA@example.org>"), done()], 4],
  ["a name in other letters", [request(), approved("Ada"), approved("ADA"), done()], 4],
  [
    "the poster",
    [request({ approvals: 2, not_by: "eve@example.org ada@example.org" }), ada, bob, done()],
    4,
  ],
  ["a part of a name", [request({ approvals: 2, not_by: "ada" }), ada, bob, done()], undefined],
  ["the approval of another agent", [request(), ada, approved("bob", "lead"), done()], 4],
  ["an approval before", [ada, request(), bob, done()], 4],
  ["a rejection", [request(), ada, done({ rejects: true })], undefined],
  ["a rejection that is none", [request(), ada, done({ rejects: "true" })], 3],
  ["an end that is not counted", [request(), ada, done(), request(), ada, bob, done()], undefined],
  ["an end that is there twice", [request(), ada, done(), done()], 3],
  ["an end that an agent says", [request(), ada, done({}, "agent:owner@1")], 3],
  ["a question of a person", [{ ...request(), actor: "person:eve" }, ada, done()], undefined],
  ["no rule", [request({ phase: "review" }), ada, done()], undefined],
  ["a rule that is a text", [request({ approvals: "2" }), ada, done()], undefined],
  ["a rule of a half", [request({ approvals: 2.5 }), ada, done()], undefined],
  ["a rule of a hundred", [request({ approvals: 100 }), ada, done()], undefined],
  ["a rule that is below one", [request({ approvals: -2 }), ada, done()], undefined],
  ["a claim that is none", [{ ...request(), claim_id: "x" }, ada, done()], undefined],
  ["half a character", [request(), ada, approved("\ud800"), approved("\ufffd"), done()], undefined],
  ["data that is none", [{ ...request(), data: [2] }, ada, done()], undefined],
];

export async function quorumBundle(events: readonly Said[]): Promise<Map<string, Uint8Array>> {
  const sealed = events.map(({ type, ...event }, at) => ({
    ...{ place: `1795230000000-${at}`, type },
    event: JSON.stringify({ ...event, goal_id: goal }),
  }));
  return await makeBundle(key, sealed, { goal });
}
