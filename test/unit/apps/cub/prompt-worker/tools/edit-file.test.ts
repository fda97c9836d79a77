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
  ).toBe("Changed a.js.");
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
    "The text is not in a.js. The nearest to it begins in line 5:\nfunction product(a, b) {\n  return a * b;\n}\nNothing was changed.",
  );
  expect(await textFrom(tool, { path: "a.js", old: "zzz qqq", new: "x" })).toBe(
    "The text is not in a.js, and nothing in it is like it. Read the file first.\nNothing was changed.",
  );
  expect(readFileSync(join(scene.folder, "a.js"), "utf8")).toBe(source);
});

test("a named pipe is no file, and is not waited for", async () => {
  using scene = await toolScene({ "a.js": source });
  Bun.spawnSync(["mkfifo", join(scene.folder, "pipe")]);
  expect(await textFrom(editFileTool(scene.workspace), { path: "pipe", old: "a", new: "b" })).toBe(
    "pipe is not a file.",
  );
});

test("a text that is there more than once changes nothing, and the answer counts it", async () => {
  using scene = await toolScene({ "a.js": source });
  expect(
    await textFrom(editFileTool(scene.workspace), { path: "a.js", old: "(a, b)", new: "x" }),
  ).toBe(
    "The text is in a.js 2 times. Nothing was changed: give more of the lines around the place that you mean.",
  );
  expect(readFileSync(join(scene.folder, "a.js"), "utf8")).toBe(source);
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
    "a.bin is a binary file of 3 bytes: it cannot be edited as text.",
  );
  expect(await edit("big.txt")).toBe(
    "big.txt has 200 MB, which is too much for this tool. Use `run`, for instance with sed.",
  );
  expect(await edit("same.txt")).toBe("`old` and `new` are the same. Nothing was changed.");
  expect(await edit("missing.txt")).toBe(
    "There is no file missing.txt that can be read. `write_file` makes new files.",
  );
  expect(await edit("folder")).toBe("folder is not a file.");
  expect(await edit("../outside")).toContain("is outside of the workspace");
});
