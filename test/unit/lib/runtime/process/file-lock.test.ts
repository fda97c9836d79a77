// A file as a lock between processes of this machine.
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  exists,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { aborted } from "../../../../../lib/async/sleep.ts";
import { identify } from "../../../../../lib/process/process-id.ts";
import type { HeldLock } from "../../../../../lib/runtime/port.ts";
import { acquireLock, withLock } from "../../../../../lib/runtime/process/file-lock.ts";
import { waitFor } from "../../../../support/wait-for.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-locks-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

test("jobs under one lock run one after the other, also after one that failed", async () => {
  const path = join(folder, crypto.randomUUID());
  const { signal } = new AbortController();
  let inside = 0;
  let most = 0;
  const job = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside -= 1;
  };
  await expect(withLock(path, signal, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await Promise.all(Array.from({ length: 5 }, () => withLock(path, signal, job)));
  expect(most).toBe(1);
});

async function take(path: string): Promise<HeldLock> {
  const lock = await acquireLock(path, "me");
  if (lock.outcome === "taken") throw new Error(`It is taken by ${lock.by}.`);
  return lock;
}

test("a lock has one holder at a time, who is named, until it is released", async () => {
  const path = join(folder, crypto.randomUUID());
  {
    await using _held = await take(path);
    expect(await acquireLock(path, "another")).toEqual({ outcome: "taken", by: "me" });
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ pid: process.pid });
  }
  await using _again = await take(path);
});

test("a lock whose holder was killed is free, although the holder is a zombie, or another process has its number", async () => {
  const path = join(folder, crypto.randomUUID());
  const holder = `
    const { acquireLock } = await import(${JSON.stringify(require.resolve("../../../../../lib/runtime/process/file-lock.ts"))});
    await acquireLock(${JSON.stringify(path)}, "the killed one");
    process.kill(process.pid, "SIGKILL");`;
  // A shell that becomes a sleep reaps no child.
  await using parent = Bun.spawn(
    ["sh", "-c", '"$0" -e "$1" & echo $!; exec sleep 600', process.execPath, holder],
    {
      stdout: "pipe",
    },
  );
  const { value } = await parent.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(value));
  await waitFor("the holder to end", () => identify(pid) === undefined);
  expect(await readFile(path, "utf8")).toContain("the killed one");
  await (await take(path))[Symbol.asyncDispose]();
  for (const left of [
    JSON.stringify({ ...identify(process.pid), born: "long ago" }),
    "999999",
    "{}",
    "null",
    "",
  ]) {
    await writeFile(path, left);
    await (await take(path))[Symbol.asyncDispose]();
  }
});

test("a holder in another container, whose process cannot be looked for from here, is believed for a minute", async () => {
  const path = join(folder, crypto.randomUUID());
  await writeFile(
    path,
    JSON.stringify({ pid: 1, born: "elsewhere", space: "pid:[1]", who: "a job" }),
  );
  expect(await acquireLock(path, "me")).toEqual({ outcome: "taken", by: "a job" });
  const before = new Date(Date.now() - 61_000);
  await utimes(path, before, before);
  await using _taken = await take(path);
});

test("a lock is renewed while it is held, for those who cannot look for its holder, and made again where it was removed", async () => {
  const path = join(folder, crypto.randomUUID());
  const lock = await acquireLock(path, "me", 10);
  if (lock.outcome === "taken") throw new Error("It is taken.");
  await using held = lock;
  const longAgo = new Date(Date.now() - 61_000);
  await utimes(path, longAgo, longAgo);
  await waitFor("a renewal", async () => (await stat(path)).mtimeMs > longAgo.getTime());
  await rm(path);
  await waitFor("the lock to be there again", () => exists(path));
  expect(await acquireLock(path, "another")).toEqual({ outcome: "taken", by: "me" });
  expect(held.lost.aborted).toBe(false);
});

test("a lock that another process has taken over is lost, and its release leaves the other's", async () => {
  const path = join(folder, crypto.randomUUID());
  const first = await acquireLock(path, "me", 10);
  if (first.outcome === "taken") throw new Error("It is taken.");
  const others = JSON.stringify({ ...identify(process.pid), who: "another", lock: "theirs" });
  await writeFile(`${path}.new`, others);
  await rename(`${path}.new`, path);
  await aborted(first.lost);
  expect(first.lost.reason).toEqual({ by: "another" });
  await first[Symbol.asyncDispose]();
  expect(await readFile(path, "utf8")).toBe(others);
});

test("a job that waited too long and ran without the lock leaves it to its holder", async () => {
  const path = join(folder, crypto.randomUUID());
  const { signal } = new AbortController();
  const others = JSON.stringify({ ...identify(process.pid), who: "another", lock: "theirs" });
  await withLock(path, signal, async () => {
    await writeFile(`${path}.new`, others);
    await rename(`${path}.new`, path);
  });
  expect(await readFile(path, "utf8")).toBe(others);
});

test("of many who find a dead process's lock exactly one gets it, also where one had died over its removal", async () => {
  const path = join(folder, crypto.randomUUID());
  for (let round = 0; round < 50; round++) {
    for (const left of [path, `${path}.removal`])
      await writeFile(left, '{"pid":1,"born":"long ago"}');
    const locks = await Promise.all(Array.from({ length: 20 }, () => acquireLock(path, "me")));
    const won = locks.filter((lock) => lock.outcome === "held");
    expect(won).toHaveLength(1);
    await won[0]?.[Symbol.asyncDispose]();
  }
  expect((await readdir(folder)).filter((file) => path.endsWith(file.slice(0, 36)))).toEqual([]);
});
