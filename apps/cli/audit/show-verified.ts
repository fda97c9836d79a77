// `sett audit verify`: what a bundle shows, what it does not, and each problem by its place. It
// needs no sett, no repository and no network.
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { clauseOf, exitCodes, SettError } from "../../../lib/model/errors.ts";
import type { Signing } from "../../../lib/proof/acts-in-log.ts";
import {
  type Anchor,
  type Anchored,
  type AnchorProblem,
  checkAnchors,
} from "../../../lib/proof/anchors.ts";
import { type BundleFiles, readArchive } from "../../../lib/proof/archive.ts";
import { LogKeys } from "../../../lib/proof/log-keys.ts";
import {
  maxNoteBytes,
  notAVerifierKey,
  readVerifierKey,
  type VerifierKey,
  verifierKeyText,
} from "../../../lib/proof/note.ts";
import { readPem } from "../../../lib/proof/outside/certificates.ts";
import { type Moment, timesOf } from "../../../lib/proof/outside/moments.ts";
import type { OutsideAnchor, OutsideTrust } from "../../../lib/proof/outside/outside-in-bundle.ts";
import type { Policy } from "../../../lib/proof/outside/witnesses.ts";
import type { Problem } from "../../../lib/proof/problems.ts";
import { actCodes } from "../../../lib/proof/signed-act.ts";
import { type Shown, verifyBundle } from "../../../lib/proof/verify.ts";
import type { Shell } from "../terminal/shell.ts";
import { policyIn } from "./anchor.ts";
import { openBundle } from "./bundle-file.ts";
import { readSignersFile } from "./read-signers.ts";
import {
  type BundleReplay,
  DecidedAgain,
  factsIn,
  type PlacedDifference,
} from "./replay-bundle.ts";

/** More are in the JSON. */
const maxShown = 50;

type DecisionProblem = { code: "decision"; place: string; text: string };
type SeenAnchor = Anchor & { time: Date };
/**
 * `undecided`: claims of which the log says too little to decide them again. `seen`: undefined
 * where no repository was asked, or it has seen nothing of this log.
 */
type Found = Omit<Shown, "problems"> & {
  decisions: number;
  receipts: number;
  undecided: number;
  seen: Anchored<SeenAnchor>["newest"];
  problems: (Problem | DecisionProblem | AnchorProblem)[];
};
type Order = {
  file: string | undefined;
  key: string | undefined;
  repository: string | undefined;
  signers: string | undefined;
  receipts: readonly string[];
  require: string | undefined;
  tsa: string | undefined;
  policy: string | undefined;
  json: boolean;
};

/** The exit code. Throws `usage`. */
export async function showVerified(order: Order, shell: Shell): Promise<number> {
  const { file, key, repository, signers, receipts: receiptFiles, require, json } = order;
  if (file === undefined)
    throw new SettError("usage", "`sett audit verify` needs a file.", {
      hint: "`sett audit export` writes one.",
    });
  const required = requiredIn(require);
  const outside = await outsideTrustOf(order, required, shell);
  const own = await readKey(key, outside.policy, shell);
  const isReplayRequired = required.includes("replay");
  const signing = await signingOf(signers, required.includes("signatures"), shell);
  const receipts = await Promise.all(receiptFiles.map((one) => readReceiptFile(one, shell)));
  await using bundle = await openBundle(resolve(shell.cwd, file));
  const files = await readArchive(bundle);
  const trusted = own ?? (await keyInPolicy(files, outside.policy));
  const anchors = repository === undefined ? undefined : await anchorsIn(repository, shell);
  const found =
    typeof files === "string"
      ? { ...unreadable(files), keys: new LogKeys(trusted) }
      : await verified(files, trusted, { anchors, signing, receipts, isReplayRequired, outside });
  if (json) await shell.out.write(`${JSON.stringify(jsonOf(found))}\n`);
  else await shell.out.write(textOf(found));
  conclude(found, { file, key: trusted }, shell);
  return found.problems.length === 0 ? exitCodes.done : exitCodes.failed;
}

