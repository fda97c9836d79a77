// Diffs, packs, logs and large artefacts take much memory each: only a few of a kind are read at
// once, of all clients and by every way.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import process from "node:process";
import type { Deps, Logs } from "../../../apps/api/deps.ts";
import { openRepository } from "../../../apps/api/repository.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import {
  commitFiles,
  hostEnv,
  newArtefactId,
  sampleRepository,
} from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
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

nightly(
  "of many clients that ask for diffs, packs and logs, all are answered, two at once of a kind, and too many are refused",
  async () => {
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
    const pack = (query = "") =>
      fetch(`${scene.url}/v1/artefacts/${made.id}/commit.pack${query}`, {
        headers: { authorization: `Bearer ${scene.tokens.reader}` },
      });
    const requests = [
      ...Array.from({ length: 6 }, () => scene.get(`/v1/artefacts/${made.id}/diff`)),
      ...Array.from({ length: 6 }, () => pack()),
      ...Array.from({ length: 6 }, () => scene.get("/v1/agents/coder/logs")),
    ];
    await waitFor("two of each to run", () => git.running === 2 && lines.running === 2);
    // Ten wait already, and thirty may.
    const more = Array.from({ length: 25 }, () => pack());
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
    // Who has nothing of what agents see gets no more than the result.
    const sizes = ["", `?have=${"1".repeat(40)}`].map(
      async (query) => (await (await pack(query)).arrayBuffer()).byteLength,
    );
    expect(new Set(await Promise.all(sizes)).size).toBe(1);
  },
);

const mebibyte = 1024 * 1024;

test("of many clients that read an artefact, all are answered, four at once", async () => {
  const gate = new Gate();
  const around = (board: Deps["board"]) => ({
    ...board,
    readArtefact: (id: ArtefactId) => gate.around(() => board.readArtefact(id)),
    readWithDigest: (id: ArtefactId) => gate.around(() => board.readWithDigest(id)),
  });
  await using scene = await ApiScene.start({}, { orchestrator: false, around });
  const goal = await scene.clan.postGoal("Paint the door");
  const paths = ["", "/content", "/context", "/content", "", "/content"];
  const answers = [
    ...paths.map((path) => scene.get(`/v1/artefacts/${goal.id}${path}`)),
    ...["readArtefact", "readWithDigest"].map((call) => scene.post(`/v1/board/${call}`, [goal.id])),
  ];
  await waitFor("four to be read", () => gate.running === 4);
  gate.letGo();
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(gate.most).toBe(4);
});

test("no request has more payloads read than fit into memory", async () => {
  await using scene = await ApiScene.start({}, { orchestrator: false });
  const goal = await scene.clan.postGoal("x".repeat(16 * mebibyte));
  const read = (times: number) =>
    scene.post("/v1/board/readArtefacts", [Array.from({ length: times }, () => goal.id)]);
  expect((await read(4)).status).toBe(200);
  const refused = await read(5);
  expect(refused.status).toBe(422);
  expect(refused.body).toMatchObject({
    detail: `These artefacts have ${5 * 16 * mebibyte} bytes together.`,
  });
});

nightly("what clients take slowly is not kept in memory", async () => {
  await using scene = await ApiScene.start({}, { orchestrator: false });
  const goal = await scene.clan.postGoal("x".repeat(16 * mebibyte));
  const { hostname, port } = new URL(scene.url);
  using clients = new DisposableStack();
  const before = memoryOf();
  const begun = 16;
  for (let count = 0; count < begun; count++) {
    const socket = connect(Number(port), hostname);
    clients.defer(() => void socket.destroy());
    const answered = new Promise<string>((resolve) => {
      socket.once("data", (part) => {
        socket.pause();
        resolve(String(part).slice(0, 15));
      });
    });
    socket.write(
      `GET /v1/artefacts/${goal.id}/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${scene.tokens.reader}\r\n\r\n`,
    );
    expect(await answered).toBe("HTTP/1.1 200 OK");
  }
  // Copies that were made on the way are waste, which is collected at some time.
  const isLittle = () => {
    Bun.gc(true);
    return memoryOf() - before < (begun * 16 * mebibyte) / 2;
  };
  await waitFor("the memory to be free", isLittle, { everyMs: 100 });
});

/** Bytes that this process, in which the API runs, has in memory. */
function memoryOf(): number {
  const [, kibibytes] =
    /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${process.pid}/status`, "utf8")) ?? [];
  return Number(kibibytes) * 1024;
}
