// A hostile command in a real agent's container, with the cub's own user of Redis: what Redis
// refuses it, and that the others notice nothing.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { changesOf, readLog, readState } from "../support/security/board-state.ts";
import { forbiddenAdministration } from "../support/security/forbidden-administration.ts";
import { forbiddenCommands } from "../support/security/forbidden-commands.ts";
import { HostileScene } from "../support/security/hostile-scene.ts";
import type { Outcome } from "../support/security/intruder.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

let scene: HostileScene;

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

test("afterwards people and honest agents go on as before: a new goal, an answer, an approval", async () => {
  const { sett, targets } = scene;
  await sett.need("forage", "--watch", "--goal", "Letter");
  await sett.need("answer", targets.question, "the red one");
  const door = async () => (await scene.artefactsOf("Door"))[0];
  expect((await waitFor("the door", door, { everyMs: 100 })).payload).toBe("the red one");
  await sett.need("approve", targets.plan);
  expect(
    (await scene.artefactsOf("Review")).map(({ produced_by_agent }) => produced_by_agent),
  ).toEqual(["lead"]);
});
