// The leader lease, what is due, the log, notices, pruning, and the clock.
import { dueKinds, dueOfMember } from "../../../../../lib/blackboard/records/due-member.ts";
import { TriggerName } from "../../../../../lib/model/trigger.ts";
import { call } from "../call.ts";
import type { World } from "../world.ts";
import type { Move } from "./move.ts";

export const leaderMoves: readonly Move[] = [
  {
    weight: 5,
    make: (world) => ({
      clock: world.state.now() + world.random.oneOf(1, 1, 10, 1_000, 5_000, 70_000),
    }),
  },
  {
    weight: 1,
    make: (world) => ({ clock: world.state.now() - world.random.oneOf(1, 1_000, 40_000) }),
  },
  {
    weight: 3,
    make: (world) => {
      const by = world.leading();
      const holder = world.random.oneOf("one", "one", "one", "other");
      return call(by, "acquireLeaderLease", {
        holder,
        leaseMs: world.random.oneOf(1_000, 60_000),
        restarted: world.random.chance(0.4),
      });
    },
  },
  { weight: 0.3, make: (world) => call(world.leading(), "releaseLeaderLease", world.epoch()) },
  { weight: 1, make: (world) => call(world.handle(), "readLeader") },
  {
    weight: 1,
    make: (world) => call(world.leading(), "moveCursor", world.epoch(), eventId(world)),
  },
  {
    weight: 4,
    make: (world) => {
      const kinds = world.random.chance(0.4) ? [world.random.some(dueKinds)] : [];
      return call(world.handle(), "listDue", world.random.oneOf(1, 2, 100), ...kinds);
    },
  },
  { weight: 3, make: (world) => call(world.leading(), "clearDue", dueItems(world), world.epoch()) },
  {
    weight: 3,
    make: (world) =>
      call(world.leading(), "deferDue", dueItems(world), world.afterMs(), world.epoch()),
  },
  { weight: 1, make: (world) => call(world.handle(), "time") },
  {
    weight: 2,
    make: (world) => {
      const about = world.random.chance(0.5) ? { goal_id: world.goal() } : {};
      return call(
        world.handle(),
        "logEvent",
        { type: "cancel_requested", ...about, data: { why: "ü", count: 2, is_sure: true } },
        "person:Ada",
      );
    },
  },
  {
    weight: 1,
    make: (world) => {
      // No connection has the number 0.
      const readOn = world.random.chance(0.9) ? [] : [0];
      return call(
        world.leading(),
        "logAsLeader",
        { type: "request_refused", data: { request: "1-0" } },
        world.epoch(),
        ...readOn,
      );
    },
  },
  {
    weight: 1,
    make: (world) => {
      const event = {
        id: owedId(world),
        type: "goal_ended" as const,
        time: world.at,
        actor: "orchestrator:1",
      };
      const draft = { type: "event_given_up" as const, data: { event: event.id } };
      return call(
        world.leading(),
        "oweEvent",
        { event, since: world.at, reason: "ü" },
        draft,
        world.epoch(),
      );
    },
  },
  {
    weight: 2,
    make: (world) => {
      const readOn = world.random.chance(0.9) ? [] : [0];
      return call(
        world.leading(),
        "settleOwed",
        [owedId(world), owedId(world)],
        world.epoch(),
        ...readOn,
      );
    },
  },
  {
    weight: 1,
    make: (world) => call(world.handle(), "listOwed", world.random.oneOf(1, 2, 100), owedId(world)),
  },
  {
    weight: 1,
    make: (world) =>
      call(world.handle(), "readEvents", eventId(world), world.random.oneOf(1, 5, 1_000)),
  },
  {
    weight: 1,
    make: (world) => {
      const before = world.random.oneOf(undefined, eventId(world));
      return call(world.handle(), "readEventsBefore", before, world.random.oneOf(1, 5, 1_000));
    },
  },
  { weight: 1, make: (world) => call(world.handle(), "endOfEvents") },
  { weight: 1, make: (world) => call(world.handle(), "countEvents") },
  { weight: 1, make: (world) => call(world.handle(), "followEvents", eventId(world)) },
];

/**
 * Few, so that the same is owed again, and some that are one number where numbers are not exact.
 */
function owedId(world: World): string {
  return world.random.oneOf(
    "7-1",
    "7-10",
    "8-0",
    "18446744073709551614-1",
    "18446744073709551615-0",
  );
}

/**
 * For so long that none is over within a sequence: the time to live is that of Redis, whose clock
 * no move sets.
 */
const replyMs = 86_400_000;

export const noticeMoves: readonly Move[] = [
  {
    weight: 1,
    make: (world) =>
      call(
        world.handle(),
        "keepReply",
        world.random.oneOf("one", "two"),
        world.random.oneOf("{}", '{"status":201}'),
        replyMs,
      ),
  },
  {
    weight: 1,
    make: (world) => call(world.handle(), "readReply", world.random.oneOf("one", "two", "three")),
  },
  { weight: 1, make: (world) => call(world.handle(), "readNoticeCursor") },
  {
    weight: 1,
    make: (world) =>
      call(
        world.leading(),
        "moveNoticeCursor",
        world.epoch(),
        world.random.oneOf(undefined, eventId(world)),
      ),
  },
  { weight: 1, make: (world) => call(world.handle(), "readNoticeProblems") },
  {
    weight: 1,
    make: (world) => {
      const problem = {
        hook: "hook",
        to: "http://hook.invalid",
        since: new Date(0).toISOString(),
        reason: "away",
        is_given_up: false,
      };
      return call(
        world.leading(),
        "noteNoticeProblems",
        world.epoch(),
        world.random.oneOf([], [problem]),
      );
    },
  },
  { weight: 1, make: (world) => call(world.handle(), "readDelivery", subject(world), "hook") },
  {
    weight: 2,
    make: (world) => {
      const delivery = {
        notice: "question",
        at: world.state.now(),
        reminder: world.random.below(3),
      };
      return call(world.leading(), "recordDelivery", {
        subject: subject(world),
        hook: world.random.oneOf("hook", "other"),
        delivery,
        epoch: world.epoch(),
      });
    },
  },
];

