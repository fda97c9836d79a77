// Shows what an external agent may say that it was given, compared with the context that a
// blackboard gives a cub.
import { expect, test } from "bun:test";
import { givenProblem } from "../../../../../apps/orchestrator/mail/given-inputs.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { openStandard, queueGrant, user } from "../../../../support/blackboard/scene.ts";
import {
  agentName,
  sampleAgent,
  sampleArtefact,
  sampleClaim,
} from "../../../../support/records/sample.ts";

const coder = agentName("coder");
const agentsWith = (isExternal: boolean) => ({
  list: async () => [sampleAgent("coder", isExternal ? { external: true } : {})],
});

test("all of the context that a cub would read was given, and nothing beside it", async () => {
  await using board = await blackboardInMemory({ instance: InstanceName.parse("given") }).open();
  const { goal, epoch } = await queueGrant(board);
  const post = async (over: Partial<Artefact>) => {
    const made = sampleArtefact({ goal_id: goal.goal_id, ...over });
    await board.createArtefact(made, user);
    return made;
  };
  const draft = await post({ type: "Draft", source_artefacts: [goal.id] });
  const notes = await post({ type: "Notes", source_artefacts: [goal.id] });
  const better = await post({
    type: "Draft",
    logical_id: draft.logical_id,
    version: 2,
    source_artefacts: [draft.id, notes.id],
  });
  const aside = await post({ type: "Aside", source_artefacts: [better.id] });
  const target = await post({ type: "Report", source_artefacts: [draft.id] });
  const claim = sampleClaim(target, ["coder"]);
  await openStandard(board, claim, epoch);

  const { chain } = await board.readContext(target, []);
  const read = chain.map(({ id }) => id);
  expect(read.toSorted()).toEqual([goal.id, notes.id, better.id].toSorted());
  const problem = (ids: Artefact["id"][], isExternal = true) =>
    givenProblem(
      { board, agentCache: agentsWith(isExternal) },
      { claim: claim.id, agent: coder, ids },
    );
  expect(await problem([target.id, goal.id, draft.id, ...read])).toBeUndefined();
  expect(await problem([target.id, aside.id])).toBe(
    `Agent coder was not given ${aside.id}, which it names.`,
  );
  // A cub reads its inputs itself.
  expect(await problem([aside.id], false)).toBeUndefined();
});
