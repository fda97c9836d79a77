// Remarks of people to running work are taken away from a claim, or put beside it by hand.
import { expect, test } from "bun:test";
import { replayLog } from "../../../../../apps/cli/audit/replay.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import { type ArtefactId, InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { commitOf, openClaim, openStandard, user } from "../../../../support/blackboard/scene.ts";
import { derived } from "../../../../support/records/lineage.ts";
import { newArtefactId, sampleClaim } from "../../../../support/records/sample.ts";

test("a claim that hears less, or more, than people have said to it is named", async () => {
  const board = await blackboardInMemory({ instance: InstanceName.parse("audit") }).open();
  const { goal, claim, epoch } = await openClaim(board, ["coder"]);
  const said = (over: Partial<Artefact> = {}) =>
    derived([goal], {
      ...{ structural_type: "Answer", type: "PersonSays", goal_id: goal.goal_id },
      ...{ produced_by_agent: "", produced_by_role: "user", ...over },
    });
  const toAll = said();
  await board.tell({ words: toAll, claim: undefined, actor: user });
  const text = derived([goal], { goal_id: goal.goal_id, type: "Text" });
  await board.createArtefact(text, user);
  // A claim that has ended hears nothing more.
  const { id: of } = claim;
  const ended = { type: "claim_completed", claim_id: of, goal_id: goal.goal_id } as const;
  const events = [{ ...ended, artefact_id: goal.id, data: { rev: 1 } }];
  await board.commitClaim(commitOf(of, epoch, 0, { set: { status: "complete" }, events }));
  const afterwards = said();
  await board.tell({ words: afterwards, claim: undefined, actor: user });
  const later = sampleClaim(text, ["coder"]);
  await openStandard(board, later, epoch);
  const another = derived([goal], { goal_id: goal.goal_id, type: "Text" });
  await board.createArtefact(another, user);
  await openStandard(board, sampleClaim(another, ["coder"]), epoch);
  const toOne = said({ metadata: { remark_on: later.id } });
  await board.tell({ words: toOne, claim: later.id, actor: user });
  expect((await replayLog(board)).contradictions).toEqual([]);

  const withContext = async (context: ArtefactId[]) =>
    (
      await replayLog({
        ...board,
        readClaims: async (ids, onMalformed) =>
          (
            await board.readClaims(ids, onMalformed)
          ).map((one) =>
            one.claim.id === later.id
              ? { ...one, claim: { ...one.claim, additional_context_ids: context } }
              : one,
          ),
      })
    ).contradictions;
  const all = [toAll.id, afterwards.id, toOne.id].toSorted();
  const hears = (ids: ArtefactId[]) => `hears ${ids.join(" ")}`;
  const log = hears(all);
  for (const gone of all) {
    const left = all.filter((one) => one !== gone);
    expect(await withContext(left)).toEqual([{ what: later.id, log, record: hears(left) }]);
  }
  for (const more of [text.id, newArtefactId() as ArtefactId])
    expect(await withContext([...all, more])).toMatchObject([{ what: later.id, log }]);
});
