// A blackboard whose volume was removed while its instance was down: `sett list` says so before any
// `sett up` begins another. The Engine, the volumes and the repositories are real.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { KeptId } from "../../../lib/git/repository/kept-id.ts";
import type { PartKind } from "../../../lib/runtime/labels.ts";
import { blackboardVolumeName, recordVolumeName } from "../../../lib/runtime/names.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { type DockerInstance, dockerInstance } from "../../support/docker/docker-instance.ts";

setDefaultTimeout(600_000);

const goal = "0f2a9c1b-0000-4000-8000-000000000000";
let root: string;
let at: DockerInstance;
let kept: KeptId;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "sett-lost-")));
  at = await dockerInstance();
  await $`git init --quiet here && git init --quiet there`.cwd(root);
  const ofAda = ["-c", "user.name=Ada", "-c", "user.email=ada@sett.invalid"];
  await $`git ${ofAda} commit --quiet --allow-empty -m ${"Begin the work"} && git update-ref refs/sett/${at.instance}/${goal} HEAD`.cwd(
    join(root, "here"),
  );
  const { place } = await HostRepository.open(join(root, "here"), { env: process.env });
  kept = new KeptId(place, at.instance, process.env);
  await kept.write("aa.1");
});

afterAll(async () => {
  await at?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

const list = (folder: string) => {
  const { DOCKER_HOST } = process.env;
  const env = { XDG_STATE_HOME: join(root, "state"), ...(DOCKER_HOST && { DOCKER_HOST }) };
  return runSett(["list", "--json"], { cwd: join(root, folder), env: { HOME: root, ...env } });
};

async function made(name: string, kind: PartKind): Promise<void> {
  const labels = { ...at.labels(kind), workspace: join(root, "here"), id: "aa.1" };
  await at.runtime.apply.makeVolume({ name, labels });
}

test("in the repository where nothing else is left, anywhere where a part is, and no more once it is back or removed on purpose", async () => {
  const sentence = `The blackboard of ${at.instance} is gone`;
  const alone = await list("here");
  expect(alone.err).toContain(sentence);
  expect(alone.err).toContain("0f2a9c1b (Begin the work)");
  expect(alone.err).toContain("docs/operations.md#restore");
  expect(JSON.parse(alone.out)).not.toContainEqual(expect.objectContaining({ name: at.instance }));
  expect((await list("there")).err).not.toContain(at.instance);

  await made(recordVolumeName(at.instance), { component: "record" });
  const withRecord = await list("there");
  expect(withRecord.err).toContain(sentence);
  expect(JSON.parse(withRecord.out)).toContainEqual(
    expect.objectContaining({
      name: at.instance,
      lost_blackboard: { since: null, known: [{ id: goal, subject: "Begin the work" }] },
    }),
  );

  await made(blackboardVolumeName(at.instance), { component: "blackboard" });
  for (const folder of ["here", "there"]) {
    const { out, err } = await list(folder);
    expect(err).not.toContain(at.instance);
    expect(JSON.parse(out)).toContainEqual(
      expect.objectContaining({ name: at.instance, lost_blackboard: null }),
    );
  }

  await at.runtime.apply.removeInstance(at.instance, { blackboard: "remove" });
  expect((await list("here")).err).toContain(sentence);
  await kept.remove();
  expect((await list("here")).err).not.toContain(at.instance);
});
