import { expect, test } from "bun:test";
import type { VolumeFile } from "../../../../lib/runtime/port.ts";
import {
  archiveEnd,
  BrokenArchive,
  blockBytes,
  readTar,
  writeHeader,
  writeTar,
} from "../../../../lib/runtime/tar.ts";

const owner = { uid: 0, gid: 0 };
const [folder, file] = ["f".repeat(36), "a".repeat(64)];
const headerOf = (name: string) => writeHeader({ name, kind: "0", size: 3, mode: 0o600, owner });

async function* archiveOf(names: readonly string[]) {
  for (const name of names) {
    yield headerOf(name);
    yield Buffer.concat([Buffer.from("abc"), Buffer.alloc(blockBytes - 3)]);
  }
  yield archiveEnd;
}

const names = [
  "short",
  "x".repeat(100),
  `record/outputs/${folder}/${file}`,
  `${"p".repeat(155)}/${"n".repeat(100)}`,
  `é/${"ü".repeat(50)}`,
];

test("a name that is longer than its field is written whole, and read so by us and by tar", async () => {
  const found: string[] = [];
  for await (const { name, content } of readTar(archiveOf(names))) {
    found.push(name);
    for await (const _ of content);
  }
  expect(found).toEqual(names);
  const archive = Buffer.concat(await Array.fromAsync(archiveOf(names)));
  const listed = Bun.spawn(["tar", "--list", "--quoting-style=literal"], {
    stdin: archive,
    stdout: "pipe",
  });
  expect((await new Response(listed.stdout).text()).trimEnd().split("\n")).toEqual(names);
});

test.each(["x".repeat(101), `${"p".repeat(156)}/n`.padEnd(200, "n"), `a/${"n".repeat(101)}`])(
  "%s is refused, and never cut",
  (name) => {
    expect(() => headerOf(name)).toThrow(RangeError);
  },
);

test("files become an archive that is read as they were, and one that was cut meanwhile is refused", async () => {
  const filesOf = async function* (cut = 0): AsyncGenerator<VolumeFile> {
    for (const bytes of [Buffer.alloc(0), Buffer.alloc(512, 1), Buffer.alloc(70_000, 2)])
      yield {
        ...{ path: `of/${bytes.length}`, size: bytes.length },
        content: new Blob([bytes.subarray(0, bytes.length - cut)]).stream(),
      };
  };
  const found: [string, number][] = [];
  const archive = writeTar(filesOf(), { mode: 0o600, owner });
  for await (const { name, content } of readTar(archive))
    found.push([name, Buffer.concat(await Array.fromAsync(content)).length]);
  expect(found).toEqual([0, 512, 70_000].map((size) => [`of/${size}`, size]));
  const cut = Array.fromAsync(writeTar(filesOf(1), { mode: 0o600, owner }));
  expect(await cut.catch((error: unknown) => error)).toBeInstanceOf(BrokenArchive);
});
