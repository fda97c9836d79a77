// `--receipt`: a person keeps the proof that an own act is in the log, so that no later log can
// leave it out unnoticed (docs/reference/proof.md#receipts).
import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { sleep } from "../../../lib/async/sleep.ts";
import { resolveArtefactId } from "../../../lib/client/facts/resolve-id.ts";
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { clauseOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { isObject, parseJson } from "../../../lib/model/json.ts";
import { readRecord } from "../../../lib/proof/formats.ts";
import { receiptText } from "../../../lib/proof/receipt.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { openSession } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { lookEveryMs, maxWaitMs, untilNoted } from "./ask-notary.ts";
import { besideNotary } from "./export.ts";
import { requireNotary, sealedOf } from "./export-bundle.ts";

type Act = Pick<Artefact, "id" | "goal_id">;

/**
 * Before the act: throws `usage` where the file is there already, `output-failed`, and `not-ready`
 * where no notary could make one.
 */
export async function openReceipt(
  { file, name }: { file: string; name: string | undefined },
  shell: Shell,
): Promise<ReceiptFile> {
  await using session = await openSession(shell, name);
  const instance = besideNotary(session);
  await requireNotary(shell, instance);
  return new ReceiptFile(instance, file, shell);
}

/** `sett audit receipt`: of an act that is on record already. */
export async function writeReceipt(
  { artefact, to, name }: { artefact: string; to: string | undefined; name: string | undefined },
  shell: Shell,
): Promise<undefined> {
  await using session = await openSession(shell, name);
  const id = await resolveArtefactId(session.board, artefact, shell.suggest);
  const [found] = await session.board.readHeads([id]);
  if (found === undefined) throw new SettError("artefact-not-found", `There is no artefact ${id}.`);
  const file = to ?? `sett-receipt-${shortId(id)}.tlog-proof`;
  using receipt = await openReceipt({ file, name: session.board.instance }, shell);
  await receipt.keep(found.head);
}

/** The file is there from the beginning, and is removed where the act does not come about. */
export class ReceiptFile implements Disposable {
  readonly #instance: InstanceName;
  readonly #path: string;
  readonly #shell: Shell;
  #isKept = false;

  constructor(instance: InstanceName, file: string, shell: Shell) {
    this.#instance = instance;
    this.#path = resolve(shell.cwd, file);
    this.#shell = shell;
    this.#onDisk(() => closeSync(openSync(this.#path, "wx")));
    process.once("exit", this.#discard);
  }

  /** After the act. Throws `not-ready` where it is not sealed in time, and `interrupted`. */
  async keep({ id, goal_id }: Act): Promise<void> {
    const { messages, interrupted: signal } = this.#shell;
    const stopMs = performance.now() + maxWaitMs;
    await this.#untilNoted({ stopMs, signal });
    for (;;) {
      if (signal.aborted) throw this.#unsealed("Interrupted before it was sealed", id);
      const of = { instance: this.#instance, goal: goal_id };
      const sealed = await sealedOf(this.#shell, of, ({ record }) => isActOf(record, id));
      if (sealed !== undefined) {
        const text = receiptText(sealed.proof, sealed.entry);
        this.#onDisk(() => writeFileSync(this.#path, text));
        this.#isKept = true;
        return messages.done(`The proof that it is on record is in ${oneLine(this.#path)}.`);
      }
      if (performance.now() >= stopMs) throw this.#unsealed("It is not sealed yet", id);
      await sleep(lookEveryMs, signal);
    }
  }

  async #untilNoted(until: { stopMs: number; signal: AbortSignal }): Promise<void> {
    await using session = await openSession(this.#shell, this.#instance);
    await untilNoted(session.board, await session.board.endOfEvents(), until);
  }

  #unsealed(what: string, id: Act["id"]): SettError {
    const code = this.#shell.interrupted.aborted ? "interrupted" : "not-ready";
    return new SettError(code, `${what}: it is on record, and there is no receipt.`, {
      hint: `Later: ${this.#shell.suggest(`audit receipt ${shortId(id)} --to FILE`)}`,
    });
  }

  #onDisk(act: () => void): void {
    try {
      act();
    } catch (cause) {
      const isThere = (cause as { code?: unknown }).code === "EEXIST";
      const path = oneLine(this.#path);
      const message = isThere
        ? `${path} is there already.`
        : `The receipt ${path} cannot be written: ${clauseOf(cause)}.`;
      const hint = "Name another file.";
      throw new SettError(isThere ? "usage" : "output-failed", message, { hint, cause });
    }
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#discard);
    this.#discard();
  }

  readonly #discard = (): void => {
    if (!this.#isKept) rmSync(this.#path, { force: true });
  };
}

function isActOf(record: string, id: Act["id"]): boolean {
  const { type, event = "" } = readRecord(record) ?? {};
  const body = parseJson(event);
  return type === "artefact_created" && isObject(body) && body.artefact_id === id;
}
