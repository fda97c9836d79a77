// Says what `sett audit replay` has found of decisions that were made again.
import { resolve } from "node:path";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { exitCodes } from "../../../lib/model/errors.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { openHistory } from "../instance/open-history.ts";
import type { Shell } from "../terminal/shell.ts";
import { type Audited, replayLog } from "./replay.ts";
import { isBundle, replayBundle } from "./replay-bundle.ts";

/** More are in the JSON. */
const maxShown = 20;

type Order = { file: string | undefined; json: boolean; name: string | undefined };

/** The exit code. */
export async function showReplay({ file, json, name }: Order, shell: Shell): Promise<number> {
  if (file !== undefined && (await isBundle(resolve(shell.cwd, file))))
    return await showBundle({ file, json }, shell);
  await using history = await openHistory(shell, { archive: file, name });
  const path = file === undefined ? undefined : resolve(shell.cwd, file);
  const replayed = await replayLog(history.board, { archive: path, live: history.live });
  const isArchive = history.live === undefined;
  const code = await show(replayed, { file, json, isArchive }, shell);
  const [archives = [], tips = []] = await Promise.all([
    history.live?.listArchives(),
    history.live?.listLanes(),
  ]);
  if (archives.length > 0 && tips.length > 0)
    shell.messages.note(
      `Tips of lanes were not compared: a goal that is in a file of \`sett prune\` may have moved them. Each file by itself: ${shell.suggest("audit replay FILE")}`,
    );
  return code;
}

async function showBundle(
  { file, json }: { file: string; json: boolean },
  shell: Shell,
): Promise<number> {
  const replayed = await replayBundle(file, shell.cwd);
  const all = { ...replayed, overwritten: [], contradictions: [] };
  const code = await show(all, { file, json, isArchive: true }, shell);
  shell.messages.note(
    "Is this the log that was sealed? `sett audit verify` shows it, by the key of the instance.",
  );
  return code;
}

type Shown = { file: string | undefined; json: boolean; isArchive: boolean };

async function show(
  replayed: Replays,
  { file, json, isArchive }: Shown,
  shell: Shell,
): Promise<number> {
  const found = textsOf(replayed, isArchive);
  if (json) await shell.out.write(`${JSON.stringify(replayed)}\n`);
  else await shell.out.write(found.slice(0, maxShown).join(""));
  const more = found.length - maxShown;
  if (more > 0 && !json) shell.messages.note(`… ${more} more: --json shows all.`);
  explain(replayed, { file, isArchive }, shell);
  const isOpen = isArchive && replayed.due.length > 0;
  const { differences, overwritten, contradictions } = replayed;
  const isWrong = differences.length + overwritten.length + contradictions.length > 0 || isOpen;
  return isWrong ? exitCodes.failed : exitCodes.done;
}

/** A bundle knows the index of its entry in the log. */
type Placed = Audited["differences"][number] & { index?: number | undefined };
type Replays = Omit<Audited, "differences"> & { differences: readonly Placed[] };

function textsOf(
  { differences, overwritten, contradictions, due }: Replays,
  isArchive: boolean,
): string[] {
  const different = differences.map(
    ({ event, claim, rules, record, index }) =>
      `Claim ${shortId(claim)}, at ${index === undefined ? "" : `entry ${index}, `}event ${event}:\n  the record: ${oneLine(record)}\n  the rules:  ${oneLine(rules)}\n`,
  );
  // An instance that runs makes them in a moment.
  const missing = (isArchive ? due : []).map(
    ({ artefact, rules }) =>
      `Artefact ${shortId(artefact)}, at the end:\n  the record: nothing\n  the rules:  ${oneLine(rules)}\n`,
  );
  const changed = overwritten.map(
    ({ claim, log, record }) =>
      `Claim ${shortId(claim)}, as it is stored:\n  the record: ${oneLine(record)}\n  the log:    ${oneLine(log)}\n`,
  );
  const otherwise = contradictions.map(
    ({ what, log, record }) =>
      `${what.startsWith("lane ") ? what : shortId(what)}, as it is stored:\n  the record: ${oneLine(record)}\n  the log:    ${oneLine(log)}\n`,
  );
  return [...different, ...changed, ...otherwise, ...missing];
}

function countText(count: number, of: string): string {
  return count === 1 ? `1 ${of} is` : `${count} ${of}s are`;
}

function explain(
  { decisions, claims, differences, overwritten, contradictions, due, unknown, versions }: Replays,
  { file, isArchive }: { file: string | undefined; isArchive: boolean },
  { messages, suggest, cwd, version }: Shell,
): void {
  const known = claims - unknown.length;
  if (unknown.length > 0)
    messages.note(
      `${unknown.length} of ${claims} claims are of a version that wrote too little to decide them again.`,
    );
  if (due.length > 0) {
    const what = `${countText(due.length, "decision")} due`;
    if (isArchive) messages.warn(`${what}, and the file has no more of them.`);
    else messages.note(`${what}: none comes while the instance is paused or down.`);
  }
  if (overwritten.length > 0)
    messages.warn(
      `${countText(overwritten.length, "claim")} not what the log has made of it: the record was changed by hand.`,
    );
  if (contradictions.length > 0)
    messages.warn(
      `${countText(contradictions.length, "record")} not as the log says: the record was changed.`,
    );
  if (differences.length === 0)
    return messages.done(
      `${decisions} decisions about ${known} claims were made again: each is the one on record.`,
    );
  const others = versions.filter((one) => one !== version);
  const because =
    others.length > 0
      ? `another version of Sett has decided (${others.map(oneLine).join(", ")}, and this is ${version})`
      : "another version of Sett has decided";
  messages.warn(
    `${countText(differences.length, "event")} not as the rules ask for: the record was changed, or ${because}.`,
  );
  if (file === undefined) messages.next(`Look at such a claim: ${suggest("watch")}`);
  else messages.next(`Compare it with another copy of ${resolve(cwd, file)}`);
}
