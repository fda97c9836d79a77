// A real pipe of the operating system for a command's output. Bun makes a child's "pipes" out of
// sockets, which a tool cannot open by name: `tee /dev/stderr`, which works under `docker run`,
// would fail. No node: API makes a pipe, so this asks libc. Other runtimes make real ones.

import { closeSync } from "node:fs";
import process from "node:process";
import { Readable } from "node:stream";

/** `writeEnd` is a file descriptor for the child, to be closed here once the child has it. */
type OutputPipe = { readable: Readable; writeEnd: number; closeWriteEnd: () => void };

const closeOnExec = 0o2000000;

let opener: Promise<(() => OutputPipe) | undefined> | undefined;

/**
 * The function that opens pipes; undefined where `spawn` makes them as well, or libc cannot be
 * reached, as on macOS: then tools get sockets.
 */
export function pipeOpener(): Promise<(() => OutputPipe) | undefined> {
  opener ??= "bun" in process.versions ? bunPipeOpener() : Promise.resolve(undefined);
  return opener;
}

async function bunPipeOpener(): Promise<(() => OutputPipe) | undefined> {
  try {
    const { dlopen, FFIType, ptr } = await import("bun:ffi");
    const libc = dlopen("libc.so.6", {
      pipe2: { args: [FFIType.ptr, FFIType.i32], returns: FFIType.i32 },
    });
    return () => {
      const ends = new Int32Array(2);
      const [readEnd, writeEnd] = libc.symbols.pipe2(ptr(ends), closeOnExec) === 0 ? ends : [];
      if (readEnd === undefined || writeEnd === undefined)
        throw new Error("The system has no more file descriptors for a pipe.");
      return { writeEnd, closeWriteEnd: () => closeSync(writeEnd), readable: readableOf(readEnd) };
    };
  } catch {
    return undefined;
  }
}

function readableOf(fd: number): Readable {
  // The web's stream and Node's twin of it are two types of one thing.
  const stream = Readable.fromWeb(
    Bun.file(fd).stream() as unknown as Parameters<typeof Readable.fromWeb>[0],
  );
  // Bun leaves the descriptor open when its stream has ended.
  stream.once("close", () => closeSync(fd));
  return stream;
}