function conclude(
  { problems }: Found,
  { file, key }: { file: string; key: VerifierKey },
  shell: Shell,
): void {
  const isShown = problems.length === 0;
  const areOnly = (codes: readonly string[]) => problems.every(({ code }) => codes.includes(code));
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  if (isShown)
    shell.messages.done(`${oneLine(file)} shows this under the key of ${oneLine(key.name)}.`);
  else if (areOnly(["receipt"]))
    shell.messages.warn(
      `${oneLine(file)} does not show what ${count === "1 problem" ? "a receipt shows" : "receipts show"}: ${count}.`,
    );
  else if (areOnly(["attestation"]))
    shell.messages.warn(
      `${oneLine(file)} is what was sealed, and an attestation in it says something else: ${count}.`,
    );
  else if (areOnly(actCodes))
    shell.messages.warn(
      `${oneLine(file)} is what was sealed, and not each act of a person is signed as it must be: ${count}.`,
    );
  else if (areOnly(["approvals", "decision", ...actCodes]) && !areOnly(["decision"]))
    shell.messages.warn(
      `${oneLine(file)} is what was sealed, and fewer people have approved than have to: ${count}.`,
    );
  else if (areOnly(["decision"]))
    shell.messages.warn(
      `${oneLine(file)} is what was sealed, and its decisions are not by the rules of sett ${shell.version}: Redis has lost events, a person has written some, or another version has decided.`,
    );
  else shell.messages.warn(`${oneLine(file)} is not what was sealed: ${count}.`);
}

/** Throws `usage`. */
async function outsideTrustOf(
  { tsa, policy: file }: Pick<Order, "tsa" | "policy">,
  words: readonly string[],
  shell: Shell,
): Promise<OutsideTrust> {
  const required = (["tsa", "witness"] as const).filter((word) => words.includes(word));
  if (required.includes("tsa") && tsa === undefined)
    throw new SettError("usage", "--require tsa needs --tsa: whose certificates do you trust?");
  if (required.includes("witness") && file === undefined)
    throw new SettError("usage", "--require witness needs --policy: which witnesses do you trust?");
  const policy = await policyIn(file, shell);
  if (tsa === undefined) return { policy, required };
  const text = await readFile(resolve(shell.cwd, tsa), "utf8").catch((cause) => {
    const message = `${oneLine(tsa)} cannot be read: ${clauseOf(cause)}.`;
    throw new SettError("usage", message, { cause });
  });
  const roots = readPem(text);
  if (roots !== undefined) return { roots, policy, required };
  throw new SettError("usage", `${oneLine(tsa)} has no certificate that can be read.`, {
    hint: "--tsa takes a file with BEGIN CERTIFICATE: the root of the authority, by a way of its own.",
  });
}

/** `signatures,replay`. Throws `usage`. */
function requiredIn(text: string | undefined): string[] {
  const words = text === undefined ? [] : text.split(",");
  const unknown = words.find((word) => !["signatures", "replay", "tsa", "witness"].includes(word));
  if (unknown === undefined) return words;
  throw new SettError("usage", `--require does not know \`${oneLine(unknown)}\`.`, {
    hint: "It takes `signatures`, `replay`, `tsa` and `witness`: --require signatures,replay",
  });
}

/** Undefined without signers. Throws `usage`. */
async function signingOf(
  signers: string | undefined,
  isRequired: boolean,
  { cwd }: Shell,
): Promise<Signing | undefined> {
  if (signers !== undefined)
    return {
      signers: await readSignersFile(resolve(cwd, signers), signers),
      isRequired,
    };
  if (!isRequired) return undefined;
  throw new SettError("usage", "--require signatures needs --signers: whose keys do you trust?");
}

/** Undefined where the policy has it. Throws `usage`. */
async function readKey(
  key: string | undefined,
  policy: Policy | undefined,
  { cwd }: Shell,
): Promise<VerifierKey | undefined> {
  if (key === undefined && (policy?.logs.length ?? 0) > 0) return undefined;
  if (key === undefined)
    throw new SettError("usage", "A bundle does not vouch for itself: --key says what you trust.", {
      hint: "The people of the instance print it by `sett audit key`.",
    });
  const text = await readFile(resolve(cwd, key), "utf8").catch(() => key);
  const read = readVerifierKey(text.trim());
  if (read !== undefined) return read;
  throw new SettError("usage", `What --key names ${notAVerifierKey(text)}.`, {
    hint: "The people of the instance print it by `sett audit key`.",
  });
}

/** A policy may have several logs: the bundle names one. */
async function keyInPolicy(
  files: BundleFiles | string,
  policy: Policy | undefined,
): Promise<VerifierKey> {
  const checkpoint = typeof files === "string" ? undefined : files.get("checkpoint");
  const isNote = checkpoint !== undefined && checkpoint.size <= maxNoteBytes;
  const [name] = isNote ? (await checkpoint.whole()).toString().split("\n", 1) : [];
  const [first, ...others] = policy?.logs ?? [];
  const key = others.find((log) => log.name === name) ?? first;
  if (key === undefined) throw new TypeError("The policy has a key of a log.");
  return key;
}

