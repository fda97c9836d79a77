// Shows what one agent leaves in its folder of the exchange, against the results of another one.
import { expect, test } from "bun:test";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentName } from "../../../lib/model/ids.ts";
import { sceneWithResult } from "../../support/git/exchange-scene.ts";
import { commitFiles, git, toolGit } from "../../support/git/sample-repository.ts";

const mallory = AgentName.parse("mallory");

/** With another agent that may publish. `other`: a commit that it has on record. */
async function sceneWithTwo() {
  const scene = await sceneWithResult();
  const { packs } = scene.agent(mallory);
  return {
    ...scene,
    packs,
    goodPack: join(scene.one.packs, `${scene.good.commit}.pack`),
    [Symbol.dispose]: scene[Symbol.dispose],
  };
}

/**
 * A pack that begins with a tree of more bytes than git may take, and has the size and the end of
 * this one.
 */
function costlyTwin(pack: Buffer): Buffer {
  const header = Buffer.from("PACK\0\0\0\x02\0\0\0\x01", "latin1");
  // Type 2, and a size of 2^32 bytes, in pieces of 4 and 7 bits.
  const tree = Buffer.from([0xa0, 0x80, 0x80, 0x80, 0x80, 0x01]);
  const start = Buffer.concat([header, tree, Buffer.from([0x78, 0x9c])]);
  return Buffer.concat([start, Buffer.alloc(pack.length - start.length - 32), pack.subarray(-32)]);
}

test("a costly pack that looks like another agent's does not keep that one from being read", async () => {
  using scene = await sceneWithTwo();
  const other = commitFiles(scene.one.folder, { b: "b" }, "Other", toolGit);
  writeFileSync(join(scene.packs, `${other}.pack`), costlyTwin(readFileSync(scene.goodPack)));
  const costly = scene.record(other as typeof scene.good.commit, mallory);
  const results = [costly, scene.good].map(({ ref, ...each }) => ({
    ...each,
    artefact: ref.slice(ref.lastIndexOf("/") + 1) as never,
  }));
  const { imported, broken } = await scene.repository.fetchCommits("demo" as never, results);
  expect(broken).toMatchObject([
    { commit: other, reason: expect.stringContaining("more than 2.0 GiB of memory") },
  ]);
  expect(imported.map(({ commit }) => commit)).toEqual([scene.good.commit]);
}, 120_000);

const replacements: Record<string, (path: string, good: Buffer) => void> = {
  garbage: (path) => writeFileSync(path, "garbage"),
  "a link": (path) => symlinkSync("nowhere", path),
};

test.each(Object.entries(replacements))(
  "a commit that another agent has put on record once more is read where that one has put %s in the place of its pack",
  async (_, replace) => {
    using scene = await sceneWithTwo();
    replace(join(scene.packs, `${scene.good.commit}.pack`), readFileSync(scene.goodPack));
    scene.record(scene.good.commit, mallory);
    const reader = scene.agent("reader");
    await reader.prepare(scene.good.commit);
    expect(readFileSync(join(reader.folder, "a"), "utf8")).toBe("a");
    const { imported, broken } = await scene.fetch();
    expect([imported.length, broken]).toEqual([2, []]);
  },
);

test("also where it is the pack of another commit", async () => {
  using scene = await sceneWithTwo();
  const other = scene.agent("other");
  await other.prepare(scene.base);
  const { commit } = await other.publish({ b: "b" });
  writeFileSync(
    join(scene.packs, `${scene.good.commit}.pack`),
    readFileSync(join(other.packs, `${commit}.pack`)),
  );
  scene.record(scene.good.commit, mallory);
  const reader = scene.agent("reader");
  await reader.prepare(scene.good.commit);
  expect(readFileSync(join(reader.folder, "a"), "utf8")).toBe("a");
  const { imported, broken } = await scene.fetch();
  expect([imported.length, broken]).toEqual([3, []]);
});

test("a commit of which the record names the wrong agent is read from the right one's folder", async () => {
  using scene = await sceneWithTwo();
  writeFileSync(join(scene.packs, `${scene.good.commit}.pack`), "garbage");
  const reader = scene.agent("reader");
  await reader.copy.prepare(scene.good.commit, [{ commit: scene.good.commit, agent: mallory }]);
  expect(git(reader.folder, "show", "HEAD:a")).toBe("a");
});
