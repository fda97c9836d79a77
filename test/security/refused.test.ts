// A hostile command in a real agent's container, with the cub's own user of Redis: what Redis
// refuses it, what the orchestrator refuses of what it writes into its agent's own mailbox, and
// that the others notice nothing.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { agentName } from "../support/records/sample.ts";
import { changesOf, readLog, readState } from "../support/security/board-state.ts";
import { forbiddenAdministration } from "../support/security/forbidden-administration.ts";
import { forbiddenCommands } from "../support/security/forbidden-commands.ts";
import { addMessage, forgedMail } from "../support/security/forged-mail.ts";
import { HostileScene } from "../support/security/hostile-scene.ts";
import type { Outcome } from "../support/security/intruder.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

let scene: HostileScene;
/** The number of times that mail_refused must have been counted. */
let refusals = 0;

beforeAll(async () => {
  scene = await HostileScene.create();
});

afterAll(() => scene?.[Symbol.asyncDispose]());

test("the hostile command has the cub's connection: what its agent may read, it may read", async () => {
  const { keys, letter } = scene.targets;
  const answer = await scene.order({ send: [["HGET", keys.artefact(letter), "payload"]] });
  expect(answer).toEqual({ replies: ["Dear Ada,"] });
});

test.each([...forbiddenCommands, ...forbiddenAdministration])(
  "Redis refuses $attack, and has it on record",
  async ({ commands }) => {
    const { owner, targets } = scene;
    const send = commands(targets);
    const before = await readState(owner, targets.keys.prefix);
    const log = await readLog(owner, targets.keys.events);
    await owner.sendCommand(["ACL", "LOG", "RESET"]);
    const answers = await Promise.all(send.map((command) => scene.order({ send: [command] })));
    expect(
      send.flatMap((command, place) =>
        isRefused(answers[place]) ? [] : [command, answers[place]],
      ),
    ).toEqual([]);
    const after = await readState(owner, targets.keys.prefix);
    expect(changesOf(before, after, targets.keys.prefix)).toEqual({});
    expect((await readLog(owner, targets.keys.events)).slice(0, log.length)).toEqual(log);
    expect(await scene.eventsOf(log.at(-1)?.id ?? "0")).toEqual([]);
    expect(await scene.refusals()).toEqual({ "agent-mallory": send.length });
  },
);

function isRefused(answer: Outcome | undefined): boolean {
  const [reply = null] = answer !== undefined && "replies" in answer ? answer.replies : [];
  return (
    reply !== null &&
    typeof reply === "object" &&
    "refused" in reply &&
    /NOPERM|ACL failure|can't run this command/.test(reply.refused)
  );
}

test("it finds no password, and the cub's own is good for no other user", async () => {
  const found = await scene.order({ environments: true });
  const text = "text" in found ? found.text : "";
  expect(text).toContain("SETT_AGENT_NAME=mallory");
  const own = await scene.passwordOf("agent-mallory");
  for (const part of ["redis", "orchestrator", "agent-honest", "agent-busy", "agent-mallory"]) {
    const other = await scene.passwordOf(part);
    expect(other).not.toBe("");
    expect(text).not.toContain(other);
  }
  for (const user of ["default", "orchestrator", "person", "agent-busy", "agent-writer"]) {
    const answer = await scene.order({ send: [["TIME"]], as: { user, password: own } });
    expect([user, answer]).toEqual([
      user,
      { replies: [{ refused: "NOAUTH Authentication required." }] },
    ]);
  }
});

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

test("afterwards people and honest agents go on as before: a new goal, work under way, an answer, an approval", async () => {
  const { sett, owner, targets } = scene;
  await sett.need("forage", "--watch", "--goal", "Letter");
  const grant = await owner.hGet(targets.keys.grants(targets.claims.work), "busy");
  expect(JSON.parse(grant ?? "{}")).toEqual(targets.running);
  await sett.need("answer", targets.question, "the red one");
  const door = async () => (await scene.artefactsOf("Door"))[0];
  expect((await waitFor("the door", door, { everyMs: 100 })).payload).toBe("the red one");
  await sett.need("approve", targets.plan);
  expect(
    (await scene.artefactsOf("Review")).map(({ produced_by_agent }) => produced_by_agent),
  ).toEqual(["lead"]);
});
