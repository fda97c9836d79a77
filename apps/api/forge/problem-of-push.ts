// Finds what speaks against a push, before anything leaves the machine.
import { ValueFinder } from "../../../lib/forge/find-values.ts";
import type { PullVerdict } from "../../../lib/forge/judge-pull.ts";
import {
  harmlessLine,
  isWorkflow,
  problemOfCommit,
  problemOfPath,
} from "../../../lib/forge/texts.ts";
import type { Outgoing } from "../../../lib/git/repository/outgoing.ts";
import type { CommitReader } from "../../../lib/git/repository/unpublished.ts";
import { isApproval } from "../../../lib/model/approval.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ArtefactId, type CommitHash } from "../../../lib/model/ids.ts";
import type { PullParts } from "./pull-parts.ts";

type About = Pick<PullParts, "board" | "agent" | "secrets"> & {
  artefact: Artefact;
  commit: CommitHash;
};

/** Undefined where nothing does. */
export async function problemOfPush(
  about: About,
  { reader, outgoing }: { reader: CommitReader; outgoing: Outgoing },
): Promise<PullVerdict | undefined> {
  const finder = new ValueFinder(await about.secrets());
  await outgoing.read((piece) => finder.add(piece));
  if (finder.found !== undefined)
    return rejects(`A commit of this work has ${finder.found}`, "Leave it out of every commit");
  const { board, artefact, commit } = about;
  const [goal] = await board.readHeads([ArtefactId.parse(artefact.goal_id)]);
  const start = goal?.head.metadata.commit;
  const own = start === undefined ? outgoing : await reader.outgoing(commit, [start]);
  for (const { hash, text } of own.commits) {
    const problem = problemOfCommit(text);
    if (problem !== undefined)
      return rejects(`The commit ${hash.slice(0, 12)} has ${problem}`, "Make it anew without that");
  }
  for (const path of own.paths) {
    const problem = problemOfPath(path);
    if (problem !== undefined)
      return rejects(`The work has ${problem} (${harmlessLine(path, 100)})`, "Rename it");
  }
  const workflow = outgoing.paths.find(isWorkflow);
  if (workflow === undefined || (await hasPersonsApproval(about))) return undefined;
  const why = `It changes ${harmlessLine(workflow, 200)}, which the forge would run: a person has to approve it before it is pushed`;
  return { kind: "stops", why };
}

function rejects(what: string, remedy: string): PullVerdict {
  return { kind: "rejects", words: `${what}, and was not pushed to the forge. ${remedy}.` };
}

/** A Review of this very artefact by an agent that is a person. */
async function hasPersonsApproval({ board, artefact }: About): Promise<boolean> {
  const agents = await board.listAgents();
  const people = new Set(
    agents.flatMap(({ name, human, built_in }) => (human && built_in === undefined ? [name] : [])),
  );
  const claims = await board.readClaims([...(await board.claimsOfArtefact(artefact.id)).values()]);
  const reviews = claims.flatMap(({ grants }) =>
    grants.flatMap((grant) =>
      grant.state === "done" && grant.rejects !== true && people.has(grant.agent)
        ? grant.artefact_ids
        : [],
    ),
  );
  const whole = await board.readArtefacts(reviews);
  return whole.some((one) => one.structural_type === "Review" && isApproval(one.payload));
}
