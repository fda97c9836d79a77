// The tip of a lane that was put onto another commit by hand.
import { expect, test } from "bun:test";
import { replayLog } from "../../../../../apps/cli/audit/replay.ts";
import { CommitHash, InstanceName } from "../../../../../lib/model/ids.ts";
import { LaneName, landedType } from "../../../../../lib/model/lane.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { done, resultOf, runGrant } from "../../../../support/blackboard/scene.ts";

test("a lane that is at another commit than that of its last result is named", async () => {
  const board = await blackboardInMemory({ instance: InstanceName.parse("audit") }).open();
  const lane = LaneName.parse("main");
  const [first, second, stray] = ["a", "b", "c"].map((one) => CommitHash.parse(one.repeat(40))) as [
    CommitHash,
    CommitHash,
    CommitHash,
  ];
  for (const [onto, commit] of [
    ["", first],
    [first, second],
  ] as const) {
    const { claim, goal } = await runGrant(board);
    const landed = { structural_type: "Terminal", type: landedType } as const;
    const result = resultOf(goal, claim, { ...landed, metadata: { lane, onto, commit } });
    await board.finishGrant(done(claim.id, result));
  }
  const found = async (over: Partial<typeof board> = {}) =>
    (await replayLog(board, { live: { ...board, ...over } })).contradictions;
  expect(await found()).toEqual([]);
  const what = "lane main";
  const log = `tip=${second}`;
  for (const [tips, record] of [
    [[{ lane, commit: stray }], `tip=${stray}`],
    [[], "The lane has no tip."],
  ] as const)
    expect(await found({ listLanes: async () => [...tips] })).toEqual([{ what, log, record }]);
  const other = LaneName.parse("other");
  const listLanes = async () => [...(await board.listLanes()), { lane: other, commit: stray }];
  expect(await found({ listLanes })).toEqual([
    { what: "lane other", log: "The lane has no tip.", record: `tip=${stray}` },
  ]);
  // A goal in an archive may have moved it last.
  expect(await found({ listLanes, listArchives: async () => [{}] as never })).toEqual([]);
});
