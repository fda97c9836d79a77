// Shows what the cub writes before a run, and bid commands outside of one, is within the limit of
// the disk as well.
import { expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { NotBegun } from "../../../apps/cub/container/clean-slate.ts";
import { ToolLimits } from "../../../apps/cub/container/tool-limits.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import { temporaryFolder, toolGit } from "../../support/git/sample-repository.ts";
import { waitFor } from "../../support/wait-for.ts";

const mebibyte = 1024 ** 2;
const never = new AbortController().signal;
const sentence =
  "The run was ended because there is too much in /workspace: `resources.limits.disk` allows 16 MiB.";

/** A working copy that has a commit of some kilobytes whose files take 160 MiB. */
async function bombScene() {
  const scene = await exchangeScene();
  const agent = scene.agent("one");
  await agent.prepare(scene.base);
  writeFileSync(join(scene.root, "large"), new Uint8Array(8 * mebibyte).fill(120));
  const blob = toolGit(agent.folder, "hash-object", "-w", join(scene.root, "large"));
  const entries = Array.from(
    { length: 20 },
    (_, at) => `100644 blob ${blob}\tfile${100 + at}\n`,
  ).join("");
  const { stdout } = Bun.spawnSync(["git", "-C", agent.folder, "mktree"], {
    stdin: Buffer.from(entries),
  });
  const tree = stdout.toString().trim();
  const bomb = CommitHash.parse(
    toolGit(agent.folder, "commit-tree", tree, "-p", "HEAD", "-m", "Bomb"),
  );
  await agent.copy.publish(bomb, scene.base);
  scene.record(bomb);
  const disk = { bytes: 16 * mebibyte, folders: [{ path: agent.folder, name: "/workspace" }] };
  const limits = new ToolLimits({ disk, end: async () => {}, discard: () => agent.copy.discard() });
  return { ...scene, ...agent, bomb, limits, [Symbol.dispose]: scene[Symbol.dispose] };
}

test("a commit whose files take more than the limit is not checked out, and the next grant works", async () => {
  using scene = await bombScene();
  const { copy, bomb, limits } = scene;
  const prepare = limits.guard(never, (signal) =>
    copy.prepare(bomb, [], { maxBytes: limits.diskBytes, signal }),
  );
  await expect(prepare).rejects.toThrow(
    `The files of the commit ${bomb} take more than \`resources.limits.disk\` allows.`,
  );
  expect(existsSync(join(scene.folder, "file100"))).toBe(false);
  await limits.guard(never, (signal) =>
    copy.prepare(scene.base, [], { maxBytes: limits.diskBytes, signal }),
  );
  expect(readdirSync(scene.folder)).toContain("README.md");
});

test("a checkout that writes more than the limit all the same is ended, and its files are removed", async () => {
  using scene = await bombScene();
  const { copy, bomb, limits } = scene;
  let written = 0;
  await expect(
    limits.guard(never, async (signal) => {
      await copy.prepare(bomb, [], { signal }).finally(() => {
        written = readdirSync(scene.folder).length;
      });
      // A fast disk has taken it all before the watch has looked.
      await new Promise((resolve) =>
        signal.aborted ? resolve(0) : signal.addEventListener("abort", resolve),
      );
    }),
  ).rejects.toThrow(sentence);
  expect(written).toBeGreaterThan(0);
  expect(readdirSync(scene.folder)).toEqual([]);
});

test("work that is cancelled ends, and says so itself", async () => {
  using scene = await bombScene();
  const stop = new AbortController();
  stop.abort();
  const prepare = scene.limits.guard(stop.signal, (signal) =>
    scene.copy.prepare(scene.base, [], { signal }),
  );
  await expect(prepare).rejects.toThrow("it was ended");
});

test("short bid commands, one after the other, may write as much as a run, and then room is made", async () => {
  using folder = temporaryFolder();
  let discards = 0;
  const disk = { bytes: 16 * mebibyte, folders: [{ path: folder.path, name: "/workspace" }] };
  const discard = async () => {
    discards++;
  };
  const limits = new ToolLimits({ disk, end: async () => {}, discard });
  const bid = (at: number) =>
    limits.runBid(never, async (signal) => {
      writeFileSync(join(folder.path, `file${at}`), crypto.getRandomValues(new Uint8Array(65_536)));
      writeFileSync(join(folder.path, `large${at}`), new Uint8Array(4 * mebibyte), { flush: true });
      // As long as one look takes, however busy the machine is.
      await Promise.race([
        Bun.sleep(50 * 2 ** Math.max(0, at - 8)),
        new Promise((resolve) => signal.addEventListener("abort", resolve)),
      ]);
    });
  let error: unknown;
  for (let at = 0; error === undefined && at < 20; at++) {
    await limits.makeRoom();
    await bid(at).catch((thrown: unknown) => {
      error = thrown;
    });
  }
  expect(String(error)).toContain(sentence);
  expect(discards).toBe(0);
  await limits.makeRoom();
  await limits.makeRoom();
  expect(discards).toBe(1);
  await limits.makeRoom(true);
  expect(discards).toBe(2);
});

test("a bid command that was ended beside a run, which may have been the cause, is asked again", async () => {
  using folder = temporaryFolder();
  const disk = {
    bytes: mebibyte,
    folders: [{ path: folder.path, name: "/workspace", isFlat: true }],
  };
  const limits = new ToolLimits({ disk, end: async () => {}, discard: async () => {} });
  const end = Promise.withResolvers<void>();
  const run = limits.guard(never, () => end.promise);
  writeFileSync(join(folder.path, "large"), new Uint8Array(2 * mebibyte).fill(120));
  const untilAborted = (signal: AbortSignal) =>
    new Promise((resolve) =>
      signal.aborted ? resolve(0) : signal.addEventListener("abort", resolve),
    );
  const bid = async () =>
    await limits.runBid(never, untilAborted).catch((error: unknown) => error instanceof NotBegun);
  expect(await bid()).toBe(true);
  end.resolve();
  await run.catch(() => {});
  // What the run has left is there until room is made.
  expect(await bid()).toBe(true);
  await limits.makeRoom();
  expect(await bid()).toBe(false);
});

test("a bid command that is stopped is no failure, and its limits end with it", async () => {
  using folder = temporaryFolder();
  const disk = {
    bytes: mebibyte,
    folders: [{ path: folder.path, name: "/workspace", isFlat: true }],
  };
  const limits = new ToolLimits({ disk, end: async () => {}, discard: async () => {} });
  const stop = new AbortController();
  let isRunning = false;
  const bid = limits.runBid(stop.signal, async (signal) => {
    isRunning = true;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return "stopped";
  });
  await waitFor("the bid", () => isRunning);
  stop.abort();
  expect(await bid).toBe("stopped");
});
