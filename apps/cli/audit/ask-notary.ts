// Asks the notary of an instance, which alone has the key and the sealed log.
import { z } from "zod";
import { sleep } from "../../../lib/async/sleep.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import { askService } from "../instance/ask-service.ts";
import { isServing } from "../instance/place.ts";
import type { Shell } from "../terminal/shell.ts";

const Rotation = z.object({
  size: z.number(),
  record: z.string(),
  handover: z.string(),
  consistency: z.string(),
});

/**
 * `attestation_key`: a note. `is_anchored`: others have seen the log. `all_keys`: from the first to
 * the present one. `rotations`: how each took over, as files of a bundle. The version before does
 * not say these.
 */
export const Head = z.object({
  checkpoint: z.string(),
  size: z.number(),
  last_place: z.string(),
  key: z.string(),
  attestation_key: z.string(),
  is_anchored: z.boolean().default(true),
  all_keys: z.array(z.string()).default([]),
  rotations: z.array(Rotation).default([]),
});
export type Head = z.infer<typeof Head>;

/** The notary seals nothing that is younger than three seconds. */
export const maxWaitMs = 20_000;
export const lookEveryMs = 500;
const noteEveryMs = 100;

type SealedBoard = Pick<PersonBlackboard, "endOfEvents" | "readSealedPlace">;

/** Reads again until the present end of the log is sealed, for at most 20 s. */
export async function untilSealed<Read extends { head: Head }>(
  shell: Shell,
  board: SealedBoard,
  read: () => Promise<Read>,
): Promise<Read & { isBehind: boolean }> {
  const end = await board.endOfEvents();
  const stopMs = performance.now() + maxWaitMs;
  await untilNoted(board, end, { stopMs, signal: shell.interrupted });
  for (;;) {
    const found = await read();
    const isBehind = isLater(end, found.head.last_place);
    if (!isBehind || performance.now() >= stopMs) return { ...found, isBehind };
    await sleep(lookEveryMs, shell.interrupted);
  }
}

/**
 * Waits until Redis knows that the log is sealed up to `end`, and resolves with the place that it
 * knows; at once where nothing is sealed. To ask the notary instead would start a program for each
 * look.
 */
export async function untilNoted(
  board: Pick<SealedBoard, "readSealedPlace">,
  end: string,
  { stopMs, signal }: { stopMs: number; signal: AbortSignal },
): Promise<string | undefined> {
  for (;;) {
    const place = await board.readSealedPlace();
    if (place === undefined || !isLater(end, place)) return place;
    if (signal.aborted || performance.now() >= stopMs) return place;
    await sleep(noteEveryMs, signal);
  }
}

/** Reads the checkpoint that the notary has signed last. Throws `not-ready`. */
export async function headOf(shell: Shell, instance: InstanceName): Promise<Head> {
  const [line = ""] = await exportOf(shell, instance, { head: true });
  return Head.parse(JSON.parse(line));
}

/** How the first `from` entries are the beginning of all: lines of hashes. Throws `not-ready`. */
export async function consistencyOf(
  shell: Shell,
  instance: InstanceName,
  consistency: { checkpoint: string; from: number },
): Promise<string> {
  const [line = ""] = await exportOf(shell, instance, { consistency });
  return z.object({ path: z.string() }).parse(JSON.parse(line)).path;
}

type Anchoring = { checkpoint: string; at: string; tsr?: string; cosigned?: string };

/** `index`: of the entry that says so, where it is sealed by now. Throws `not-ready`. */
export async function keepAnchor(
  shell: Shell,
  instance: InstanceName,
  seen: Anchoring,
): Promise<{ index: number | null }> {
  const [line = ""] = await answerOf(shell, instance, { argument: "--keep-anchor", order: seen });
  return z.object({ index: z.number().nullable() }).parse(JSON.parse(line));
}

/** `size`: from which size of the log on the new `key` signs alone. Throws `not-ready`. */
export async function rotateKey(
  shell: Shell,
  instance: InstanceName,
): Promise<{ size: number; key: string }> {
  const [line = ""] = await answerOf(shell, instance, { argument: "--rotate-key", order: {} });
  return z.object({ size: z.number(), key: z.string() }).parse(JSON.parse(line));
}

/**
 * The verifier key of the instance, and the note with the key of its attestations. Throws
 * `not-ready`.
 */
export async function keysOf(
  shell: Shell,
  instance: InstanceName,
): Promise<{ key: string; attestationKey: string }> {
  const [key = "", ...note] = await answerOf(shell, instance, {
    argument: "--proof-key",
    order: {},
  });
  return { key, attestationKey: note.map((line) => `${line}\n`).join("") };
}

/** The lines of the answer. Throws `not-ready`. */
export async function exportOf(
  shell: Shell,
  instance: InstanceName,
  order: object,
): Promise<string[]> {
  shell.interrupted.throwIfAborted();
  return await answerOf(shell, instance, { argument: "--export-proof", order });
}

async function answerOf(
  shell: Shell,
  instance: InstanceName,
  { argument, order }: { argument: string; order: object },
): Promise<string[]> {
  const notary = await askService(shell, instance, "notary");
  if (notary === undefined || !isServing(notary.part))
    throw new SettError("not-ready", `The notary of ${instance} does not run on this machine.`, {
      hint: "`proof: on` in sett.yml and `sett up` start it.",
    });
  const { exitCode, stdout, stderr } = await notary.ask(argument, order);
  if (exitCode === 0) return stdout.split("\n").slice(0, -1);
  throw noAnswer(instance, stderr.trim());
}

export function noAnswer(instance: InstanceName, reason = ""): SettError {
  return new SettError("not-ready", `The notary of ${instance} gave no answer.`, {
    hint: reason || `\`sett logs notary --name ${instance}\` may show why.`,
  });
}
