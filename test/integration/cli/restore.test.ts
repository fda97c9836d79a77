// Shows that a restore which fails or is interrupted leaves nothing half-made, and what it refuses.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listOfSnapshot } from "../../../apps/cli/backup/append-files.ts";
import { checkBackup } from "../../../apps/cli/backup/read.ts";
import { type RestoredCluster, restoreBackup } from "../../../apps/cli/backup/restore.ts";
import { BackupWriter } from "../../../apps/cli/backup/write.ts";
import { Progress } from "../../../apps/cli/terminal/progress.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { filesVolumeName } from "../../../lib/runtime/names.ts";
import type { Apply, Runtime } from "../../../lib/runtime/port.ts";
import { fakeShell } from "../../support/cli/fake-shell.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { hostEnv as env, git, newArtefactId } from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { type ProcessInstance, processInstance } from "../../support/process/process-instance.ts";

let place: string;
let bundle: Uint8Array;
let sett: ProcessInstance;
let folder: string;

const blackboard = () => sett.name("blackboard");
const base = `REDIS0010${"x".repeat(3_000_000)}`;
const body = `ab/${"c".repeat(62)}.gz`;
const log = { logged: 7, end: "1790000000000-0" };

beforeAll(async () => {
  place = mkdtempSync(join(tmpdir(), "sett-restore-"));
});

afterAll(() => rmSync(place, { recursive: true }));

beforeEach(async () => {
  await sett?.[Symbol.asyncDispose]();
  sett = await processInstance();
  const from = mkdtempSync(join(place, "from-"));
  git(from, "init", "--quiet");
  git(from, "commit", "--quiet", "--allow-empty", "--message", "Begin");
  git(from, "update-ref", `refs/sett/${sett.instance}/${newArtefactId()}`, "HEAD");
  const chunks: Uint8Array[] = [];
  const source = await HostRepository.open(from, { env });
  await source.writeResults(sett.instance, (chunk) => void chunks.push(chunk));
  bundle = Buffer.concat(chunks);
  folder = mkdtempSync(join(place, "to-"));
  git(folder, "init", "--quiet");
});

afterAll(() => sett?.[Symbol.asyncDispose]());

function write(results = bundle, id = "aa.1", more: readonly string[] = []): string {
  const path = join(mkdtempSync(join(place, "file-")), "of.sett");
  const created_at = "2026-10-01T12:00:00.000Z";
  const { instance } = sett;
  using file = new BackupWriter(path, {
    ...{ sett_backup: 1, version: "0.1.0", instance, id, created_at, log },
  });
  file.addText("blackboard/appendonly.aof.2.base.rdb", base);
  file.addText("blackboard/appendonly.aof.manifest", listOfSnapshot);
  const { write: add, end } = file.begin("results.bundle");
  add(results);
  end();
  for (const name of [body, ...more]) file.addText(`record/${name}`, "body");
  file.seal();
  file.keep();
  return path;
}

type Options = {
  isReplacing?: boolean;
  apply?: Partial<Apply>;
  signal?: AbortSignal;
  cluster?: RestoredCluster;
};

/** Resolves with "restored", or what was thrown. */
async function restore(
  path: string,
  { isReplacing = false, apply, signal, cluster }: Options = {},
) {
  const interrupted = signal ?? new AbortController().signal;
  const shell = { ...fakeShell(), env, interrupted };
  const runtime: Runtime = { ...sett.runtime, apply: { ...sett.runtime.apply, ...apply } };
  const repository = await HostRepository.open(folder, { env, mayBeEmpty: true });
  const backup = await checkBackup(path, new AbortController().signal);
  const here = () => runtime.observe.instances();
  const progress = new Progress(shell.err);
  const input = { runtime, repository, backup, isReplacing, here, cluster, progress, shell };
  const outcome = await restoreBackup(input).then(() => "restored", messageOf);
  return { outcome, said: shell.written.err };
}

/** All that a restore could leave. */
async function found() {
  const { place: at } = await HostRepository.open(folder, { env, mayBeEmpty: true });
  const kept = new KeptId(at, sett.instance, env);
  return {
    volumes: (await sett.runtime.observe.parts(sett.instance)).volumes.map(({ name }) => name),
    refs: git(folder, "for-each-ref").split("\n").filter(Boolean).length,
    id: await kept.read(),
    files: readdirSync(join(folder, ".git/sett")),
  };
}

const nothing = { volumes: [], refs: 0, id: undefined, files: [] };

test("an instance is back with its volumes, results and id, and its files can be read by Redis", async () => {
  expect((await restore(write())).outcome).toBe("restored");
  expect(await found()).toEqual({
    ...{ volumes: [blackboard(), sett.name("record")], refs: 1, id: "aa.1", files: [] },
  });
  const files: Record<string, string> = {};
  for (const volume of [blackboard(), sett.name("record")])
    for await (const file of sett.runtime.observe.readFiles(volume))
      files[file.path] = Buffer.concat(await Array.fromAsync(file.content)).toString();
  expect(files).toEqual({
    "appendonlydir/appendonly.aof.2.base.rdb": base,
    "appendonlydir/appendonly.aof.manifest": listOfSnapshot,
    [body]: "body",
  });
});

