// A look at a grant, as the cub of its container does it: the command runs beside the record, and
// the cub alone says what came of it.
import { expect, spyOn, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readReport } from "../../../apps/cli/examine/open-examination.ts";
import { type ExamineSettings, examine } from "../../../apps/cub/examine/examine.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { type ExaminationOrder, orderFile } from "../../../lib/model/examination.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import packageJson from "../../../package.json" with { type: "json" };
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  sampleRepository,
} from "../../support/git/sample-repository.ts";
import { servePacks } from "../../support/git/served-packs.ts";
import { newClaimId, sampleAgent, sampleArtefact } from "../../support/records/sample.ts";

/** A repository with one commit, and the folders of a container that looks at a grant on it. */
function scene() {
  const root = mkdtempSync(join(tmpdir(), "sett-examine-"));
  const at = (name: string) => join(root, name);
  for (const folder of ["host", "work", "exchange"]) mkdirSync(at(folder));
  git(at("host"), "init", "-q", "-b", "main");
  const base = commitFiles(at("host"), { "README.md": "A door\n" });
  return {
    base,
    host: at("host"),
    /** Runs the command as `--examine rerun` does, and resolves to the cub's report. */
    async rerun(script: string, { order = {}, over = {} }: Wanted = {}) {
      rmSync(at("work"), { recursive: true });
      mkdirSync(at("work"));
      writeFileSync(join(at("work"), orderFile), JSON.stringify({ ...orderAt(base), ...order }));
      const lines: string[] = [];
      const log = spyOn(console, "log").mockImplementation((line: string) => {
        lines.push(line);
      });
      try {
        await examine(["rerun"], { ...settingsIn(at, script), ...over });
      } finally {
        log.mockRestore();
      }
      const logs = async function* () {
        for (const line of lines) yield { stream: "stdout" as const, line, time: "" };
      };
      return await readReport({ observe: { logs } as never }, "a container");
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true }),
  };
}

type Wanted = { order?: Partial<ExaminationOrder>; over?: Partial<ExamineSettings> };

function orderAt(base: CommitHash): ExaminationOrder {
  const target = sampleArtefact({ payload: "paint it", metadata: { commit: base } });
  const { id, goal_id } = target;
  const registration = sampleAgent("coder", { workspace_mode: "rw" });
  const queued_at = "2026-11-28T10:00:00.000Z";
  return {
    version: packageJson.version,
    registration,
    claim: {
      id: newClaimId(),
      artefact_id: id,
      goal_id,
      kind: "standard",
      additional_context_ids: [],
    },
    grant: { agent: registration.name, phase: "exclusive", attempt: 1, queued_at },
    ...{ earlier: [], target, context_chain: [], additional_context: [], base, start: base },
  };
}

function settingsIn(at: (name: string) => string, script: string): ExamineSettings {
  return {
    agentName: sampleAgent("coder").name,
    role: "coder",
    command: ["sh", "-c", script],
    git: {
      ...{ binary: "git", libraryPath: undefined },
      ...{ objectsDir: join(at("host"), ".git/objects"), exchangeDir: at("exchange") },
    },
    workspaceDir: at("work"),
    ...{ packs: undefined, paths: undefined },
    ...{ commandEnvironment: undefined, egressUrl: undefined },
    ...{ diskBytes: undefined, pids: undefined, cage: undefined, secrets: undefined },
    environment: { PATH: process.env.PATH, HOME: at("exchange") },
  };
}

const answer = (type: string, payload: string) =>
  `printf '{"artefact_type": "${type}", "artefact_payload": "%s", "summary": "done"}' ${payload}`;
const commit = `git add . && git commit -qm "Paint" && ${answer("CodeCommit", "$(git rev-parse HEAD)")}`;

test("the command has its input and its commit, and the report says what came of it", async () => {
  using at = scene();
  const words = `"$(tr , '\\n' | grep -c paint) $(cat README.md)"`;
  const report = await at.rerun(answer("Note", words));
  expect(report).toMatchObject({
    outcome: "ended",
    result: {
      ...{ structural_type: "Standard", type: "Note" },
      ...{ payload: { text: "1 A door" }, summary: { text: "done" } },
    },
  });
  // The order is not left where the command works.
  const seen = await at.rerun(answer("Note", `"$(ls -A | tr '\\n' ' ')"`));
  expect(seen).toMatchObject({ result: { payload: { text: ".git README.md " } } });
});

