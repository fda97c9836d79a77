// The cub's side of the mail sends messages, and sends them again after a reconnect.
import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { byMail } from "../../../../../lib/blackboard/mail/by-mail.ts";
import { unreadMessage } from "../../../../../lib/blackboard/port/mail.ts";
import { startedGrant } from "../../../../../lib/core/started-grant.ts";
import { ClaimId, InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import {
  at,
  done,
  queued,
  queueGrant,
  resultOf,
  running,
  user,
} from "../../../../support/blackboard/scene.ts";
import { agentName, sampleAgent } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";

const coder = agentName("coder");

test("a result tells of its run only where the start does not, and after it nothing is sent again", async () => {
  const memory = blackboardInMemory({ instance: InstanceName.parse("mail") });
  const board = await memory.open();
  await board.registerAgents([sampleAgent("coder")], user, { exact: true });
  const { claim, goal } = await queueGrant(board);
  const said: { say: string; run?: object; result?: object }[] = [];
  const stop = new AbortController();
  const answering = (async () => {
    for await (const mails of board.followMail(stop.signal, () => false))
      for (const mail of mails) {
        const { message, quiet: isQuiet } = JSON.parse(mail.text);
        said.push(message);
        if (message.say === "started") {
          const grant = startedGrant(queued("coder"), message.run);
          await board.acceptGrant({
            claim: claim.id,
            grant,
            leaseMs: 60_000,
            mail: { ...mail, isQuiet },
          });
        } else await board.answerMail(mail, '{"outcome":"yes"}', board.connectionNumber());
      }
  })();
  await using cub = byMail(await memory.open(), { agent: coder });
  const run = {
    run_id: randomUUID(),
    started_at: at,
    run_by: { pid: 7, born: "1@boot", namespace: "pid:[1]", container: "" },
  };
  const begun = await cub.beginWork({ claim: claim.id, run, mayTake: true, maxBytes: undefined });
  if (begun.outcome !== "taken") throw new Error(`The work is ${begun.outcome}.`);
  const grant = startedGrant(begun.grant, { ...run, context_ids: begun.contextIds });
  const order = done(claim.id, resultOf(goal, claim), grant);
  expect(await cub.finishGrant(order)).toEqual({ outcome: "finished" });
  expect(said.map(({ say, run }) => [say, run !== undefined])).toEqual([
    ["started", true],
    ["result", false],
  ]);
  await memory.reconnect();
  expect(await cub.finishGrant(order)).toEqual({ outcome: "finished" });
  await waitFor("the repeat", () => said.length >= 3);
  // Redis has lost the start, where it has lost the result. A letter may come twice.
  for (const { say, run } of said.slice(2))
    expect([say, run !== undefined]).toEqual(["result", true]);
  stop.abort();
  await answering;
});

test("an orchestrator of the version before, which reads no `stdin`, gets the result without it", async () => {
  const memory = blackboardInMemory({ instance: InstanceName.parse("mail") });
  const board = await memory.open();
  await board.registerAgents([sampleAgent("coder")], user, { exact: true });
  const { claim, goal } = await queueGrant(board);
  const results: object[] = [];
  const stop = new AbortController();
  const answering = (async () => {
    for await (const mails of board.followMail(stop.signal, () => false))
      for (const mail of mails) {
        const { say, result } = JSON.parse(mail.text).message;
        if (say === "result") results.push(result);
        const answer =
          result?.stdin === undefined
            ? { outcome: "yes" }
            : { outcome: "no", reason: `${unreadMessage}: message.result: It has a key too many.` };
        await board.answerMail(mail, JSON.stringify(answer), board.connectionNumber());
      }
  })();
  await using cub = byMail(await memory.open(), { agent: coder, timeoutMs: 120_000 });
  const order = done(claim.id, resultOf(goal, claim), running("coder"));
  const stdin = "0".repeat(64);
  expect(await cub.finishGrant({ ...order, result: { ...order.result, stdin } })).toEqual({
    outcome: "finished",
  });
  const [first, second] = results;
  expect(results).toHaveLength(2);
  expect(first).toEqual({ ...second, stdin });
  stop.abort();
  await answering;
}, 120_000);

test("on a new connection the start of a run is sent before a renewal of its lease", async () => {
  const memory = blackboardInMemory({ instance: InstanceName.parse("mail") });
  const board = await memory.open();
  await board.registerAgents([sampleAgent("coder")], user, { exact: true });
  const { claim } = await queueGrant(board);
  const mailbox = await memory.open();
  const sent: string[] = [];
  let listens = 0;
  await using cub = byMail(
    {
      ...mailbox,
      sendMail: async (_agent, { text }) => void sent.push(JSON.parse(text).message.say),
      // The connection for answers comes back later than the one for calls.
      followMailAnswers: (agent, signal, onFresh) =>
        mailbox.followMailAnswers(agent, signal, () => listens++ || onFresh()),
    },
    { agent: coder, timeoutMs: 10 },
  );
  const run = { run_id: randomUUID(), started_at: at };
  const begun = await cub.beginWork({ claim: claim.id, run, mayTake: true, maxBytes: undefined });
  expect(begun.outcome).toBe("taken");
  await memory.reconnect();
  await expect(
    cub.renewLease({ claim: claim.id, agent: coder, attempt: 1, leaseMs: 1_000 }),
  ).rejects.toThrow();
  expect(sent).toEqual(["started", "alive"]);
});

test("a renewal whose answer is lost leaves the lease time for another", async () => {
  const memory = blackboardInMemory({ instance: InstanceName.parse("mail") });
  const mailbox = await memory.open();
  const sent: string[] = [];
  await using cub = byMail(
    { ...mailbox, sendMail: async (_agent, { text }) => void sent.push(text) },
    { agent: coder, timeoutMs: 600_000 },
  );
  const renewal = { claim: ClaimId.parse(randomUUID()), agent: coder, attempt: 1, leaseMs: 30 };
  for (const _ of [1, 2]) await expect(cub.renewLease(renewal)).rejects.toThrow("does not answer");
  // The same letter, so that neither counts twice.
  expect([sent.length, new Set(sent).size]).toEqual([2, 1]);
});

test("a refusal that comes late, to a renewal of the run before, is not one of the run that follows", async () => {
  const memory = blackboardInMemory({ instance: InstanceName.parse("mail") });
  const board = await memory.open();
  await board.registerAgents([sampleAgent("coder")], user, { exact: true });
  const { claim } = await queueGrant(board);
  const mailbox = await memory.open();
  const sent: { id: string; say: string }[] = [];
  let tell: (answer: { re: string; text: string }) => void = () => {};
  await using cub = byMail(
    {
      ...mailbox,
      sendMail: async (_agent, { id, text }) =>
        void sent.push({ id, say: JSON.parse(text).message.say }),
      async *followMailAnswers(_agent, signal, onFresh) {
        onFresh();
        while (!signal.aborted)
          yield [
            await new Promise<{ re: string; text: string }>((resolve) => {
              tell = resolve;
            }),
          ];
      },
    },
    { agent: coder, timeoutMs: 10_000 },
  );
  const renew = (leaseMs: number) =>
    cub.renewLease({ claim: claim.id, agent: coder, attempt: 1, leaseMs });
  const refusal = '{"outcome":"no","reason":"The grant is queued in attempt 1."}';
  await expect(renew(60)).rejects.toThrow("does not answer");
  const begin = () => {
    const run = { run_id: randomUUID(), started_at: at };
    return cub.beginWork({ claim: claim.id, run, mayTake: true, maxBytes: undefined });
  };
  expect((await begin()).outcome).toBe("taken");
  tell({ re: sent[0]?.id ?? "", text: refusal });
  // Where it were taken for the answer to this one, it would refuse it.
  const renewed = renew(60_000);
  await waitFor("a renewal of its own", () => sent.length >= 2);
  tell({ re: sent[1]?.id ?? "", text: '{"outcome":"yes"}' });
  expect(await renewed).toEqual({ outcome: "renewed" });
});
