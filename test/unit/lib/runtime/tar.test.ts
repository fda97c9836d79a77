import { expect, test } from "bun:test";
import { archiveEnd, blockBytes, readTar, writeHeader } from "../../../../lib/runtime/tar.ts";

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
