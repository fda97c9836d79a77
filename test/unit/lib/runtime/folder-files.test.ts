import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { appendFile, mkdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFolder, writeFolder } from "../../../../lib/runtime/folder-files.ts";

const folder = mkdtempSync(join(tmpdir(), "sett-folder-"));
afterAll(() => rmSync(folder, { recursive: true }));
const never = new AbortController().signal;

test("plain files come by their names, as they are when their turn comes", async () => {
  await mkdir(join(folder, "b/deep"), { recursive: true });
  for (const name of ["a", "b/deep/one", "c", "d"]) await writeFile(join(folder, name), name);
  await symlink("a", join(folder, "link"));
  const found: Record<string, string> = {};
  for await (const { path, size, content } of readFolder(folder)) {
    // One grows while it is read, and one is gone when its turn comes.
    if (path === "c") await appendFile(join(folder, "c"), "later");
    if (path === "a") await rm(join(folder, "d"));
    found[path] = Buffer.concat(await Array.fromAsync(content)).toString();
    expect(size).toBe(found[path]?.length ?? 0);
  }
  expect(found).toEqual({ a: "a", "b/deep/one": "b/deep/one", c: "c" });
});

test("what is written is for its owner alone, and replaces what was there", async () => {
  await writeFile(join(folder, "c"), "longer than before");
  const files = async function* () {
    yield { path: "c", size: 3, content: new Blob(["ne", "w"]).stream() };
    yield { path: "new/file", size: 0, content: new Blob([]).stream() };
  };
  await writeFolder(folder, files(), never);
  expect(await Bun.file(join(folder, "c")).text()).toBe("new");
  expect((await stat(join(folder, "new/file"))).mode & 0o777).toBe(0o600);
});
