// A hostile command in a real agent's container that writes into its agent's own mailbox: what the
// orchestrator refuses it, and has on record.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { agentName } from "../support/records/sample.ts";
import { changesOf, readState } from "../support/security/board-state.ts";
import { addMessage, forgedMail } from "../support/security/forged-mail.ts";
import { HostileScene } from "../support/security/hostile-scene.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

let scene: HostileScene;
/** The number of times that mail_refused must have been counted. */
let refusals = 0;

beforeAll(async () => {
  scene = await HostileScene.create();
});

afterAll(() => scene?.[Symbol.asyncDispose]());

type Answer = { outcome: string; reason?: string; word?: string };

/** Resolves with the answer, once the message has left the mailbox. */
async function send(text: string): Promise<Answer> {
  const { owner, targets } = scene;
  const { id, command } = addMessage(targets, text);
  const sent = await scene.order({ send: [command] });
  expect(sent).toEqual({ replies: [expect.stringContaining("-")] });
  const answer = await waitFor("the answer", async () => {
    const entries =
      (await owner.xRevRange(targets.keys.mailIn(agentName("mallory")), "+", "-", {
        COUNT: 100,
      })) ?? [];
    return entries.find(({ message }) => message.re === id)?.message.text;
  });
  const left = (await owner.xRange(targets.keys.mailOut(agentName("mallory")), "-", "+")) ?? [];
  expect(left.filter(({ message }) => message.id === id)).toEqual([]);
  return JSON.parse(answer);
}

test("what the agent may say for itself counts: the mailbox works", async () => {
  const { own, claims } = scene.targets;
  expect(
    await send(
      JSON.stringify({ message: { say: "alive", claim: own.claim, attempt: own.attempt } }),
    ),
  ).toEqual({
    outcome: "yes",
  });
  // Its bid on the riddle is known in advance; the first word counts.
  const bid = { say: "bid", claim: claims.riddle, word: "exclusive" };
  expect(await send(JSON.stringify({ message: bid }))).toEqual({ outcome: "yes", word: "ignore" });
});

test.each(forgedMail)("the orchestrator refuses $attack", async ({ text, reason, event }) => {
  const { owner, targets } = scene;
  const before = await readState(owner, targets.keys.prefix);
  const last = await scene.lastEvent();
  expect(await send(text(targets))).toEqual({
    outcome: "no",
    reason: expect.stringMatching(reason),
  });
  if (event === "mail_refused") refusals += 1;
  expect((await scene.eventsOf(last)).filter(({ type }) => type !== "mail_refused")).toEqual([]);
  const after = await readState(owner, targets.keys.prefix);
  expect(changesOf(before, after, targets.keys.prefix)).toEqual({});
});

test("every refused message is counted on record, in few events", async () => {
  const counts = async () =>
    (await scene.eventsOf("0"))
      .filter(({ type }) => type === "mail_refused")
      .map(({ data }) => data.count as number);
  const sum = await waitFor(
    "the next event",
    async () => {
      refusals += 1;
      await send("once more");
      const total = (await counts()).reduce((one, other) => one + other, 0);
      return total === refusals && total;
    },
    { everyMs: 500 },
  );
  expect(sum).toBe(refusals);
  expect((await counts()).length).toBeLessThan(refusals / 4);
});

test("afterwards an ordinary goal ends well, and busy's work goes on", async () => {
  await scene.sett.need("forage", "--watch", "--goal", "Letter");
  const { owner, targets } = scene;
  const grant = JSON.parse(
    (await owner.hGet(targets.keys.grants(targets.claims.work), "busy")) ?? "{}",
  );
  expect(grant).toEqual(targets.running);
});
