import { expect, test } from "bun:test";
import { systemClock } from "../../../../lib/async/clock.ts";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import { createJsonLog } from "../../../../lib/service/json-log.ts";
import { startTelemetry } from "../../../../lib/telemetry/start.ts";
import { waitFor } from "../../../support/wait-for.ts";
import type { Member } from "../../../support/world/clan.ts";
import { memoryClan, worker } from "../../../support/world/memory-clan.ts";

const log = createJsonLog(() => {}, systemClock.now);
const settings = { traces: undefined, historyMs: 3_600_000, sinceMs: 0 };

type Telemetry = ReturnType<typeof startTelemetry>;

/** Ends with the scope, as with the program. */
function started(
  board: Blackboard,
  own = settings,
  onProblem: (problem: unknown) => Promise<void> = async () => {},
): Telemetry & AsyncDisposable {
  const stop = new AbortController();
  const options = { board, settings: own, version: "1.2.3", log, signal: stop.signal, onProblem };
  const telemetry = startTelemetry(options);
  return {
    ...telemetry,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await telemetry.ended;
    },
  };
}

/** A clan whose one goal has ended before. */
async function clanOfPast() {
  const clan = await memoryClan();
  await clan.join({ coder: { behaviour: worker } });
  await clan.startOrchestrator();
  await clan.ended(await clan.postGoal());
  return clan;
}

async function scene(members: Record<string, Member>) {
  const clan = await memoryClan();
  await clan.join(members);
  const telemetry = started(clan.board);
  await telemetry.ready;
  return {
    clan,
    telemetry,
    /** Once a scrape has all of these lines. */
    scraped: (...expected: string[]) =>
      waitFor(`a scrape with ${expected.join(" and ")}`, async () => {
        const text = await telemetry.metrics.metrics();
        return expected.every((line) => text.includes(`${line}\n`)) && text;
      }),
    [Symbol.asyncDispose]: async () => {
      await telemetry[Symbol.asyncDispose]();
      await clan[Symbol.asyncDispose]();
    },
  };
}

test("a scrape has what has happened, and how long it took", async () => {
  await using all = await scene({ coder: { behaviour: worker } });
  await all.clan.startOrchestrator();
  await all.clan.ended(await all.clan.postGoal());
  const text = await all.scraped(
    'sett_instance_goals_ended_total{state="achieved"} 1',
    'sett_instance_goals{state="achieved"} 1',
    'sett_instance_goals{state="running"} 0',
    'sett_instance_attempts_total{agent="coder",outcome="done",failure=""} 1',
    'sett_instance_run_seconds_count{agent="coder",outcome="done"} 1',
    'sett_instance_queue_seconds_count{agent="coder"} 1',
    "sett_instance_bidding_seconds_count 1",
    'sett_instance_goal_seconds_count{state="achieved"} 1',
    'sett_instance_bids_total{agent="coder",word="exclusive"} 1',
  );
  expect(text).toContain('sett_instance_info{instance_name="test",version="1.2.3"} 1');
  expect(text).toContain("sett_instance_up 1");
});

test("a problem that the program before has left on record is taken back at the start", async () => {
  await using clan = await memoryClan();
  const said: unknown[] = [];
  await using telemetry = started(clan.board, settings, async (one) => void said.push(one));
  await telemetry.metrics.metrics();
  await waitFor("the first word", () => said.length > 0);
  expect(said[0]).toBeUndefined();
});

test("a scrape has what goes on now: open claims, grants, the leader", async () => {
  // It never ends its work.
  const behaviour = { ...worker, work: () => undefined };
  await using all = await scene({ coder: { behaviour } });
  await all.clan.startOrchestrator();
  await all.clan.postGoal();
  await all.scraped(
    'sett_instance_goals{state="running"} 1',
    'sett_instance_open_claims{stage="exclusive"} 1',
    'sett_instance_open_claims{stage="bidding"} 0',
    'sett_instance_grants{agent="coder",state="running"} 1',
    "sett_instance_orchestrator_leads 1",
    "sett_instance_orchestrator_epoch 1",
    "sett_instance_goals_on_blackboard 1",
    "sett_instance_telemetry_open_goals 1",
  );
});

test("a scrape says that an approval waits, and for how long", async () => {
  await using all = await scene({
    ada: { human: true, external: true, bids: [{ on: "GoalDefined", bid: "review" }] },
  });
  await all.clan.startOrchestrator();
  await all.clan.postGoal();
  const text = await all.scraped(
    'sett_instance_inquiries{kind="approval"} 1',
    'sett_instance_goals{state="waiting"} 1',
  );
  expect(text).toMatch(/sett_instance_oldest_inquiry_seconds\{kind="approval"\} \d/);
});

test("nothing is followed until the first scrape, which brings what has happened since the start", async () => {
  await using clan = await memoryClan();
  await clan.join({ coder: { behaviour: worker } });
  await clan.startOrchestrator();
  let followers = 0;
  const followEvents: typeof clan.board.followEvents = (from, signal) => {
    followers += 1;
    return clan.board.followEvents(from, signal);
  };
  const board = { ...clan.board, followEvents };
  await using telemetry = started(board);
  await telemetry.ready;
  await clan.ended(await clan.postGoal());
  expect(followers).toBe(0);
  expect(telemetry.state()).toEqual({ position: null, open_goals: 0, open_claims: 0 });
  await waitFor("what has happened", async () =>
    (await telemetry.metrics.metrics()).includes(
      'sett_instance_goals_ended_total{state="achieved"} 1\n',
    ),
  );
  expect(followers).toBe(1);
});

test("telemetry that was never asked for ends with the signal", async () => {
  await using clan = await memoryClan();
  await using _telemetry = started(clan.board);
});

test("events that were there before are not counted, and goals that ended before have their state", async () => {
  await using clan = await clanOfPast();
  await using telemetry = started(clan.board);
  await telemetry.ready;
  const text = await waitFor("the state of the goal", async () => {
    const scrape = await telemetry.metrics.metrics();
    return scrape.includes('sett_instance_goals{state="achieved"} 1\n') && scrape;
  });
  expect(text).not.toContain('sett_instance_events_total{type="artefact_created"}');
});

test("with a position in the past, what has ended since then is counted as well, and is whole", async () => {
  await using clan = await clanOfPast();
  await using telemetry = started(clan.board, { ...settings, sinceMs: 600_000 });
  await waitFor("the goal", async () =>
    (await telemetry.metrics.metrics()).includes(
      'sett_instance_goal_seconds_count{state="achieved"} 1\n',
    ),
  );
  expect(await telemetry.metrics.metrics()).toContain("sett_instance_telemetry_lag_seconds 0\n");
});
