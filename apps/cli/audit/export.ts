// `sett audit export` and `sett audit key`.
import { resolve } from "node:path";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { readAttestationKey } from "../../../lib/proof/attestation.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { archiveBoard } from "../archive/board.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import { keepCheckpoint } from "../instance/keep-checkpoint.ts";
import { requireKnown } from "../instance/known-archive.ts";
import { gitOf } from "../instance/packs-place.ts";
import type { Place } from "../instance/place.ts";
import { openSession, type Session } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { headOf, keysOf, rotateKey, untilSealed } from "./ask-notary.ts";
import type { ReadCommits } from "./attestations.ts";
import { exportBundle, sealedGoal } from "./export-bundle.ts";
import type { ContentBoard } from "./named-files.ts";

type Order = {
  goal: string | undefined;
  all: boolean;
  to: string | undefined;
  /** Files of `sett prune`. */
  archives: readonly string[];
  json: boolean;
  name: string | undefined;
};

export async function exportAudit(order: Order, shell: Shell): Promise<undefined> {
  if ((order.goal === undefined) === !order.all)
    throw new SettError("usage", "`sett audit export` needs either a goal or --all.", {
      hint: "For example: `sett audit export 9f3a12b4`",
    });
  await using session = await openSession(shell, order.name);
  const instance = besideNotary(session);
  const { board, place } = session;
  const archives = await Promise.all(
    order.archives.map((file) => knownArchive(resolve(shell.cwd, file), order.name, shell)),
  );
  const goal =
    order.goal === undefined
      ? undefined
      : await goalIn([...archives, board], order.goal, shell.suggest);
  const what = goal === undefined ? "all" : shortId(goal);
  const file = resolve(shell.cwd, order.to ?? `sett-proof-${what}.tar`);
  await fetchResults(shell, place.workspace, () => readResults(board), "count");
  const repository = await repositoryOf(place, shell);
  const { head, ofGoal, isBehind } = await untilSealed(shell, board, async () => {
    if (goal === undefined) return { head: await headOf(shell, instance), ofGoal: undefined };
    const { head, ...ofGoal } = await sealedGoal(shell, { instance, goal });
    return { head, ofGoal };
  });
  const { key } = head;
  const { entries, missing, erased, attested, unattested } = await exportBundle(
    shell,
    { board: boardWith(board, archives), readCommits: readCommitsOf(repository) },
    { instance, head, ofGoal, path: file },
    async (checkpoint) => {
      if (repository) await keepCheckpoint(repository, { instance, checkpoint }, shell);
    },
  );
  const counts = { entries, isBehind, missing, erased, attested, unattested };
  if (order.json) await shell.out.write(`${JSON.stringify({ file, key, ...counts })}\n`);
  if (isBehind)
    shell.messages.warn("The notary is behind: what was recorded last is not sealed yet.");
  if (missing > 0)
    shell.messages.warn(`${missing} artefacts or rules that the log names are not in it. ${moved}`);
  if (unattested > 0)
    shell.messages.warn(
      `${unattested === 1 ? "1 result has" : `${unattested} results have`} no attestation: their commits are not in the repository here. \`sett hoard\` fetches them.`,
    );
  if (erased > 0)
    shell.messages.note(
      `${erased === 1 ? "1 artefact was" : `${erased} artefacts were`} erased on record: their digests and who erased them are in it.`,
    );
  shell.messages.done(`${entries} events are in ${file}.`);
  shell.messages.next(`Anyone can check it: sett audit verify ${file} --key ${key}`);
  return undefined;
}

/** Throws `archive-unusable`. */
async function knownArchive(
  path: string,
  name: string | undefined,
  shell: Shell,
): Promise<ReadingBoard> {
  await requireKnown(path, name, shell);
  return await archiveBoard(path);
}

const moved = "Where `sett prune` has moved goals, name its file: --archive FILE";

/** Throws `artefact-not-found` where none of the boards has this goal. */
async function goalIn(
  boards: readonly ReadingBoard[],
  text: string,
  suggest: Suggest,
): Promise<GoalId> {
  const [board, ...others] = boards;
  if (board === undefined) throw new TypeError("A goal is looked for on no board.");
  return await resolveGoalId(board, text, suggest).catch((error: unknown) => {
    if (!(error instanceof SettError) || error.code !== "artefact-not-found") throw error;
    if (others.length > 0) return goalIn(others, text, suggest);
    throw new SettError(error.code, error.message, { hint: moved, cause: error });
  });
}

/** A goal that `sett prune` has moved is in an archive, and nowhere else. */
function boardWith(board: ReadingBoard, archives: readonly ReadingBoard[]): ContentBoard {
  const boards = [board, ...archives];
  return {
    readRecord: async (id) => {
      for (const one of boards) {
        const record = await one.readRecord(id);
        if (record !== undefined) return record;
      }
      return undefined;
    },
    readFacts: async (digests, goal) => {
      const found = await Promise.all(boards.map((one) => one.readFacts(digests, goal)));
      return new Map(found.flatMap((facts) => [...facts]));
    },
  };
}

/** The clone from which it is exported has then seen what the bundle is about. */
export async function repositoryOf(
  { workspace }: Pick<Place, "workspace">,
  shell: Shell,
): Promise<HostRepository | undefined> {
  if (workspace === undefined || workspace === "") return undefined;
  const { HostRepository: Repository } = await import(
    "../../../lib/git/repository/host-repository.ts"
  );
  return await Repository.open(workspace, gitOf(shell)).catch(() => undefined);
}

export function readCommitsOf(repository: HostRepository | undefined): ReadCommits {
  return async (commits) => (await repository?.readCommits(commits)) ?? new Map();
}

/** `pem`: the key of attestations, as tools of others take it. */
export async function printKey(
  { name, pem }: Pick<Order, "name"> & { pem: boolean },
  shell: Shell,
): Promise<undefined> {
  await using session = await openSession(shell, name);
  const { key, attestationKey } = await keysOf(shell, besideNotary(session));
  await shell.out.write(pem ? pemOf(attestationKey) : `${key}\n`);
  return undefined;
}

/** `sett audit rotate-key`: another key takes the place of the notary's, which says so. */
export async function exchangeKey({ name }: Pick<Order, "name">, shell: Shell): Promise<undefined> {
  await using session = await openSession(shell, name);
  const instance = besideNotary(session);
  const { key: before } = await keysOf(shell, instance);
  const { size, key } = await rotateKey(shell, instance);
  await shell.out.write(`${key}\n`);
  shell.messages.done(`From ${size} entries on, the notary signs with this key.`);
  shell.messages.note(`What ${before} has signed stays shown, by either key.`);
  shell.messages.next(
    "Give the new key to auditors and witnesses, and pin it in sett.yml where the old one is. `sett audit key --pem` prints the new one of attestations.",
  );
}

/** `note`: by the notary, which has just been asked for it. */
function pemOf(note: string): string {
  const text = note.slice(0, note.indexOf("\n\n") + 1);
  return readAttestationKey(text)?.export({ format: "pem", type: "spki" }).toString() ?? "";
}

/** Another instance of this machine may have the name of one that is reached by its API. */
export function besideNotary({ place }: Session): InstanceName {
  if (!("api" in place)) return place.instance;
  throw new SettError("not-ready", `The notary of ${place.instance} is on another machine.`, {
    hint: "Do this where `sett up` has started it.",
  });
}
