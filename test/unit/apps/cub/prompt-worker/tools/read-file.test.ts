import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { closeSync, openSync, truncateSync, writeSync } from "node:fs";
import { join } from "node:path";
import { readFileTool } from "../../../../../../apps/cub/prompt-worker/tools/read-file.ts";
import { textFrom, toolScene } from "../../../../../support/models/use-tool.ts";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`).join("\n");
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}: line ${from + index}`).join(
    "\n",
  );

test("each line is behind its number, a part with what follows it", async () => {
  using scene = await toolScene({ "a.txt": `${lines(1, 10)}\n`, "no-break.txt": "one\ntwo" });
  const tool = readFileTool(scene.workspace);
  expect(await textFrom(tool, { path: "a.txt" })).toBe(numbered(1, 10));
  expect(await textFrom(tool, { path: "a.txt", from: 3, to: 4 })).toBe(
    `${numbered(3, 4)}\n[lines 3 to 4 of a.txt, which goes on: 71 bytes in all.]`,
  );
  expect(await textFrom(tool, { path: "a.txt", from: 9, to: 10 })).toBe(
    `${numbered(9, 10)}\n[the end of a.txt, line 10]`,
  );
  expect(await textFrom(tool, { path: "a.txt", from: 9, to: 99 })).toBe(
    `${numbered(9, 10)}\n[the end of a.txt, line 10]`,
  );
  expect(await textFrom(tool, { path: "a.txt", from: 11 })).toBe(
    "a.txt has no line 11: it ends before.",
  );
  expect(await textFrom(tool, { path: join(scene.folder, "no-break.txt") })).toBe("1: one\n2: two");
});

test("a long file is shown in parts that follow each other", async () => {
  using scene = await toolScene({ "long.txt": `${lines(1, 5_000)}\n` });
  const tool = readFileTool(scene.workspace);
  const first = await textFrom(tool, { path: "long.txt" });
  expect(first).toStartWith("1: line 1\n2: line 2\n");
  expect(first).toEndWith(
    "\n2000: line 2000\n[lines 1 to 2000 of long.txt, which goes on: 49 kB in all. That is all that is shown at once; go on with from: 2001.]",
  );
  expect(await textFrom(tool, { path: "long.txt", from: 4_001 })).toEndWith(
    "\n5000: line 5000\n[the end of long.txt, line 5000]",
  );
});

test("a line without end is cut, and characters are whole", async () => {
  using scene = await toolScene({ "wide.txt": `${"ü".repeat(300_000)}\nnext\n` });
  const text = await textFrom(readFileTool(scene.workspace), { path: "wide.txt" });
  expect(text).toBe(`1: ${"ü".repeat(2_000)}… [the rest of the line is left out]\n2: next`);
});

test("line breaks of Windows and bytes that are no UTF-8 are said", async () => {
  using scene = await toolScene({
    "win.txt": "one\r\ntwo\r\nthree",
    "mixed.txt": "one\r\ntwo\nthree\n",
    "latin.txt": new Uint8Array([0x63, 0xe9, 10]),
  });
  const read = (path: string) => textFrom(readFileTool(scene.workspace), { path });
  expect(await read("win.txt")).toBe("1: one\n2: two\n3: three\n[the lines end in CR LF]");
  expect(await read("mixed.txt")).toBe("1: one\n2: two\n3: three\n[1 of the lines end in CR LF]");
  expect(await read("latin.txt")).toBe("1: c\ufffd\n[bytes that are no UTF-8 are shown as \ufffd]");
});

test("a binary file, a folder, an empty, a missing and a special file each get a sentence", async () => {
  using scene = await toolScene({
    "a.png": new Uint8Array([137, 80, 0, 1]),
    "folder/x": "",
    empty: "",
  });
  execFileSync("mkfifo", [join(scene.folder, "pipe")]);
  const tool = readFileTool(scene.workspace);
  expect(await textFrom(tool, { path: "a.png" })).toBe(
    "a.png is a binary file of 4 bytes, and is not shown. Use `run` to examine it.",
  );
  expect(await textFrom(tool, { path: "folder" })).toBe(
    "folder is a folder. `list_files` shows what is in it.",
  );
  expect(await textFrom(tool, { path: "empty" })).toBe("empty is empty.");
  expect(await textFrom(tool, { path: "nothing" })).toBe(
    "There is no file nothing. `list_files` shows the names.",
  );
  expect(await textFrom(tool, { path: "pipe" })).toBe("pipe is neither a file nor a folder.");
});

test("a file of 200 MB is not held in memory", async () => {
  using scene = await toolScene({ "zeros.bin": "" });
  truncateSync(join(scene.folder, "zeros.bin"), 200_000_000);
  const tool = readFileTool(scene.workspace);
  expect(await textFrom(tool, { path: "zeros.bin" })).toBe(
    "zeros.bin is a binary file of 200 MB, and is not shown. Use `run` to examine it.",
  );
  const file = openSync(join(scene.folder, "log.txt"), "w");
  const block = "0123456789abcde\n".repeat(65_536);
  for (let written = 0; written < 200; written++) writeSync(file, block);
  closeSync(file);
  const before = process.memoryUsage().rss;
  expect(await textFrom(tool, { path: "log.txt" })).toContain(
    "[lines 1 to 2000 of log.txt, which goes on: 210 MB in all.",
  );
  expect(await textFrom(tool, { path: "log.txt", from: 13_000_000, to: 13_000_001 })).toStartWith(
    "13000000: 0123456789abcde\n13000001: 0123456789abcde\n[lines 13000000",
  );
  // Whole in memory, the file would be there twice: as bytes and as text.
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
});
