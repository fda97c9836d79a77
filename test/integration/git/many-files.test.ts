// A command may leave more names in a folder than the memory of its container has room for.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { memoryOf } from "../../support/git/use-of-memory.ts";
import { rowsOfDay } from "../../support/nightly.ts";

const mebibyte = 1024 ** 2;
const count = 60_000;

let folder: ReturnType<typeof temporaryFolder>;

beforeAll(() => {
  folder = temporaryFolder();
  for (let number = 0; number < count; number++)
    writeFileSync(join(folder.path, `${"x".repeat(240)}${number}`), "");
  mkdirSync(join(folder.path, "closed/in"), { recursive: true });
  writeFileSync(join(folder.path, "closed/in/file"), "");
  chmodSync(join(folder.path, "closed"), 0o300);
}, 120_000);

afterAll(() => folder?.[Symbol.dispose]());

// The last one leaves nothing for the others.
test.each(rowsOfDay([["diskUse"], ["mendFolder"], ["emptyFolder"]] as const))(
  "%s needs little memory for very many files",
  (work) => {
    expect(readdirSync(folder.path)).toHaveLength(count + 1);
    expect(memoryOf(work, folder.path)).toBeLessThan(48 * mebibyte);
    if (work === "emptyFolder") expect(readdirSync(folder.path)).toEqual([]);
    else expect(existsSync(join(folder.path, "closed"))).toBe(true);
  },
  120_000,
);