/** Throws `usage`. */
async function readReceiptFile(file: string, { cwd }: Shell): Promise<string> {
  const path = resolve(cwd, file);
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > maxNoteBytes) return "";
  return await readFile(path, "utf8").catch((cause) => {
    const message = `The receipt ${oneLine(file)} cannot be read: ${clauseOf(cause)}.`;
    throw new SettError("usage", message, { cause });
  });
}

/** Throws `usage` where there is no repository. */
async function anchorsIn(folder: string, { cwd, env }: Shell): Promise<SeenAnchor[]> {
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  const options = { env, mayBeEmpty: true };
  const repository = await HostRepository.open(resolve(cwd, folder), options);
  return (await repository.listCheckpoints()).map(({ commit, time, checkpoint }) => {
    return { place: `git:${commit}`, time, checkpoint };
  });
}

function unreadable(text: string): Omit<Found, "keys"> {
  const problem: Problem = { code: "unreadable", place: "-", text };
  const nothing = {
    checkpoint: undefined,
    goal: undefined,
    entries: 0,
    leftOut: 0,
    decisions: 0,
    receipts: 0,
    undecided: 0,
    seen: undefined,
    acts: undefined,
    ...{ erased: 0, attested: 0, first: -1, last: -1, outside: [], after: undefined },
  };
  return { ...nothing, problems: [problem] };
}

async function verified(
  files: BundleFiles,
  key: VerifierKey,
  {
    anchors,
    signing,
    receipts,
    isReplayRequired,
    outside,
  }: {
    anchors: readonly SeenAnchor[] | undefined;
    signing: Signing | undefined;
    receipts: readonly string[];
    isReplayRequired: boolean;
    outside: OutsideTrust;
  },
): Promise<Found> {
  const decided = new DecidedAgain(await factsIn(files));
  const { problems, ...shown } = await verifyBundle(
    files,
    key,
    (record) => decided.add(record),
    signing,
    receipts,
    outside,
  );
  const { checkpoint, goal, keys } = shown;
  const anchored =
    anchors === undefined || checkpoint === undefined || problems.length > 0
      ? undefined
      : await checkAnchors(anchors, { files, keys, checkpoint, isOfGoal: goal !== undefined });
  const { decisions, differences, unknown, due } = await decided.end(files);
  const wrong = differences.map(problemOf);
  if (isReplayRequired) wrong.push(...undecidedProblems(unknown, due));
  const seen = anchored?.newest;
  const unseen = anchored?.problems ?? [];
  if (anchored !== undefined && seen === undefined && unseen.length === 0)
    unseen.push({
      ...{ code: "anchor", place: "git" },
      text: "The repository has seen nothing that this bundle could be compared with.",
    });
  const found = [...problems, ...wrong, ...unseen];
  const counts = { decisions, undecided: unknown.length, receipts: receipts.length };
  return { ...shown, ...counts, seen, problems: found };
}

function problemOf({ line, record, rules }: PlacedDifference): DecisionProblem {
  return {
    code: "decision",
    place: `records.jsonl:${line}`,
    text: `The record says ${record || "nothing"}, and the rules ${rules || "nothing"}.`,
  };
}

/** The problems are found only where each decision has to be shown. */
function undecidedProblems(
  unknown: readonly string[],
  due: BundleReplay["due"],
): DecisionProblem[] {
  const texts = [
    ...unknown.map((claim) => `Of claim ${claim} the log says too little to decide it again.`),
    ...due.map(
      ({ artefact, rules }) =>
        `About artefact ${artefact} the record says nothing more, and the rules ${rules}.`,
    ),
  ];
  return texts.map((text) => ({ code: "decision", place: "records.jsonl", text }));
}

function jsonOf(found: Found): object {
  const { checkpoint, goal, entries, decisions, receipts, undecided } = found;
  const { seen, problems, leftOut } = found;
  const about = { goal: goal?.goal, state: goal?.state };
  const log = { origin: checkpoint?.origin, size: checkpoint?.size };
  const left = leftOut === 0 ? {} : { left_out: leftOut };
  const git = seen && { size: seen.size, at: seen.anchor.time, commit: seen.anchor.place.slice(4) };
  const { acts, erased, attested } = found;
  const { outside: anchors, first, last } = found;
  const made = { entries, decisions, receipts, undecided, erased, attested, seen: git, acts };
  const times = anchors.length === 0 ? {} : { anchors, ...timesOf(anchors, { first, last }) };
  const rotations = found.keys.rotations.map(({ size, to }) => ({
    size,
    key: verifierKeyText(to),
  }));
  const keys = { ...(rotations.length > 0 && { rotations }), after: found.after };
  const shown = problems.length === 0;
  return { shown, ...about, ...log, ...made, ...keys, ...times, problems, ...left };
}

