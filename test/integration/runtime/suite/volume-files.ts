// Shows that files come into a volume, and out of it, as they were.
import { expect, test } from "bun:test";
import { recordVolumeName } from "../../../../lib/runtime/names.ts";
import type { VolumeFile } from "../../../../lib/runtime/port.ts";
import type { RuntimeBench } from "./bench.ts";

const owner = { uid: 12_345, gid: 3_000_000 };
const never = new AbortController().signal;

async function* filesOf(contents: Record<string, Uint8Array>): AsyncGenerator<VolumeFile> {
  for (const [path, bytes] of Object.entries(contents))
    yield { path, size: bytes.length, content: new Blob([Buffer.from(bytes)]).stream() };
}

async function read(files: AsyncIterable<VolumeFile>): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { path, size, content } of files) {
    const bytes = Buffer.concat(await Array.fromAsync(content));
    expect(bytes.length).toBe(size);
    found[path] = bytes.toString("hex");
  }
  return found;
}

export type VolumeBench = Pick<RuntimeBench, "instance" | "labels" | "runtime"> & AsyncDisposable;

export function volumeFilesSuite(open: () => Promise<VolumeBench>, rarely: typeof test): void {
  test("files are written into a volume with their folders, and read again; others are replaced", async () => {
    await using sett = await open();
    const { apply, observe } = sett.runtime;
    const name = recordVolumeName(sett.instance);
    await apply.makeVolume({ name, labels: sett.labels({ component: "record" }) });
    expect(await read(observe.readFiles(name))).toEqual({});
    const contents = {
      empty: Buffer.alloc(0),
      "ab/cd/large": Buffer.from(crypto.getRandomValues(new Uint8Array(50_000))),
      "ab/block": Buffer.alloc(512, 7),
    };
    await apply.writeFiles(name, filesOf(contents), { owner, signal: never });
    await apply.writeFiles(name, filesOf({ "ab/block": Buffer.from("new") }), {
      ...{ owner, signal: never },
    });
    expect(await read(observe.readFiles(name))).toEqual({
      empty: "",
      "ab/cd/large": contents["ab/cd/large"].toString("hex"),
      "ab/block": Buffer.from("new").toString("hex"),
    });
    expect(await Array.fromAsync(observe.readFiles(name), ({ path }) => path)).toEqual(
      Object.keys(contents).toSorted(),
    );
    // A reader that has enough leaves nothing behind.
    for await (const _ of observe.readFiles(name)) break;
    expect((await observe.parts(sett.instance)).containers).toEqual([]);
  });

  rarely("a source that fails ends the writing, with its own reason", async () => {
    await using sett = await open();
    const { apply, observe } = sett.runtime;
    const name = recordVolumeName(sett.instance);
    await apply.makeVolume({ name, labels: sett.labels({ component: "record" }) });
    const failing = async function* (): AsyncGenerator<VolumeFile> {
      yield* filesOf({ first: Buffer.from("1") });
      throw new RangeError("no more");
    };
    const writing = apply.writeFiles(name, failing(), { owner, signal: never });
    expect(await writing.catch((error: Error) => error.message)).toContain("no more");
    expect((await observe.parts(sett.instance)).containers).toEqual([]);
  });
}
