// The lines that a process has said, and goes on saying.
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SettError } from "../../model/errors.ts";
import type { LogLine, LogOptions } from "../port.ts";
import { stateOf } from "./inspect.ts";
import { logFile, type Registry } from "./registry.ts";

const pollMs = 50;
const pieceBytes = 64 * 1024;

export async function* logLines(registry: Registry, process: string, options: LogOptions = {}): AsyncGenerator<LogLine> {
  const { follow = false, tail, since, signal } = options;
  if (signal?.aborted) return;
  const found = await registry.find(process);
  if (found === undefined) throw new SettError("process-failed", `There is no process ${process} to read the logs of.`);
  const file = await open(join(found.folder, logFile)).catch(() => undefined);
  if (file === undefined) return;
  try {
    const unread = new Unread(file);
    const isWanted = ({ time }: LogLine) => since === undefined || Date.parse(time) >= since * 1_000;
    const last: LogLine[] = [];
    for await (const line of unread.lines()) {
      if (!isWanted(line)) continue;
      if (tail === undefined) yield line;
      else if (last.push(line) > tail) last.shift();
      if (signal?.aborted) return;
    }
    yield* last;
    for (let isOver = !follow; !isOver && !signal?.aborted; ) {
      // What it said last is written before its end is.
      isOver = stateOf(found).state !== "running";
      for await (const line of unread.lines()) {
        if (signal?.aborted) return;
        yield line;
      }
      if (!isOver) await sleep(pollMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
    }
  } finally {
    await file.close();
  }
}

/** What of a growing file was not read yet. */
class Unread {
  readonly #file: FileHandle;
  readonly #piece = Buffer.alloc(pieceBytes);
  #at = 0;
  #rest = Buffer.alloc(0);

  constructor(file: FileHandle) {
    this.#file = file;
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
