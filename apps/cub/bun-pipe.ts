// A real pipe of the operating system. Bun makes a child's "pipes" out of sockets, which a tool cannot open by name: `tee /dev/stderr`, which works
// under `docker run`, would fail. No node: API makes a pipe, so this asks libc, in the one program that runs tools.

import { dlopen, FFIType, ptr } from "bun:ffi";
import { closeSync } from "node:fs";
import { Readable } from "node:stream";
import type { OutputPipe } from "../../lib/process/command.ts";

const closeOnExec = 0o2000000;

/** Returns the function that opens pipes, or undefined where libc cannot be reached this way: then tools get sockets. Linux only. */
export function pipeOpener(): (() => OutputPipe) | undefined {
  try {
    const libc = dlopen("libc.so.6", { pipe2: { args: [FFIType.ptr, FFIType.i32], returns: FFIType.i32 } });
    return () => {
      const ends = new Int32Array(2);
      const [readEnd, writeEnd] = libc.symbols.pipe2(ptr(ends), closeOnExec) === 0 ? ends : [];
      if (readEnd === undefined || writeEnd === undefined) throw new Error("The system has no more file descriptors for a pipe.");
      return { writeEnd, closeWriteEnd: () => closeSync(writeEnd), readable: readableOf(readEnd) };
    };
  } catch {
    return undefined;
  }
}

function readableOf(fd: number): Readable {
  // The web's stream and Node's twin of it are two types of one thing.
  const stream = Readable.fromWeb(Bun.file(fd).stream() as unknown as Parameters<typeof Readable.fromWeb>[0]);
  // Bun leaves the descriptor open when its stream has ended.
  stream.once("close", () => closeSync(fd));
  return stream;
}