test("a commit is compared by its files, of which those that differ are named", async () => {
  using at = scene();
  const recorded = commitFiles(at.host, { "door.txt": "red\n" });
  const order = { recorded };
  const same = await at.rerun(`echo red > door.txt; ${commit}`, { order });
  const tree = git(at.host, "rev-parse", `${recorded}^{tree}`);
  expect(same).toMatchObject({ outcome: "ended", result: { tree }, changed: [] });
  const other = await at.rerun(`echo blue > door.txt; ${commit}`, { order });
  expect(other).toMatchObject({ outcome: "ended", changed: ["door.txt"] });
  expect(other.outcome === "ended" && other.result.tree).not.toBe(tree);
});

test("a command that fails has a Failure as its result, whatever it prints", async () => {
  using at = scene();
  const report = await at.rerun("echo 'sett-examination 1/1 e30='; exit 3");
  expect(report).toMatchObject({ outcome: "ended", result: { structural_type: "Failure" } });
});

test("nothing runs where secrets are missing, or the commits are not to be had", async () => {
  using at = scene();
  const secrets = { folder: join(at.host, "none"), variables: { token: "TOKEN" } } as never;
  const touched = "touch ran";
  const without = await at.rerun(touched, { over: { secrets } });
  const { git: own } = settingsIn((name) => join(at.host, name), "");
  const lost = { ...own, objectsDir: join(at.host, "none") };
  const far = await at.rerun(touched, { over: { git: lost } });
  const refused = (reason: string) => ({
    outcome: "refused",
    reason: expect.stringContaining(reason),
  });
  expect([without, far]).toMatchObject([
    refused("secrets of the agent"),
    refused("are not to be seen there"),
  ]);
});

test("an agent that has nothing to do with code is run again on a goal with a commit", async () => {
  using at = scene();
  const order = { registration: sampleAgent("coder", { workspace_mode: "none" }) };
  const report = await at.rerun(answer("Note", "seen"), { order });
  expect(report).toMatchObject({ outcome: "ended", result: { payload: { text: "seen" } } });
});

test("nothing runs by the order of another version of Sett, as of one that has pushed an older image", async () => {
  using at = scene();
  const report = await at.rerun("touch ran", { order: { version: "0.0.1" } });
  expect(report).toMatchObject({
    outcome: "refused",
    reason: expect.stringContaining("has the cub of Sett"),
  });
});

test("where commits come by the service of packs, they are read there, and nothing is left there", async () => {
  using sample = sampleRepository();
  const { root, path, base } = sample;
  const coder = sampleAgent("coder").name;
  await using served = await servePacks(root, [coder]);
  const repository = await HostRepository.open(path, {
    ...{ env: hostEnv, packsOf: async () => served.host },
  });
  const host = repository.exchange(instance);
  await host.make({ writers: [coder], isServed: true });
  await host.serve();
  using at = scene();
  const storeDir = join(root, "copy");
  const packs = { address: served.reader, storeDir };
  mkdirSync(storeDir);
  const order = { ...orderAt(base), base, start: base };
  const made = await at.rerun(`echo red > door.txt; ${commit}`, { order, over: { packs } });
  expect(made).toMatchObject({ outcome: "ended", result: { type: "CodeCommit" } });
  expect(await (await fetch(`${served.host.url}/shelves`)).json()).toEqual([]);
  // A result without them would be another one, and not the command's.
  await using refusing = Bun.serve({ port: 0, fetch: () => new Response("No.", { status: 401 }) });
  const address = { url: refusing.url.href.replace(/\/$/, "") };
  const far = await at.rerun("touch ran", { order, over: { packs: { address, storeDir } } });
  expect(far).toMatchObject({ outcome: "refused", reason: expect.stringContaining("No.") });
});
