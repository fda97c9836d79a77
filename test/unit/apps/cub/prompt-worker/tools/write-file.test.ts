import { expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { writeFileTool } from "../../../../../../apps/cub/prompt-worker/tools/write-file.ts";
import { textFrom, toolScene } from "../../../../../support/models/use-tool.ts";

test("a file is written with the folders that it needs", async () => {
  using scene = await toolScene();
  const tool = writeFileTool(scene.workspace);
  expect(await textFrom(tool, { path: "a/b/c.txt", content: "one\n" })).toBe(
    "Wrote the new file a/b/c.txt.",
  );
  expect(await textFrom(tool, { path: "./a/b/c.txt", content: "two\n" })).toBe("Wrote a/b/c.txt.");
  expect(readFileSync(join(scene.folder, "a/b/c.txt"), "utf8")).toBe("two\n");
  expect(await textFrom(tool, { path: "a/b", content: "" })).toBe(
    "a/b is not a file. Nothing was written.",
  );
  expect(await textFrom(tool, { path: "a/b/c.txt/d", content: "" })).toStartWith(
    "a/b/c.txt/d cannot be written: ",
  );
});

test("other line breaks than the file had are said", async () => {
  using scene = await toolScene({ "a.txt": "one\r\ntwo\r\n" });
  const tool = writeFileTool(scene.workspace);
  const write = (content: string) => textFrom(tool, { path: "a.txt", content });
  expect(await write("1\r\n2\r\n")).toBe("Wrote a.txt.");
  expect(await write("1\n2\n")).toBe("Wrote a.txt. Its lines ended in CR LF, and end in LF now.");
  expect(await write("1\n")).toBe("Wrote a.txt.");
});

test("nothing is written outside of the workspace or in .git, also by way of a link", async () => {
  using scene = await toolScene();
  symlinkSync(scene.outer, join(scene.folder, "out"));
  symlinkSync(join(scene.outer, "later"), join(scene.folder, "dangling"));
  symlinkSync(join(scene.folder, ".git"), join(scene.folder, "repository"));
  const tool = writeFileTool(scene.workspace);
  const outside = ["../x", join(scene.outer, "x"), "out/x", "a/../../x"];
  for (const path of outside)
    expect(await textFrom(tool, { path, content: "" })).toContain("is outside of the workspace");
  expect(await textFrom(tool, { path: "dangling", content: "" })).toBe(
    '"dangling" is a symbolic link that leads nowhere. Nothing was written.',
  );
  for (const path of [
    ".git/hooks/pre-commit",
    ".GIT/config",
    "repository/config",
    "sub/.git/config",
  ]) {
    expect(await textFrom(tool, { path, content: "" })).toContain(
      "is inside `.git`, where no tool writes.",
    );
  }
  expect(await textFrom(tool, { path: "a\0b", content: "" })).toContain("is not a path.");
});
