import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFiles } from "../../../../../apps/cli/program/write-files.ts";

function inFolder(use: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), "sett-write-"));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const files = [
  { path: "agents/one/run.sh", content: "one\n", mode: 0o755 },
  { path: "sett.yml", content: "two\n", mode: 0o600 },
];

test("all files are there, and no drafts, before a signal can be handled", () => {
  inFolder((folder) => {
    void writeFiles(folder, files);
    expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual([
      ...["agents", "agents/one", "agents/one/run.sh", "sett.yml"],
    ]);
    expect(readFileSync(join(folder, "sett.yml"), "utf8")).toBe("two\n");
    expect(statSync(join(folder, "agents/one/run.sh")).mode & 0o777).toBe(0o755);
  });
});

test("a folder in the place of one file leaves none of them, and no new folder", () => {
  inFolder((folder) => {
    mkdirSync(join(folder, "sett.yml"));
    expect(() => writeFiles(folder, files)).toThrow("sett.yml is a folder");
    expect(readdirSync(folder)).toEqual(["sett.yml"]);
  });
});
