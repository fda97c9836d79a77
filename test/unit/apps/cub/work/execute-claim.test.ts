// A worker's one claim: where the grant is not its own, nothing is run and nothing is posted.
import { expect, test } from "bun:test";
import { executeClaim } from "../../../../../apps/cub/work/execute-claim.ts";
import { systemClock } from "../../../../../lib/async/clock.ts";
import { exitCodes } from "../../../../../lib/model/errors.ts";
import { cubScene } from "../../../../support/cub/scene.ts";
import { agentName, newClaimId } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";

test("a worker runs the attempt that it was started for, and says so with its exit", async () => {
  await using scene = await cubScene();
  const { standIn, agent, deps, stop } = scene;
  const signals = { stop: stop.signal, kill: stop.signal };
  const claim = await standIn.openGranted(await standIn.post(), agent);
  expect(await executeClaim(deps, claim, 1, signals)).toBe(exitCodes.done);
  expect((await standIn.ended(claim, agent)).state).toBe("done");
  // Started again, it finds its grant done.
  expect(await executeClaim(deps, claim, 1, signals)).toBe(exitCodes.notAccepted);
  expect(scene.inputs).toHaveLength(1);
});

test("a worker that Redis could still lose the result of ends once Redis has written it", async () => {
  let isWritten = false;
  let looks = 0;
  const hasWritten = async () => {
    looks += 1;
    return isWritten;
  };
  await using scene = await cubScene({ wrap: (board) => ({ ...board, hasWritten }) });
  const { standIn, agent, deps, stop } = scene;
  const claim = await standIn.openGranted(await standIn.post(), agent);
  let exitCode: number | undefined;
  const ended = executeClaim(deps, claim, 1, { stop: stop.signal, kill: stop.signal }).then(
    (code) => {
      exitCode = code;
    },
  );
  // Its claim goes on meanwhile.
  expect((await standIn.ended(claim, agent)).state).toBe("done");
  await waitFor("it to look again", () => looks > 2);
  expect(exitCode).toBeUndefined();
  isWritten = true;
  await ended;
  expect(exitCode).toBe(exitCodes.done);
});

test("a worker without an attempt in its settings runs the one that is queued", async () => {
  await using scene = await cubScene();
  const { standIn, agent, deps, stop } = scene;
  const signals = { stop: stop.signal, kill: stop.signal };
  const claim = await standIn.openGranted(await standIn.post(), agent);
  expect(await executeClaim(deps, claim, undefined, signals)).toBe(exitCodes.done);
  expect(await executeClaim(deps, claim, undefined, signals)).toBe(exitCodes.notAccepted);
  expect(scene.inputs).toHaveLength(1);
});

test("a claim that never was, another's grant, another attempt and an ended claim are left alone", async () => {
  await using scene = await cubScene();
  const { standIn, agent, deps, stop } = scene;
  const signals = { stop: stop.signal, kill: stop.signal };
  const goal = await standIn.post();
  const others = await standIn.openGranted(goal, agentName("other"));
  const own = await standIn.openGranted(await standIn.post(), agent);
  const over = await standIn.openGranted(await standIn.post(), agent);
  await standIn.terminate(over, "No longer wanted.");
  for (const [claim, attempt] of [
    [newClaimId(), 1],
    [others, 1],
    [own, 2],
    [over, 1],
  ] as const)
    expect(await executeClaim(deps, claim, attempt, signals)).toBe(exitCodes.notAccepted);
  expect(scene.inputs).toEqual([]);
  expect(scene.messages()).toEqual(Array(4).fill("The grant is no longer available"));
  expect((await standIn.grantOf(own, agent))?.state).toBe("queued");
});

test("a worker of a paused instance runs nothing and loses nothing: its grant stays queued", async () => {
  await using scene = await cubScene();
  const { standIn, agent, deps, stop } = scene;
  const claim = await standIn.openGranted(await standIn.post(), agent);
  const epoch = (await standIn.board.readLeader())?.epoch ?? 0;
  await standIn.board.setPaused({
    paused: true,
    by: "person:Ada",
    at: new Date().toISOString(),
    epoch,
  });
  expect(await executeClaim(deps, claim, 1, { stop: stop.signal, kill: stop.signal })).toBe(
    exitCodes.notAccepted,
  );
  expect(scene.inputs).toEqual([]);
  expect((await standIn.grantOf(claim, agent))?.state).toBe("queued");
});

test("of two workers that begin one grant in the same millisecond, one runs it", async () => {
  const clock = { now: () => new Date("2026-11-22T10:00:00.000Z"), passedMs: systemClock.passedMs };
  await using scene = await cubScene({ over: { clock } });
  const { standIn, agent, deps, stop } = scene;
  const signals = { stop: stop.signal, kill: stop.signal };
  const claim = await standIn.openGranted(await standIn.post(), agent);
  const codes = await Promise.all([
    executeClaim(deps, claim, 1, signals),
    executeClaim(deps, claim, 1, signals),
  ]);
  expect(codes.toSorted((a, b) => a - b)).toEqual([exitCodes.done, exitCodes.notAccepted]);
  expect(scene.inputs).toHaveLength(1);
});