function textOf(found: Found): string {
  const { checkpoint, goal, entries, decisions, receipts, undecided } = found;
  const { problems, leftOut } = found;
  const people = peopleTexts(found);
  const times = timeTexts(found);
  if (problems.length > 0) {
    const lines = problems.map(
      ({ code, place, text }) => `${code} ${oneLine(place)}: ${oneLine(text)}\n`,
    );
    const more = lines.length - maxShown + leftOut;
    const rest = more > 0 ? `… ${more} more: --json shows all.\n` : "";
    return lines.slice(0, maxShown).join("") + rest;
  }
  const about =
    goal === undefined
      ? `all ${entries} entries of the log`
      : `goal ${goal.goal}, which is ${goal.state}: all of its ${entries} entries in a log of ${checkpoint?.size}`;
  return `Shown: ${about}
  whole      nothing was changed, left out or put in between
  content    the artefacts and the rules are those that the log names${erasedText(found)}
  decisions  ${decisions} were made again by the rules, and are those on record
${keysText(found)}${attestedText(found)}${receipts === 0 ? "" : "  receipts   each act that a receipt is about is in the log, at its place\n"}${people.shown}${times.shown}Not shown
${people.notShown}${times.notShown}${formerText(found)}  before     what was changed or removed before the notary sealed it
${undecidedText(undecided)}  the rest   commits, calls of models and outputs are named by digests alone
`;
}

function formerText({ after }: Found): string {
  if (after === undefined) return "";
  const lost = `the log ${oneLine(after.origin)} of ${after.size} entries was lost`;
  return `  continuity ${lost}, and this one begun anew: only what others have seen of both\n             shows that it goes on from there\n`;
}

/** The keys that an earlier one has named show what was signed by it. */
function keysText({ keys }: Found): string {
  return keys.rotations
    .map(({ size, to }) => {
      const which = `${oneLine(verifierKeyText(to))}, as the one before has signed`;
      return `  key        from entry ${size} on it is ${which}\n`;
    })
    .join("");
}

function erasedText({ erased }: Found): string {
  if (erased === 0) return "";
  return `, but for ${erased === 1 ? "1 that was" : `${erased} that were`} erased on record`;
}

function attestedText({ attested }: Found): string {
  if (attested === 0) return "";
  const are = attested === 1 ? "1 commit is" : `${attested} commits are`;
  return `  commits    ${are} attested, by what the log says of the work\n`;
}

function peopleTexts({ acts }: Found): { shown: string; notShown: string } {
  if (acts === undefined) {
    const typed = "names are as they were typed: --signers FILE checks what people have signed";
    return { shown: "", notShown: `  people     ${typed}\n` };
  }
  const { signed, unsigned, by } = acts;
  const are = (count: number) =>
    count === 1 ? "1 act of a person is" : `${count} acts of people are`;
  const shown =
    signed === 0 ? "" : `  people     ${are(signed)} signed, by ${by.map(oneLine).join(", ")}\n`;
  const isAll = unsigned === 0 && signed > 0;
  const rest = unsigned === 0 ? "it has no act of a person" : `${are(unsigned)} not signed`;
  return { shown, notShown: isAll ? "" : `  people     ${rest}\n` };
}

const onlyNotary =
  "only the notary says when: --tsa, --policy and --repository show what others have seen";

function timeTexts(found: Found): { shown: string; notShown: string } {
  const { seen, outside, goal } = found;
  const { notLater, notEarlier } = timesOf(outside, found);
  const which = ({ size }: OutsideAnchor) =>
    goal !== undefined && size > found.last
      ? "all of them"
      : `the first ${size} entries of the log`;
  const lines = [
    ...(notLater === undefined
      ? []
      : [`${which(notLater.anchor)} not later than ${said(notLater)}`]),
    ...(notEarlier === undefined ? [] : [`all of them not earlier than ${said(notEarlier)}`]),
    ...(seen === undefined
      ? []
      : [`git had the first ${seen.size} entries of the log at ${seen.anchor.time.toISOString()}`]),
  ];
  if (lines.length === 0) return { shown: "", notShown: `  time       ${onlyNotary}\n` };
  return { shown: lines.map((line) => `  time       ${line}\n`).join(""), notShown: "" };
}

function said({ at, by }: Moment): string {
  return `${at.toISOString()}, says ${oneLine(by)}`;
}

function undecidedText(claims: number): string {
  if (claims === 0) return "";
  const of = claims === 1 ? "1 claim says" : `${claims} claims say`;
  return `  rules      ${of} too little for the rules to be applied again\n`;
}
