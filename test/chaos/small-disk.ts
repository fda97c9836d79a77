// A disk of a few megabytes for a Redis of its own, that a fault can fill to the last byte. Only
// root can make one.
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";

export type SmallDisk = AsyncDisposable & {
  readonly folder: string;
  fill(): Promise<void>;
  /** Takes away what fills it. */
  relieve(): Promise<void>;
};

/** Undefined where this user may not mount one. `inodes`: how many files it can have at most. */
export async function mountSmallDisk({
  megabytes = 48,
  inodes = 0,
} = {}): Promise<SmallDisk | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "sett-disk-"));
  const options = `size=${megabytes}m,nr_inodes=${inodes}`;
  const mounted = await $`mount -t tmpfs -o ${options} sett-chaos ${folder}`.quiet().nothrow();
  if (mounted.exitCode !== 0) {
    await rm(folder, { recursive: true });
    return undefined;
  }
  const filler = join(folder, "filler");
  return {
    folder,
    async fill() {
      await using file = await open(filler, "w");
      // Large pieces first, then what is left between them and the end.
      for (const size of [1 << 20, 1 << 12, 1]) await writeUntilFull(file, Buffer.alloc(size));
    },
    relieve: () => rm(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      await $`umount ${folder}`.quiet();
      await rm(folder, { recursive: true });
    },
  };
}

async function writeUntilFull(
  file: Awaited<ReturnType<typeof open>>,
  piece: Uint8Array,
): Promise<void> {
  try {
    for (;;) {
      const { bytesWritten } = await file.write(piece);
      if (bytesWritten < piece.length) return;
    }
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
  }
}
