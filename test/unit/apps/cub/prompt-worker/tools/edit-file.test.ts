import { expect, test } from "bun:test";
import { readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { editFileTool } from "../../../../../../apps/cub/prompt-worker/tools/edit-file.ts";
import { textFrom, toolScene } from "../../../../../support/models/use-tool.ts";

const source =
  "function sum(a, b) {\n  return a - b;\n}\n\nfunction product(a, b) {\n  return a * b;\n}\n";

test("a text that is there once is replaced, whatever the new one means to a replacement", async () => {
  using scene = await toolScene({ "a.js": source });
  const tool = editFileTool(scene.workspace);
  expect(
    await textFrom(tool, { path: "a.js", old: "  return a - b;\n", new: "  return '$&' + a;\n" }),
  ).toBe("Changed a.js in line 2.");
  expect(readFileSync(join(scene.folder, "a.js"), "utf8")).toBe(
    source.replace("a - b", () => "'$&' + a"),
  );
});

test("a text that is not there changes nothing, and the answer shows the nearest", async () => {
  using scene = await toolScene({ "a.js": source });
  const tool = editFileTool(scene.workspace);
  expect(
    await textFrom(tool, {
      path: "a.js",
      old: "function  product(a, b) {\n    return a * c;\n}",
      new: "x",
    }),
  ).toBe(
    'The text is not in a.js. The nearest to it begins in line 5:\nfunction product(a, b) {\n  return a * b;\n}\nIn line 5 the file has "function product(a, b) {", and you gave "function  product(a, b) {": only white space differs. Nothing was changed.',
  );
  expect(await textFrom(tool, { path: "a.js", old: "zzz qqq", new: "x" })).toBe(
    "The text is not in a.js, and nothing in it is like it. Read the file first. Nothing was changed.",
  );
  expect(await textFrom(tool, { path: "a.js", old: "2:   return a - b;\n3: }", new: "x" })).toBe(
    "The text is not in a.js: `old` has line numbers, which only `read_file` shows. Nothing was changed.",
  );
  expect(readFileSync(join(scene.folder, "a.js"), "utf8")).toBe(source);
});

test("a named pipe is no file, and is not waited for", async () => {
  using scene = await toolScene({ "a.js": source });
  Bun.spawnSync(["mkfifo", join(scene.folder, "pipe")]);
  expect(await textFrom(editFileTool(scene.workspace), { path: "pipe", old: "a", new: "b" })).toBe(
    "pipe is not a file. Nothing was changed.",
  );
});

test("a text that is there more than once changes nothing, and the answer counts it", async () => {
  using scene = await toolScene({ "a.js": source });
  expect(
    await textFrom(editFileTool(scene.workspace), { path: "a.js", old: "(a, b)", new: "x" }),
  ).toBe(
    "The text is in a.js 2 times, in lines 1, 5: give more of the lines around the place that you mean, or `all` for each of them. Nothing was changed.",
  );
  expect(readFileSync(join(scene.folder, "a.js"), "utf8")).toBe(source);
});

test("each of them is replaced where all are meant", async () => {
  using scene = await toolScene({ "a.js": source });
  const edit = { path: "a.js", old: "(a, b)", new: "(b, a)", all: true };
  expect(await textFrom(editFileTool(scene.workspace), edit)).toBe("Changed a.js in lines 1, 5.");
  expect(readFileSync(join(scene.folder, "a.js"), "utf8")).toBe(
    source.replaceAll("(a, b)", "(b, a)"),
  );
});

test("line breaks of Windows, a byte order mark and other bytes stay as they are", async () => {
  const latin = [...Buffer.from("caf\u00e9 one\ntwo\n", "latin1")];
  using scene = await toolScene({
    "win.txt": "\ufeffone\r\ntwo\r\nthree",
    "mixed.txt": "one\r\ntwo\n",
    "latin.txt": new Uint8Array(latin),
  });
  const tool = editFileTool(scene.workspace);
  const bytes = (path: string) => readFileSync(join(scene.folder, path));
  expect(await textFrom(tool, { path: "win.txt", old: "one\ntwo\n", new: "1\n2\n2b\n" })).toBe(
    "Changed win.txt in line 1.",
  );
  expect(bytes("win.txt").toString()).toBe("\ufeff1\r\n2\r\n2b\r\nthree");
  expect(await textFrom(tool, { path: "mixed.txt", old: "one\ntwo", new: "x" })).toContain(
    'In line 1 the file has "one\\r", and you gave "one": only white space differs.',
  );
  expect(await textFrom(tool, { path: "latin.txt", old: "one", new: "ü" })).toBe(
    "latin.txt is no UTF-8, so that text beyond ASCII would be written with the wrong bytes. Use `run`, for instance with iconv. Nothing was changed.",
  );
  expect(await textFrom(tool, { path: "latin.txt", old: "one", new: "1" })).toBe(
    "Changed latin.txt in line 1.",
  );
  expect(bytes("latin.txt").toString("latin1")).toBe("caf\u00e9 1\ntwo\n");
});

test("what cannot be edited is refused with the reason", async () => {
  using scene = await toolScene({
    "a.bin": new Uint8Array([1, 0, 2]),
    "big.txt": "x",
    "same.txt": "x",
    "folder/f": "",
  });
  truncateSync(join(scene.folder, "big.txt"), 200_000_000);
  const tool = editFileTool(scene.workspace);
  const edit = (path: string) => textFrom(tool, { path, old: "x", new: "x" });
  expect(await edit("a.bin")).toBe(
    "a.bin is a binary file of 3 bytes: it cannot be edited as text. Nothing was changed.",
  );
  expect(await edit("big.txt")).toBe(
    "big.txt has 200 MB, which is too much for this tool. Use `run`, for instance with sed. Nothing was changed.",
  );
  expect(await edit("same.txt")).toBe("`old` and `new` are the same. Nothing was changed.");
  expect(await edit("missing.txt")).toBe(
    "There is no file missing.txt that can be read. Nothing was changed.",
  );
  expect(await edit("folder")).toBe("folder is not a file. Nothing was changed.");
  expect(await edit("../outside")).toContain("is outside of the workspace");
});