test("in a cluster what was printed comes into the recorder's claim, by the pod that was named", async () => {
  const printed = `outputs/00000000-0000-4000-8000-000000000000/${"d".repeat(64)}.gz`;
  const carriers = new Set<unknown>();
  const writeFiles: Apply["writeFiles"] = async (volume, files, options) => {
    carriers.add(options.carrier);
    await sett.runtime.apply.writeFiles(volume, files, options);
  };
  const carrier = { image: "registry.example.org/team/sett-orchestrator@sha256:abc" };
  const cluster = { place: "team-a", carrier };
  const path = write(bundle, "aa.1", [printed]);
  expect((await restore(path, { apply: { writeFiles }, cluster })).outcome).toBe("restored");
  expect([...carriers]).toEqual([carrier]);
  const namesIn = async (volume: string) =>
    await Array.fromAsync(sett.runtime.observe.readFiles(volume), ({ path: name }) => name);
  const recorder = filesVolumeName(sett.instance, "recorder");
  expect(await namesIn(recorder)).toEqual([printed]);
  expect(await namesIn(sett.name("record"))).toEqual([body]);
  expect(git(folder, "config", `sett.${sett.instance}.kubernetes`).trim()).toBe("team-a");
});

test("an interruption in the middle of the blackboard takes back all that was made", async () => {
  const interruption = new AbortController();
  const writeFiles: Apply["writeFiles"] = async (volume, files, options) => {
    if (volume === blackboard()) interruption.abort();
    await sett.runtime.apply.writeFiles(volume, files, options);
  };
  const { outcome } = await restore(write(), {
    apply: { writeFiles },
    signal: interruption.signal,
  });
  expect(outcome).toBe("Interrupted.");
  expect(await found()).toEqual(nothing);
});

nightly("results that git refuses, or a full disk, take back all that was made", async () => {
  const writeFiles: Apply["writeFiles"] = async (volume, files, options) => {
    await sett.runtime.apply.writeFiles(volume, files, options);
    throw new Error("ENOSPC: no space left on device");
  };
  expect((await restore(write(bundle.subarray(0, -25)))).outcome).toMatch(/^git fetch failed/);
  expect(await found()).toEqual(nothing);
  expect((await restore(write(), { apply: { writeFiles } })).outcome).toContain("ENOSPC");
  expect(await found()).toEqual(nothing);
});

nightly(
  "what is kept stays, unless it may be replaced; what became of it then is said",
  async () => {
    const path = write();
    await restore(path);
    expect((await restore(path)).outcome).toBe(`${sett.instance} has a blackboard already.`);
    const before = await found();
    const writeFiles: Apply["writeFiles"] = async () => {
      throw new Error("ENOSPC: no space left on device");
    };
    const failed = await restore(path, { isReplacing: true, apply: { writeFiles } });
    expect(failed.outcome).toContain("ENOSPC");
    expect(failed.said).toContain(`${path} is whole: restore it again.`);
    expect(await found()).toEqual({ ...before, volumes: [] });
    expect((await restore(path)).outcome).toBe("restored");
    expect((await restore(path, { isReplacing: true })).outcome).toBe("restored");
    expect(await found()).toEqual(before);
  },
);

test("another instance's id, and the repository of another one, are refused", async () => {
  const path = write();
  await restore(path);
  await sett.runtime.apply.removeInstance(sett.instance, { blackboard: "remove" });
  expect((await restore(write(bundle, "bb.2"))).outcome).toContain("its id is aa.1, and the one");
  expect((await restore(write(bundle, "bb.2"), { isReplacing: true })).outcome).toBe("restored");
  const elsewhere = folder;
  folder = mkdtempSync(join(place, "other-"));
  mkdirSync(join(folder, ".git"));
  git(folder, "init", "--quiet");
  expect((await restore(path, { isReplacing: true })).outcome).toBe(
    `${sett.instance} is on this machine already, for ${elsewhere}.`,
  );
});

test("where sett.yml keeps the blackboard in a Redis of others, nothing is brought back, and the way to do it is named", async () => {
  const settings = {
    version: "1.0",
    services: { redis: { url: "rediss://ada:secret@redis.example.org:6380" } },
    agents: { echo: { image: "echo:latest", command: ["true"], bids: [] } },
  };
  writeFileSync(join(folder, "sett.yml"), JSON.stringify(settings));
  const { code, err } = await runSett(["restore", write()], { cwd: folder, env: { ...env } });
  expect([code, err]).toEqual([2, expect.stringContaining("Leave `services.redis` out")]);
  expect(err).toContain("in Redis at rediss://redis.example.org:6380, where no back-up");
  expect(err).not.toContain("secret");
  expect(readdirSync(join(folder, ".git"))).not.toContain("sett");
});
