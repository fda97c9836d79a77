// Calls of tools that wait for a person.
import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { maxAskedCalls } from "../../../../lib/model/asked-call.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { digestOf, runModelGrant } from "../../../support/blackboard/model-scene.ts";
import { acquireLeaderLease } from "../../../support/blackboard/scene.ts";
import { newArtefactId } from "../../../support/records/sample.ts";

const wanted = (text: string) => ({
  ...{ id: randomUUID(), digest: digestOf(text), server: "issues", tool: "create_issue" },
  arguments: text,
});

export function askedCallsSuite(open: () => Promise<Bench>): void {
  test("a call that a person allows passes once, also where the answer to that is lost; one that is refused never does", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const of = { goal: goal.goal_id, token };
    const [one, other] = [wanted('{"title":"Ä / \\"1\\""}'), wanted("{}")];
    const asks = (call: typeof one) =>
      board.askCall({ ...of, call: { ...call, id: randomUUID() } });
    expect(await board.askCall({ ...of, call: one })).toEqual({ outcome: "waits" });
    expect(await asks(one)).toEqual({ outcome: "waits" });
    expect(await asks(other)).toEqual({ outcome: "waits" });

    const epochOfNow = await acquireLeaderLease(board);
    const calls = (await board.readAskedCalls(goal.goal_id)).sort((first) =>
      first.digest === one.digest ? -1 : 1,
    );
    expect(calls[0]).toEqual({
      ...one,
      ...{ claim_id: token.claim, agent: token.agent, attempt: 1, state: "asked" },
    });
    const answer = newArtefactId();
    const decide = (at: number, isAllowed: boolean, epoch = epochOfNow) => {
      const call = calls[at];
      if (call === undefined) throw new Error("Two calls wait.");
      return board.decideCall({ epoch, goal: goal.goal_id, call, isAllowed, answer, words: "No." });
    };
    expect(await decide(0, true, epochOfNow - 1)).toEqual({ outcome: "fenced" });
    expect(await decide(0, true)).toEqual({ outcome: "decided" });
    expect(await decide(0, false)).toEqual({ outcome: "already" });
    expect(await decide(1, false)).toEqual({ outcome: "decided" });

    const again = { ...one, id: randomUUID() };
    for (const _ of [1, 2])
      expect(await board.askCall({ ...of, call: again })).toEqual({ outcome: "allowed", answer });
    expect(await asks(one)).toEqual({ outcome: "waits" });
    expect(await decide(0, true)).toEqual({ outcome: "already" });
    for (const _ of [1, 2])
      expect(await asks(other)).toEqual({ outcome: "denied", answer, words: "No." });
  });

  test("only the token of running work asks, and so many calls of an attempt wait at most", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, token } = await runModelGrant(board);
    const of = { goal: goal.goal_id, token };
    const forged = { ...of, token: { ...token, digest: digestOf("forged") } };
    expect(await board.askCall({ ...forged, call: wanted("0") })).toMatchObject({
      ...{ outcome: "refused", isEnded: false },
    });
    for (let at = 0; at < maxAskedCalls; at++)
      expect(await board.askCall({ ...of, call: wanted(`${at}`) })).toEqual({ outcome: "waits" });
    expect(await board.askCall({ ...of, call: wanted("more") })).toEqual({ outcome: "full" });
    expect(await board.readAskedCalls(goal.goal_id)).toHaveLength(maxAskedCalls);
  });
}
