import { expect, test } from "bun:test";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { Mail, MailAnswer } from "../../../../lib/blackboard/port/mail-port.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  done,
  events,
  queueGrant,
  resultOf,
  runGrant,
  running,
  user,
} from "../../../support/blackboard/scene.ts";
import { errorOf } from "../../../support/error-of.ts";
import { agentName, sampleAgent } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";

const [coder, tester] = [agentName("coder"), agentName("tester")];
const none = { agent: coder, place: "0-1", id: "none" };

async function register(board: Blackboard, ...names: string[]): Promise<void> {
  await board.registerAgents(
    names.map((name) => sampleAgent(name)),
    user,
    { exact: true },
  );
}

export function mailSuite(open: () => Promise<Bench>): void {
  test("the leader reads what was sent before and what comes, in order, and knows the agent by its stream", async () => {
    await using bench = await open();
    await register(bench.board, "coder", "tester");
    await bench.board.sendMail(coder, { id: "a", text: "first" });
    await using mail = follow(bench.board);
    await mail.has(1);
    await bench.board.sendMail(coder, { id: "b", text: "second" });
    await bench.board.sendMail(tester, { id: "a", text: "ours\u0000ü" });
    await mail.has(3);
    const of = (agent: string) =>
      mail.seen.filter((one) => one.agent === agent).map(({ id, text }) => [id, text]);
    expect(of("coder")).toEqual([
      ["a", "first"],
      ["b", "second"],
    ]);
    expect(of("tester")).toEqual([["a", "ours\u0000ü"]]);
  });

  test("what is dealt with is gone; the rest comes again to who follows next", async () => {
    await using bench = await open();
    await register(bench.board, "coder");
    for (const id of ["a", "b", "c"]) await bench.board.sendMail(coder, { id, text: "{}" });
    {
      await using mail = follow(bench.board);
      await mail.has(3);
      const [, second] = mail.seen;
      await bench.board.answerMail(second as Mail, undefined);
    }
    await using mail = follow(bench.board);
    await mail.has(2);
    expect(mail.seen.map(({ id }) => id)).toEqual(["a", "c"]);
  });

  test("an agent that is only expected is read as well; one that is not known is not, until it is", async () => {
    await using bench = await open();
    await bench.board.expectAgents([sampleAgent("coder")], user);
    await bench.board.sendMail(tester, { id: "early", text: "{}" });
    await bench.board.sendMail(coder, { id: "a", text: "{}" });
    await using mail = follow(bench.board);
    await mail.has(1);
    expect(mail.seen.map(({ agent }) => agent)).toEqual([coder]);
    await register(bench.board, "coder", "tester");
    await using later = follow(bench.board);
    await later.has(2);
    expect(later.seen.map(({ agent }) => agent).sort()).toEqual([coder, tester]);
  });

  test("an agent that was removed is read as well, and its role is known", async () => {
    await using bench = await open();
    await bench.board.registerAgents([sampleAgent("coder", { role: "programmer" })], user, {
      exact: true,
    });
    await register(bench.board, "tester");
    await using mail = follow(bench.board);
    await bench.board.sendMail(coder, { id: "late", text: "{}" });
    await mail.has(1);
    expect(mail.seen).toMatchObject([{ agent: coder, id: "late" }]);
    expect(await bench.board.roleOfSender(coder)).toBe("programmer");
    expect(await bench.board.roleOfSender(agentName("ghost"))).toBeUndefined();
  });

  test("what a busy agent sends waits in its stream, and keeps no other agent's waiting", async () => {
    await using bench = await open();
    await register(bench.board, "coder", "tester");
    let isBusy = true;
    await using mail = follow(bench.board, (agent) => isBusy && agent === coder);
    await bench.board.sendMail(coder, { id: "a", text: "{}" });
    await bench.board.sendMail(tester, { id: "b", text: "{}" });
    await mail.has(1);
    expect(mail.seen.map(({ id }) => id)).toEqual(["b"]);
    isBusy = false;
    await bench.board.sendMail(tester, { id: "c", text: "{}" });
    await mail.has(3);
    expect(mail.seen.map(({ id }) => id).toSorted()).toEqual(["a", "b", "c"]);
  });

  test("the mail of an agent that takes more than it may is dropped, and no other agent's", async () => {
    await using bench = await open();
    await register(bench.board, "coder", "tester");
    for (const id of ["a", "b"])
      await bench.board.sendMail(coder, { id, text: "x".repeat(100_000) });
    await bench.board.sendMail(tester, { id: "c", text: "{}" });
    expect(await bench.board.dropMail(1_000_000)).toEqual([]);
    const [dropped, ...more] = await bench.board.dropMail(50_000);
    expect(dropped).toMatchObject({ agent: coder, messages: 2 });
    expect(dropped?.bytes).toBeGreaterThan(200_000);
    expect(more).toEqual([]);
    await using mail = follow(bench.board);
    await bench.board.sendMail(coder, { id: "d", text: "{}" });
    await mail.has(2);
    expect(mail.seen.map(({ id }) => id).toSorted()).toEqual(["c", "d"]);
  });

  test("a mailbox with places of the clock stays as it is, and is no matter of one who leads no more", async () => {
    await using bench = await open();
    await register(bench.board, "coder", "tester");
    const epoch = await acquireLeaderLease(bench.board);
    await bench.board.sendMail(coder, { id: "a", text: "{}" });
    expect(await bench.board.reopenMail(epoch)).toEqual({ outcome: "done", reopened: [] });
    await bench.board.dropMail(0);
    expect(await bench.board.reopenMail(epoch, [coder])).toEqual({ outcome: "done", reopened: [] });
    await acquireLeaderLease(bench.board);
    expect(await bench.board.reopenMail(epoch)).toEqual({ outcome: "fenced" });
  });

  test("an agent gets the answers that come from then on, and no other agent's", async () => {
    await using bench = await open();
    await bench.board.answerMail(none, "too early");
    const stop = new AbortController();
    const seen: MailAnswer[] = [];
    let fresh = 0;
    const following = (async () => {
      for await (const batch of bench.board.followMailAnswers(coder, stop.signal, () => {
        fresh += 1;
      }))
        seen.push(...batch);
    })();
    await waitFor("the agent to listen", () => fresh === 1);
    await bench.board.answerMail({ ...none, agent: tester }, "of the other");
    await bench.board.answerMail({ ...none, id: "1" }, '{"outcome":"yes"}');
    await bench.board.answerMail({ ...none, id: "2" }, undefined);
    await bench.board.answerMail({ ...none, id: "3" }, "last");
    await waitFor("the answers", () => seen.length === 2);
    expect(seen).toEqual([
      { re: "1", text: '{"outcome":"yes"}' },
      { re: "3", text: "last" },
    ]);
    stop.abort();
    await following;
  });

  test("after a loss of contact all that is unanswered comes again, and an agent learns that it may have missed answers", async () => {
    await using bench = await open();
    await register(bench.board, "coder");
    for (const id of ["a", "b"]) await bench.board.sendMail(coder, { id, text: "{}" });
    await using mail = follow(bench.board);
    await mail.has(2);
    let fresh = 0;
    const stop = new AbortController();
    const following = (async () => {
      for await (const _ of bench.board.followMailAnswers(coder, stop.signal, () => {
        fresh += 1;
      }));
    })();
    await waitFor("the agent to listen", () => fresh === 1);
    await bench.reconnect();
    await mail.has(4);
    expect(mail.seen.map(({ id }) => id)).toEqual(["a", "b", "a", "b"]);
    await waitFor("the agent to listen again", () => fresh >= 2);
    stop.abort();
    await following;
  });

  test("what was read on an earlier connection is neither applied nor removed: Redis may have lost it, or what came before", async () => {
    await using bench = await open();
    await register(bench.board, "coder");
    const { claim } = await queueGrant(bench.board);
    await bench.board.sendMail(coder, { id: "a", text: "{}" });
    await using mail = follow(bench.board);
    await mail.has(1);
    const readOn = bench.board.connectionNumber();
    await bench.reconnect();
    const accept = { claim: claim.id, grant: running("coder"), leaseMs: 60_000 };
    const late = [
      bench.board.acceptGrant({ ...accept, readOn }),
      bench.board.answerMail(mail.seen[0] as Mail, "late", readOn),
      bench.board.placeBid({ claim: claim.id, agent: coder, word: "claim", readOn }),
      bench.board.allowBidCalls({ claim: claim.id, agent: coder, digest: "0".repeat(64), readOn }),
    ];
    for (const error of await Promise.all(late.map(errorOf)))
      expect(error).toMatchObject({ code: "redis-unreachable" });
    await mail.has(2);
    expect(await events(bench.board, "grant_started")).toEqual([]);
    const now = bench.board.connectionNumber();
    expect(await bench.board.acceptGrant({ ...accept, readOn: now })).toEqual({
      outcome: "accepted",
    });
    await bench.board.answerMail(mail.seen[0] as Mail, "now", now);
    await using after = follow(bench.board);
    await bench.board.sendMail(coder, { id: "b", text: "{}" });
    await after.has(1);
    expect(after.seen.map(({ id }) => id)).toEqual(["b"]);
  });

  test("the message that starts or ends a grant goes in the same step, and is answered unless it is quiet", async () => {
    await using bench = await open();
    await register(bench.board, "coder");
    const { claim, goal } = await queueGrant(bench.board);
    const answers: MailAnswer[] = [];
    const stop = new AbortController();
    const following = (async () => {
      for await (const batch of bench.board.followMailAnswers(coder, stop.signal, () => {}))
        answers.push(...batch);
    })();
    for (const id of ["start", "repeat", "end", "kept"])
      await bench.board.sendMail(coder, { id, text: "{}" });
    await using mail = follow(bench.board);
    await mail.has(4);
    const applied = (index: number, isQuiet: boolean) => ({
      place: "",
      id: "",
      ...mail.seen[index],
      isQuiet,
    });
    const accept = { claim: claim.id, grant: running("coder"), leaseMs: 60_000 };
    await bench.board.acceptGrant({ ...accept, mail: applied(0, true) });
    await bench.board.acceptGrant({ ...accept, mail: applied(1, false) });
    const result = done(claim.id, resultOf(goal, claim));
    await bench.board.finishGrant({ ...result, mail: applied(2, false) });
    expect(await bench.board.acceptGrant({ ...accept, mail: applied(3, false) })).toMatchObject({
      outcome: "refused",
    });
    await waitFor("the answers", () => answers.length === 2);
    expect(answers).toEqual([
      { re: "repeat", text: '{"outcome":"yes"}' },
      { re: "end", text: '{"outcome":"yes"}' },
    ]);
    await using left = follow(bench.board);
    await left.has(1);
    expect(left.seen.map(({ id }) => id)).toEqual(["kept"]);
    stop.abort();
    await following;
  });

  test("a lease is renewed and a result stored only on the connection on which their messages were read", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const readOn = bench.board.connectionNumber();
    await bench.reconnect();
    const lease = { claim: claim.id, agent: coder, attempt: 1, leaseMs: 60_000 };
    const result = done(claim.id, resultOf(goal, claim));
    const late = [
      bench.board.renewLease({ ...lease, readOn }),
      bench.board.finishGrant({ ...result, readOn }),
    ];
    for (const error of await Promise.all(late.map(errorOf)))
      expect(error).toMatchObject({ code: "redis-unreachable" });
    expect(await bench.board.readArtefact(result.result.artefact.id)).toBeUndefined();
    const now = bench.board.connectionNumber();
    expect(await bench.board.renewLease({ ...lease, readOn: now })).toEqual({ outcome: "renewed" });
    expect(await bench.board.finishGrant({ ...result, readOn: now })).toEqual({
      outcome: "finished",
    });
  });
}

/** Returns what the leader reads. */
function follow(board: Blackboard, isBusy: (agent: string) => boolean = () => false) {
  const stop = new AbortController();
  const seen: Mail[] = [];
  const following = (async () => {
    for await (const mails of board.followMail(stop.signal, isBusy)) seen.push(...mails);
  })();
  return {
    seen,
    has: (count: number) => waitFor(`${count} messages`, () => seen.length >= count),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await following;
    },
  };
}
