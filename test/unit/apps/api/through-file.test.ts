import { expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import { throughFile } from "../../../../apps/api/through-file.ts";

import { temporaryFolder } from "../../../support/git/sample-repository.ts";

/** Files of this process in the folder, also those without a name. */
function openIn(folder: string): number {
  const targets = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return "";
    }
  });
  return targets.filter((target) => target.startsWith(folder)).length;
}

test("what is written comes out again, and nothing is left of it", async () => {
  using folder = temporaryFolder();
  const parts = Array.from({ length: 5 }, (_, index) => new Uint8Array(300_000).fill(index + 1));
  const stream = await throughFile(folder.path, async (onPart) => {
    for (const part of parts) onPart(part);
  });
  expect(readdirSync(folder.path)).toEqual([]);
  expect(openIn(folder.path)).toBe(1);
  expect(Buffer.from(await new Response(stream).arrayBuffer()).equals(Buffer.concat(parts))).toBe(
    true,
  );
  expect(openIn(folder.path)).toBe(0);
});

test("a client that goes, and a program that fails, leave no open file", async () => {
  using folder = temporaryFolder();
  const stream = await throughFile(folder.path, async (onPart) =>
    onPart(new Uint8Array(1_000_000)),
  );
  const reader = stream.getReader();
  await reader.read();
  await reader.cancel();
  const failed = throughFile(folder.path, async () => {
    throw new Error("git has failed");
  });
  expect(failed).rejects.toThrow("git has failed");
  await failed.catch(() => undefined);
  expect(openIn(folder.path)).toBe(0);
});
