// Starts a service, and gives it what no description of a container may have: through the standard
// input of its program, because environment, arguments and labels can be read from outside.
import { readFile } from "node:fs/promises";
import { sleep } from "../../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../../lib/blackboard/port/holders.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import { unreachable } from "../../../../lib/model/unreachable.ts";
import type { Gift, Values } from "../../services/service.ts";
import type { ServiceChange } from "../plan/diff.ts";
import type { PlannedService } from "../plan/plan.ts";
import { makeOwned } from "./make-owned.ts";
import { makePart, type Tools } from "./make-part.ts";
import { answersWhenReady, nextGateway, nextLeader, type Ready } from "./readiness.ts";

const pollMs = 20;
const maxKnownMs = 3_000;

type Giving = { values: Values; plan: { seesFiles: boolean } };
type StartInput = Tools & Giving;

/**
 * A service that stays gets the values, too: they may have changed, and a restart has lost them.
 */
export async function startService(
  input: StartInput,
  change: ServiceChange,
  board: PersonBlackboard,
): Promise<void> {
  const { planned } = change;
  const gifts = giftsFor(planned, input);
  const { keepGifts } = input.runtime.apply;
  // Each pod of a part whose gifts are kept gives them to its program itself.
  const byHand = keepGifts === undefined || change.kind === "keep" ? gifts : [];
  const give = (some: readonly Gift[], container = planned.spec.name) =>
    giveAll(input, planned, some, container);
  const late = byHand.filter(({ isNeededToStart }) => isNeededToStart !== true);
  if (change.kind !== "keep") await makeOwned(input, planned.volumes);
  if (keepGifts !== undefined && (planned.service.gifts ?? planned.copies) !== undefined) {
    const texts = await textsFor(planned, input);
    if (change.kind === "start") input.undoSteps.add(() => keepGifts(planned.spec, {}));
    await keepGifts(planned.spec, texts);
  }
  let isGiven = false;
  await makePart(input, change, async () => {
    const lost = byHand.filter(({ isInMemory }) => isInMemory);
    if (change.kind === "replace") input.undoSteps.addLast(() => give(lost, change.found.id));
    const ready = await readyOf(input, planned, board);
    return async (signal) => {
      await give(byHand.filter(({ isNeededToStart }) => isNeededToStart));
      // While it starts, so that it never reports them as missing. A container that ends takes
      // none, and its log says why it ended.
      const early = give(late).then(
        () => true,
        () => false,
      );
      await ready(signal);
      isGiven = await early;
    };
  });
  if (change.kind === "keep") await give(gifts.filter(({ isRenewed }) => isRenewed));
  else if (!isGiven) await give(late);
  if (planned.service.ready === "announced")
    await untilKnown(board, Object.keys(input.values.keys), input.signal);
}

/**
 * All that a service is given, by the arguments of its program, without their dashes, and the files
 * of this machine of which it has copies.
 */
export async function textsFor(
  planned: PlannedService,
  giving: Giving,
): Promise<Record<string, string>> {
  const gifts = giftsFor(planned, giving).map(({ argument, value }) => [
    argument.replace(/^--/, ""),
    JSON.stringify(value(giving.values)),
  ]);
  const copies = Object.entries(planned.copies ?? {}).map(async ([name, path]) => [
    name,
    await readFile(path, "utf8"),
  ]);
  return Object.fromEntries([...gifts, ...(await Promise.all(copies))]);
}

function giftsFor({ service, spec }: PlannedService, { values, plan }: Giving): Gift[] {
  return (service.gifts ?? []).filter(
    ({ variable, isFile, value }) =>
      value(values) !== undefined &&
      (variable === undefined || spec.env[variable] !== undefined) &&
      !(isFile === true && plan.seesFiles),
  );
}

/**
 * Throws `not-ready`, without a word of what the command said: a part of a value might be among it.
 */
async function giveAll(
  { runtime, values }: StartInput,
  { program }: PlannedService,
  gifts: readonly Gift[],
  container: string,
): Promise<void> {
  for (const { argument, value, refusal, hint } of gifts) {
    const stdin = JSON.stringify(value(values));
    const { exitCode } = await runtime.observe.exec(container, [...program, argument], {
      stdin,
    });
    if (exitCode === 0) continue;
    throw new SettError("not-ready", `${refusal} (exit code ${exitCode}).`, { hint });
  }
}

/** Call this right before its container starts: what an earlier one has said does not count. */
async function readyOf(
  input: Tools,
  planned: PlannedService,
  board: PersonBlackboard,
): Promise<Ready> {
  const { ready } = planned.service;
  switch (ready) {
    case "leads":
      return await nextLeader(board);
    case "announced":
      return await nextGateway(board);
    case "answers":
      return (signal) => answersWhenReady(input.runtime, planned, signal);
    case "given":
    case "connects":
      return async () => {};
    default:
      return unreachable(ready);
  }
}

/**
 * Until the announcement has the keys, so that `sett list` does not miss them right after this. The
 * gateway may be slower than that.
 */
async function untilKnown(
  board: PersonBlackboard,
  models: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const isKnown = async () => {
    const notice = await board.readGateway();
    return models.every((name) => notice?.models[name]?.has_key === true);
  };
  const last = performance.now() + maxKnownMs;
  while (!signal.aborted && performance.now() < last && !(await isKnown()))
    await sleep(pollMs, signal);
}
