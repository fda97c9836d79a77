// sett rerun: runs the command of a grant again, and compares its result with the record.
import { createHash } from "node:crypto";
import { comparableResult, differencesOf } from "../../../lib/core/compare-results.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { AgentConfig } from "../../../lib/model/config.ts";
import { exitCodes, SettError } from "../../../lib/model/errors.ts";
import type { ComparableResult } from "../../../lib/model/examination.ts";
import { Piece } from "../../../lib/model/pieces.ts";
import { grantArguments } from "../examine/arguments.ts";
import { otherImage } from "../examine/image-of-grant.ts";
import { openExamination, readReport } from "../examine/open-examination.ts";
import { type Prepared, prepareExamination } from "../examine/prepare-examination.ts";
import { openSession, type Session } from "../instance/session.ts";
import { jsonArgument } from "../program/arguments.ts";
import { defineCommand } from "../program/command.ts";
import { rerunText } from "../render/rerun-report.ts";

export const rerun = defineCommand({
  name: "rerun",
  description: "run a grant's command again, and compare the results",
  details: [
    "A container from the image of that grant, with its commit, its inputs and its cage, runs the command once more beside",
    "the record. The result is the same if its type, summary, payload, metadata and pieces are, and the files of its",
    "commit; ids, times and hashes of commits do not count, and of a Failure neither does all that was printed. The goal",
    "stays as it is, and the log has who has done it. Command, environment and limits are those that sett.yml has now.",
    "Exit code 1 where the result is another one.",
  ].join("\n"),
  args: { ...grantArguments, json: jsonArgument },
  examples: ["sett rerun 9f3a12b4", "sett rerun 9f3a12b4 --json | jq -r .same"],
  endsItself: true,
  isOfThisMachine: true,
  async run(args, shell) {
    await using session = await openSession(shell, args.name);
    const actor = await session.actor(args.as);
    const prepared = await prepareExamination(session, args, "rerun", shell);
    const { place, found, examined } = prepared;
    const { grant, claim } = found;
    requireRepeatable(examined.agent);
    const result = requireResult(prepared);
    const recorded = await recordedResult(session, prepared, result);
    await using examination = await openExamination(place, examined);
    const { container } = examination;
    shell.messages.note(`The command of ${grant.agent} runs again.`);
    await place.runtime.workers.wait(container, shell.interrupted);
    const report = await readReport(place.runtime, container);
    if (report.outcome === "refused") throw new SettError("command-failed", report.reason);
    const differences = differencesOf(recorded, report.result);
    const isSame = differences.length === 0;
    const { agent, attempt } = grant;
    await session.board.logEvent(
      {
        type: "grant_examined",
        ...{ goal_id: claim.goal_id, claim_id: claim.id, artefact_id: result.id, agent },
        data: { attempt, how: "rerun", same: isSame, ...otherImage(examined.image) },
      },
      actor,
    );
    const { changed } = report;
    const json = {
      same: isSame,
      artefact_id: result.id,
      grant: { claim_id: claim.id, agent, attempt },
      image: examined.image.id,
      differences,
      ...(changed !== undefined && { changed }),
    };
    await shell.out.write(
      args.json
        ? `${JSON.stringify(json)}\n`
        : rerunText({ result, agent, differences, changed }, shell.out),
    );
    return isSame ? exitCodes.done : exitCodes.failed;
  },
});

/** Throws `usage` for work that depends on more than its inputs. */
function requireRepeatable({ name, model, lane, workspace, services }: AgentConfig): void {
  const why =
    model !== undefined
      ? "asks a language model, which answers otherwise each time, and at a price"
      : lane !== undefined
        ? "merges onto a lane, whose tip is another one by now"
        : workspace.prepare !== undefined
          ? "begins with what `workspace.prepare` makes, which is not kept with the record"
          : services.length > 0
            ? `has services beside it (${services.map((one) => one.name).join(", ")}), which a look does not start`
            : undefined;
  if (why === undefined) return;
  throw new SettError("usage", `${name} ${why}: its command is not run again.`, {
    hint: "Look at it in a shell: sett shell GRANT",
  });
}

function requireResult({ found: { grant, result } }: Prepared): Artefact {
  if (result !== undefined) return result;
  throw new SettError("usage", `The work of ${grant.agent} has no result yet.`, {
    hint: "Look at it in a shell: sett shell GRANT",
  });
}

async function recordedResult(
  { board }: Session,
  { place, examined }: Prepared,
  result: Artefact,
): Promise<ComparableResult> {
  const { commit, pieces: named } = result.metadata;
  const isPublished = commit !== undefined && examined.agent.workspace.mode === "rw";
  const tree = isPublished ? await place.repository.treeOf(commit) : undefined;
  const pieces = Piece.array().safeParse(named).data ?? [];
  const made = await board.readArtefacts(pieces.map(({ id }) => id));
  const keyed = pieces.flatMap(({ key, id }) => {
    const piece = made.find((one) => one.id === id);
    return piece === undefined ? [] : [{ ...piece, key }];
  });
  return comparableResult(result, { tree, pieces: keyed }, (text) =>
    createHash("sha256").update(text).digest("hex"),
  );
}
