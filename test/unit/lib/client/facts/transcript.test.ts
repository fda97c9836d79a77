import { expect, test } from "bun:test";
import {
  type CallWithBodies,
  readTranscript,
  transcriptJson,
} from "../../../../../lib/client/facts/transcript.ts";
import { ArtefactId } from "../../../../../lib/model/ids.ts";
import type { OpenCall } from "../../../../../lib/model/model-call.ts";
import { recordOf, reserveOrder } from "../../../../support/blackboard/model-scene.ts";
import {
  agentName,
  newArtefactId,
  newClaimId,
  newGoalId,
  sampleArtefact,
} from "../../../../support/records/sample.ts";

const token = {
  kind: "grant",
  claim: newClaimId(),
  agent: agentName("coder"),
  attempt: 1,
  digest: "",
} as const;
const open: OpenCall = {
  ...reserveOrder(token).call,
  ...{
    goal_id: newGoalId(),
    claim_id: token.claim,
    artefact_id: newArtefactId(),
    agent: token.agent,
    kind: "grant",
    attempt: 1,
  },
};
const callOf = (body: string): CallWithBodies => ({
  call: recordOf(open),
  request: { text: body },
  answer: { text: body },
});

test("as JSON a body is JSON where it is, and null where it was not kept", () => {
  const { calls } = transcriptJson("x", { calls: [callOf('{"a":1}'), callOf("data: x")] });
  expect(calls.map(({ request_body }) => request_body)).toEqual([{ a: 1 }, "data: x"]);
  const unkept = transcriptJson("x", { calls: [{ ...callOf("{}"), request: undefined }] });
  expect(unkept.calls[0]).toMatchObject({ request_body: null, answer_body: {}, outcome: "ok" });
});

test("of a goal every call is shown, also about a bid, and of work that was cancelled or lost", async () => {
  const goal = sampleArtefact();
  const calls = (["ok", "cancelled", "lost", "failed"] as const).map((outcome, index) =>
    recordOf({ ...open, kind: index === 0 ? "bid" : "grant" }, { outcome }),
  );
  const board = {
    readCalls: async () => ({ ended: calls, open: [] }),
    readHeads: async () => [],
    listArtefactsOfGoal: async () => [],
  };
  const read = async (id: ArtefactId) =>
    (await readTranscript(board, { ...goal, id }, async () => new Map())).calls;
  expect((await read(ArtefactId.parse(goal.goal_id))).map(({ call }) => call)).toEqual(calls);
  expect(await read(newArtefactId())).toEqual([]);
});
