// The modes of a pod that is there for the files of a claim alone (lib/runtime/kubernetes).
import { isAbsolute } from "node:path";
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { sleep } from "../../lib/async/sleep.ts";
import { SettError } from "../../lib/model/errors.ts";
import { readFolder, writeFolder } from "../../lib/runtime/folder-files.ts";
import type { VolumeFile } from "../../lib/runtime/port.ts";
import { readTar, writeTar } from "../../lib/runtime/tar.ts";
import { exitOn, stopSignal } from "../../lib/service/stop-signal.ts";

const folder = "/volume";
/** A pod whose `sett` was killed frees the claim by then. */
const maxMs = 24 * 3_600_000;
/** They are the reader's. */
const owner = { uid: 0, gid: 0 };

/** The others run beside it. */
export async function holdVolume(): Promise<void> {
  const signal = stopSignal();
  exitOn(signal);
  await sleep(maxMs, signal);
}

/** An archive of the volume's files goes to standard output. */
export async function readVolume(): Promise<void> {
  const archive = writeTar(readFolder(folder), { mode: 0o600, owner });
  await pipeline(Readable.from(archive), process.stdout, { end: false });
}

/** The files of an archive on standard input come into the volume. */
export async function writeVolume(): Promise<void> {
  await writeFolder(folder, filesIn(process.stdin), stopSignal());
}

async function* filesIn(archive: AsyncIterable<Uint8Array>): AsyncGenerator<VolumeFile> {
  for await (const { name, kind, size, content } of readTar(archive)) {
    const isWithin = kind === "0" && !isAbsolute(name) && !name.split("/").includes("..");
    if (!isWithin) throw new SettError("usage", `${JSON.stringify(name)} is no file of a volume.`);
    yield { path: name, size, content };
  }
}
