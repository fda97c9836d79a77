// Commits of an instance on another machine: packs that its API has made, taken into the repository
// of this one.
import { expect, test } from "bun:test";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { ArtefactId, CommitHash } from "../../../lib/model/ids.ts";
import {
  agentName,
  commitFiles,
  git,
  hostEnv,
  instance,
  newArtefactId,
  sampleRepository,
} from "../../support/git/sample-repository.ts";

const open = (path: string) => HostRepository.open(path, { env: hostEnv });

async function packOf(
  path: string,
  commit: CommitHash,
  base: CommitHash | undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const there = base === undefined ? [] : [base];
  await (await open(path)).writePack(commit, there, (chunk) => chunks.push(chunk));
  return Buffer.concat(chunks);
}

function result(artefact: ArtefactId, commit: CommitHash) {
  return { artefact, commit, agent: agentName };
}

test("a commit arrives by name with all that it needs, and nothing else is left behind", async () => {
  using there = sampleRepository();
  using here = sampleRepository();
  git(here.path, "fetch", "-q", there.path, "main");
  git(here.path, "reset", "-q", "--hard", "FETCH_HEAD");
  const commit = commitFiles(there.path, { "src/two.ts": "2;\n" });
  const artefact = newArtefactId();
  const repository = await open(here.path);
  const pack = await packOf(there.path, commit, there.base);
  const { imported, broken } = await repository.importPacks(
    instance,
    [result(artefact, commit)],
    async () => pack,
  );
  expect({ imported: imported.length, broken }).toEqual({ imported: 1, broken: [] });
  expect(git(here.path, "show", `refs/sett/${instance}/${artefact}:src/two.ts`)).toBe("2;");
  expect(await repository.knownResults(instance)).toContain(String(artefact));
  expect(git(here.path, "fsck", "--strict", "--no-dangling")).toBe("");
  expect(await repository.exchange(instance).mayHoldResults()).toBe(false);
});

test("a pack with another commit, or with damage, is not taken", async () => {
  using there = sampleRepository();
  using here = sampleRepository();
  const [wanted, other] = ["1;\n", "2;\n"].map((text) =>
    commitFiles(there.path, { "src/two.ts": text }),
  );
  if (wanted === undefined || other === undefined) throw new Error("unreachable");
  const repository = await open(here.path);
  const wrong = await packOf(there.path, there.base, undefined);
  const damaged = (await packOf(there.path, wanted, undefined)).slice(0, -30);
  for (const pack of [wrong, damaged, new Uint8Array()]) {
    const { imported, broken } = await repository.importPacks(
      instance,
      [result(newArtefactId(), wanted)],
      async () => pack,
    );
    expect({ imported, broken: broken.length }).toEqual({ imported: [], broken: 1 });
  }
  expect(git(here.path, "for-each-ref", "refs/sett")).toBe("");
});
