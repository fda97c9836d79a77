// Random sequences of calls of the whole port: Redis and its twin in memory give the same outcomes,
// the same errors and the same state. SETT_TWIN_SEED and SETT_TWIN_SEQUENCES choose others than CI
// plays.
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { Coverage } from "../../support/blackboard/twins/coverage.ts";
import { findDifference, reportOf } from "../../support/blackboard/twins/search.ts";
import { memorySide, openRedisSides } from "../../support/blackboard/twins/sides.ts";
import { isNight } from "../../support/nightly.ts";

const redis = await openRedisSides();
afterAll(() => redis[Symbol.asyncDispose]());

const firstSeed = Number(process.env.SETT_TWIN_SEED ?? 1);
const chosen = process.env.SETT_TWIN_SEQUENCES;
// Thousands of sequences take as long as they take, and on a busy machine hundreds do, too.
setDefaultTimeout(chosen === undefined ? 3_000_000 : 86_400_000);
const sequences = Number(chosen ?? (isNight ? 300 : 100));
/** The number of further sequences where the first have not reached all branches. */
const moreSequences = 300;
const length = 80;

test("whatever is called, in whichever order, Redis and its twin say the same and hold the same", async () => {
  const coverage = new Coverage();
  const [board] = memorySide().boards;
  const missing = () => [
    ...coverage.missingMethods(board),
    ...coverage.missingOutcomes(board),
    ...coverage.missingKeys(),
  ];
  let played = 0;
  const playMore = async (count: number) => {
    const search = {
      redis,
      twin: memorySide,
      firstSeed: firstSeed + played,
      sequences: count,
      length,
    };
    const found = await findDifference(search, (...call) => coverage.see(...call));
    if (found !== undefined) throw new Error(reportOf(found));
    played += count;
  };
  await playMore(sequences);
  // Some outcomes are so rare that it takes hundreds of sequences to see them.
  const isComplete = chosen === undefined && isNight;
  if (isComplete)
    while (missing().length > 0 && played < sequences + moreSequences) await playMore(10);
  console.log(
    `${played} sequences, ${coverage.calls} calls, of which ${coverage.refusals} were refused`,
  );
  if (isComplete) expect(missing()).toEqual([]);
  expect(coverage.refusals / coverage.calls).toBeLessThan(0.25);
});

test("a twin that forgets a clear is found, and shown with the fewest calls", async () => {
  const forgetful = () => {
    const side = memorySide();
    side.state.clearDue = () => undefined;
    return side;
  };
  const found = await findDifference({
    redis,
    twin: forgetful,
    firstSeed: 1,
    sequences: 50,
    length,
  });
  expect(found?.difference.where).toMatch(/^the key due:/);
  expect(found?.calls.length).toBeLessThanOrEqual(10);
});

test("a twin that answers otherwise is found, although its state is the same", async () => {
  const impolite = () => {
    const side = memorySide();
    for (const board of side.boards)
      board.placeBid = async () => ({ outcome: "refused", reason: "No." });
    return side;
  };
  const found = await findDifference({
    redis,
    twin: impolite,
    firstSeed: 1,
    sequences: 50,
    length,
  });
  expect(found && reportOf(found)).toMatch(
    /^Redis and its twin differ\. Again: SETT_TWIN_SEED=\d+ [\s\S]*"placeBid"[\s\S]*reason":"No\."/,
  );
  expect(found?.calls.length).toBeLessThanOrEqual(1);
});
