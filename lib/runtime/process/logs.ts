// The lines that a process has written, and further ones as it writes them.
import { type FileHandle, open, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SettError } from "../../model/errors.ts";
import type { LogLine, LogOptions } from "../port.ts";
import { stateOf } from "./inspect.ts";
import { logFile, olderLog, type Registry } from "./registry.ts";

const pollMs = 50;
const pieceBytes = 64 * 1024;

export async function* logLines(
  registry: Registry,
  process: string,
  options: LogOptions = {},
): AsyncGenerator<LogLine> {
  const { follow = false, tail, since, signal } = options;
  if (signal?.aborted) return;
  const found = await registry.find(process);
  if (found === undefined)
    throw new SettError("process-failed", `There is no process ${process} to read the logs of.`);
  const path = join(found.folder, logFile);
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return;
  let unread = new Unread(file);
  try {
    const isWanted = ({ time }: LogLine) =>
      since === undefined || Date.parse(time) >= since * 1_000;
    const last: LogLine[] = [];
    for await (const line of bothOf(path, unread)) {
      if (!isWanted(line)) continue;
      if (tail === undefined) yield line;
      else if (last.push(line) > tail) last.shift();
      if (signal?.aborted) return;
    }
    yield* last;
    for (let isOver = !follow; !isOver && !signal?.aborted; ) {
      // Its last line is logged before its end is recorded.
      isOver = stateOf(found).state !== "running";
      const isReplaced = await unread.isReplaced(path);
      for await (const line of unread.lines()) {
        if (signal?.aborted) return;
        yield line;
      }
      if (isReplaced) {
        await unread.close();
        unread = new Unread(await open(path));
        isOver = false;
      } else if (!isOver) await sleep(pollMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await unread.close();
  }
}

/** The older file first, unless it is the same file: the writer is just rotating. */
async function* bothOf(path: string, newer: Unread): AsyncGenerator<LogLine> {
  const file = await open(olderLog(path)).catch(() => undefined);
  if (file !== undefined) {
    const older = new Unread(file);
    try {
      if (await newer.isReplaced(olderLog(path))) yield* older.lines();
    } finally {
      await older.close();
    }
  }
  yield* newer.lines();
}

/** The unread part of a growing file. */
class Unread {
  readonly #file: FileHandle;
  readonly #piece = Buffer.alloc(pieceBytes);
  #at = 0;
  #rest = Buffer.alloc(0);

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Has another file taken its place at `path`? Then nothing more is written to this one. */
  async isReplaced(path: string): Promise<boolean> {
    const [own, there] = await Promise.all([this.#file.stat(), stat(path).catch(() => undefined)]);
    return there !== undefined && there.ino !== own.ino;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** The whole lines up to its present end. */
  async *lines(): AsyncGenerator<LogLine> {
    for (;;) {
      const { bytesRead } = await this.#file.read(this.#piece, 0, pieceBytes, this.#at);
      if (bytesRead === 0) return;
      this.#at += bytesRead;
      const bytes = Buffer.concat([this.#rest, this.#piece.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(0x0a) + 1;
      this.#rest = bytes.subarray(end);
      const whole = bytes.subarray(0, end).toString("utf8").split("\n").slice(0, -1);
      // Only a supervisor writes here.
      for (const line of whole) yield JSON.parse(line) as LogLine;
    }
  }
}