const nightly = TriggerName.parse("nightly");
const triggers = [nightly, TriggerName.parse("release")];

export const triggerMoves: readonly Move[] = [
  {
    weight: 0.5,
    make: (world) => call(world.handle(), "forgetTriggers", world.random.some(triggers)),
  },
  {
    weight: 0.5,
    make: (world) =>
      call(world.handle(), "forgetMarks", world.random.pick(triggers) ?? nightly, [
        "run",
        world.random.oneOf("trigger", "goal"),
      ]),
  },
  {
    weight: 1,
    make: (world) => call(world.handle(), "readTrigger", world.random.pick(triggers) ?? nightly),
  },
  {
    weight: 2,
    make: (world) => {
      const trigger = world.random.pick(triggers) ?? nightly;
      const goal = world.goal();
      const about = world.random.chance(0.5) ? { goal_id: goal } : {};
      return call(world.handle(), "recordTrigger", {
        record: world.random.chance(0.5) ? { trigger } : { goal },
        mark: world.random.oneOf("run", "trigger"),
        value: world.random.oneOf("one", "two"),
        ...(world.random.chance(0.5) && { fields: { goal, schedule: "ü" } }),
        ...(world.random.chance(0.7) && {
          event: { type: "trigger_fired" as const, ...about, data: { kind: "cron", missed: 2 } },
        }),
        actor: `trigger:${trigger}`,
      });
    },
  },
];

export const pruneMoves: readonly Move[] = [
  {
    weight: 0.6,
    make: (world) => call(world.leading(), "forgetRefused", world.epoch()),
  },
  {
    weight: 2.5,
    make: (world) => {
      const goal = overGoal(world);
      if (goal === undefined) return undefined;
      const artefacts = world.state.goals.get(goal)?.artefacts ?? [];
      const claims = artefacts.flatMap((id) => [
        ...(world.state.causes.get(id)?.values() ?? []),
      ]).length;
      const more = world.random.chance(0.9) ? 0 : 1;
      return call(world.handle(), "retireGoal", {
        goal,
        artefacts: artefacts.length,
        claims: claims + more,
      });
    },
  },
  { weight: 0.7, make: (world) => call(world.handle(), "reinstateGoal", retiredGoal(world)) },
  { weight: 2, make: (world) => call(world.handle(), "isRetired", retiredGoal(world)) },
  {
    weight: 2,
    make: (world) =>
      call(world.handle(), "removeOfGoal", retiredGoal(world), world.random.oneOf(1, 2, 100)),
  },
  {
    weight: 1,
    make: (world) =>
      call(
        world.handle(),
        "removeEvents",
        world.random.some(
          world.state.events.map(({ id }) => id),
          0.1,
        ),
      ),
  },
  {
    weight: 0.6,
    make: (world) => {
      const ids = world.state.events.map(({ id }) => id);
      return call(world.leading(), "removeOldEvents", world.random.some(ids, 0.1), world.epoch());
    },
  },
  { weight: 1, make: (world) => call(world.handle(), "countLostEvents") },
  {
    weight: 1,
    make: (world) => {
      const sha256 = world.random.oneOf("a", "b").repeat(64);
      const archive = {
        file: `${world.random.oneOf("one", "two")}.jsonl`,
        sha256,
        created_at: "2026-01-01T00:00:00.000Z",
      };
      return call(
        world.handle(),
        "recordArchive",
        archive,
        { type: "goals_pruned" as const, data: { sha256 } },
        "person:Ada",
      );
    },
  },
  { weight: 0.6, make: (world) => call(world.handle(), "listArchives") },
];

function eventId(world: World): string {
  return world.known(
    world.state.events.map(({ id }) => id),
    () => "0",
    0.8,
  );
}

function dueItems(world: World) {
  return world.random.some([...world.state.due.keys()].map(dueOfMember), 0.5);
}

/** As lib/core/notice.ts names them. */
function subject(world: World): string {
  const at = world.random.pick(world.grants(() => true));
  return world.random.oneOf(
    `goal-${world.goal()}`,
    `question-${world.artefactId()}`,
    `approval-${at?.claim.id ?? world.claimId()}-${at?.grant.agent ?? "coder"}`,
  );
}

/**
 * Mostly one without open claims. Where there is only one goal, the others would have nothing to do
 * without it.
 */
function overGoal(world: World) {
  const { state } = world;
  const open = new Set([...state.openClaims].map((id) => state.claims.get(id)?.claim.goal_id));
  const over = state.goalIds.filter((goal) => !open.has(goal));
  return world.fitting(over.length > 1 ? over : [], () =>
    world.random.chance(0.5) ? world.goal() : undefined,
  );
}

function retiredGoal(world: World) {
  return world.known(world.state.pruned.retired, () => world.goal(), 0.9);
}
