import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyFolder } from "../../../../lib/process/empty-folder.ts";

let home: string;
let folder: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "sett-empty-"));
  folder = join(home, "folder");
  await mkdir(folder);
});

afterEach(() => rm(home, { recursive: true, force: true }));

test("files, hidden ones, and folders go, the folder itself and what is to be kept stay", async () => {
  await mkdir(join(folder, "deep/deeper"), { recursive: true });
  await writeFile(join(folder, "deep/deeper/file"), "");
  await writeFile(join(folder, ".hidden"), "");
  await mkdir(join(folder, "kept"));
  await emptyFolder(folder, new Set(["kept"]));
  expect(await readdir(folder)).toEqual(["kept"]);
});

test("folders without permissions go as well", async () => {
  await mkdir(join(folder, "shut/inner"), { recursive: true });
  await writeFile(join(folder, "shut/inner/file"), "");
  for (const path of ["shut/inner", "shut"]) await chmod(join(folder, path), 0);
  await emptyFolder(folder);
  expect(await readdir(folder)).toEqual([]);
});

test("what a link points to stays", async () => {
  await mkdir(join(home, "other"));
  await writeFile(join(home, "other/file"), "");
  await symlink(join(home, "other"), join(folder, "link"));
  await symlink("nowhere", join(folder, "dangling"));
  await emptyFolder(folder);
  expect(await readdir(folder)).toEqual([]);
  expect(await readdir(join(home, "other"))).toEqual(["file"]);
});

test("a folder that is not there is an error", () => {
  expect(emptyFolder(join(home, "absent"))).rejects.toThrow("ENOENT");
});
