// The spans of whole clans' goals say what the blackboard says.
import { expect, test } from "bun:test";
import { GoalStates } from "../../../../lib/telemetry/goal-states.ts";
import { SpansOfLog } from "../../../../lib/telemetry/spans-of-log.ts";
import { waitFor } from "../../../support/wait-for.ts";
import type { Member } from "../../../support/world/clan.ts";
import { memoryClan, worker } from "../../../support/world/memory-clan.ts";
import type { Behaviour } from "../../../support/world/played-agent.ts";

const onGoal = (work: NonNullable<Behaviour["work"]>): Member => ({
  behaviour: { bid: ({ type }) => (type === "GoalDefined" ? "exclusive" : "ignore"), work },
});

let round = 0;
/** Each with the state in which its goal ends. */
const clans: Record<string, { members: Record<string, Member>; state: string }> = {
  "of one worker": { members: { coder: { behaviour: worker } }, state: "achieved" },
  "with a result that is not the last": {
    members: { coder: onGoal(() => ({ type: "Code" })) },
    state: "settled",
  },
  "that fails": {
    members: { coder: onGoal(() => ({ structural_type: "Failure", type: "NoIdea" })) },
    state: "failed",
  },
  "that fails and tries again": {
    members: {
      coder: {
        retries: 1,
        ...onGoal(() => {
          round += 1;
          return round === 1
            ? { structural_type: "Failure", type: "NoIdea" }
            : { structural_type: "Terminal" };
        }),
      },
    },
    state: "achieved",
  },
  "where no agent works": {
    members: { coder: { behaviour: { bid: () => "ignore", work: () => ({}) } } },
    state: "stalled",
  },
};

for (const [title, { members, state }] of Object.entries(clans)) {
  test(`the state of a goal in a clan ${title}: ${state}`, async () => {
    await using clan = await memoryClan();
    await clan.join(members);
    await clan.startOrchestrator();
    const goal = await clan.postGoal();
    await clan.ended(goal);
    await waitFor("all to be over", async () => (await clan.board.listOpenClaims()).length === 0);
    const states = new GoalStates(clan.board);
    await states.load();
    await states.readSome(10);
    expect(Object.fromEntries(states.counts(new Map()))).toMatchObject({ [state]: 1 });

    const ends: (string | undefined)[] = [];
    const spans = new SpansOfLog({}, (_, end) => ends.push(end));
    const events = await clan.events();
    const finished = events.flatMap((event) => spans.handle(event));
    finished.push(...spans.tick(Number.MAX_SAFE_INTEGER));
    expect(ends).toEqual([state]);
    const ids = new Set(finished.map(({ spanId }) => spanId));
    expect(ids.size).toBe(finished.length);
    expect(finished.filter(({ parentId }) => parentId !== undefined && !ids.has(parentId))).toEqual(
      [],
    );
    expect([spans.openGoals, spans.openClaims]).toEqual([0, 0]);
  });
}
