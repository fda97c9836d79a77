// Diffs, packs and logs take much memory each: only two of them run at once, of all clients and by
// every way.
import { expect, test } from "bun:test";
import type { Logs } from "../../../apps/api/deps.ts";
import { openRepository } from "../../../apps/api/repository.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import {
  commitFiles,
  hostEnv,
  newArtefactId,
  sampleRepository,
} from "../../support/git/sample-repository.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

/** Counts what is under way, and holds it until it is let go. */
class Gate {
  running = 0;
  most = 0;
  readonly #open = Promise.withResolvers<void>();
  readonly letGo = this.#open.resolve;

  async around<Output>(job: () => Promise<Output>): Promise<Output> {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    await this.#open.promise;
    return await job().finally(() => {
      this.running -= 1;
    });
  }
}

test("of many clients that ask for diffs, packs and logs, all are answered, two at once of a kind, and too many are refused", async () => {
  using here = sampleRepository();
  const repository = await openRepository(here.path, hostEnv, { hasFiles: false });
  const [git, lines] = [new Gate(), new Gate()];
  const logs: Logs = {
    async *read() {
      yield await lines.around(async () => "a line");
    },
  };
  const deps = {
    logs,
    repository: {
      ...repository,
      changes: (...args: Parameters<typeof repository.changes>) =>
        git.around(() => repository.changes(...args)),
      pack: (...args: Parameters<typeof repository.pack>) =>
        git.around(() => repository.pack(...args)),
    },
  };
  await using scene = await ApiScene.start({}, { orchestrator: false, deps });
  const changed = commitFiles(here.path, { "door.txt": "green\n" }, "Paint the door");
  const goal = await scene.clan.postGoal("Paint the door", { metadata: { commit: here.base } });
  const made = sampleArtefact({
    ...{
      id: newArtefactId(),
      goal_id: goal.goal_id,
      source_artefacts: [goal.id],
      type: "CodeCommit",
      payload: changed,
    },
    metadata: { commit: changed },
  });
  await scene.clan.board.createArtefact(made, "person:test");
  const pack = () =>
    fetch(`${scene.url}/v1/artefacts/${made.id}/commit.pack`, {
      headers: { authorization: `Bearer ${scene.tokens.reader}` },
    });
  const requests = [
    ...Array.from({ length: 6 }, () => scene.get(`/v1/artefacts/${made.id}/diff`)),
    ...Array.from({ length: 6 }, pack),
    ...Array.from({ length: 6 }, () => scene.get("/v1/agents/coder/logs")),
  ];
  await waitFor("two of each to run", () => git.running === 2 && lines.running === 2);
  // Ten wait already, and thirty may.
  const more = Array.from({ length: 25 }, pack);
  const refused = await Promise.any(
    more.map(async (answer) =>
      (await answer).status === 429 ? "refused" : await Promise.reject(answer),
    ),
  );
  expect(refused).toBe("refused");
  git.letGo();
  lines.letGo();
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(
    Array.from({ length: 18 }, () => 200),
  );
  expect([git.most, lines.most]).toEqual([2, 2]);
  expect((await scene.get(`/v1/artefacts/${made.id}/diff`)).text).toContain("+green");
  expect(
    Buffer.from(await (await pack()).arrayBuffer())
      .subarray(0, 4)
      .toString(),
  ).toBe("PACK");
});
