// An API that does not see the person's repository, as on an Engine of another machine, states
// goals at the commits that agents see, and shows what they have made of them.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { copiedRepository } from "../../../apps/api/repository.ts";
import { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import type { HostExchange } from "../../../lib/git/exchange/port.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { AgentName, type CommitHash } from "../../../lib/model/ids.ts";
import { ApiScene } from "../../support/api/api-scene.ts";
import { agentsGit } from "../../support/git/folders.ts";
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  sampleRepository,
  toolGit,
} from "../../support/git/sample-repository.ts";
import { type ServedPacks, servePacks } from "../../support/git/served-packs.ts";
import { nightly } from "../../support/nightly.ts";

const painter = AgentName.parse("painter");
const here = sampleRepository();
let packs: ServedPacks;
let repository: HostRepository;
let host: HostExchange;
let scene: ApiScene;
/** The painter's next commit. */
let painted: CommitHash | undefined;

beforeAll(async () => {
  packs = await servePacks(here.root, [painter]);
  const packsOf = async () => packs.host;
  repository = await HostRepository.open(here.path, { env: hostEnv, packsOf });
  host = repository.exchange(instance);
  const folder = join(here.root, "files");
  mkdirSync(folder);
  const results = { instance, folder };
  const access = { hasFiles: false, results, packs: packs.host };
  scene = await ApiScene.start(
    {
      [painter]: {
        behaviour: {
          bid: ({ type }) => (type === "GoalDefined" ? "exclusive" : "ignore"),
          work: () => ({
            type: "CodeCommit",
            ...(painted !== undefined && { metadata: { commit: painted } }),
          }),
        },
      },
    },
    { deps: { repository: copiedRepository(join(folder, "copy"), hostEnv, access) } },
  );
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await packs?.[Symbol.asyncDispose]();
  here[Symbol.dispose]();
});

const post = async (text: string, more: object = {}) =>
  await scene.post("/v1/goals", { text, ...more });

async function make(base: CommitHash): Promise<CommitHash> {
  const workspaceDir = join(here.root, `work-${crypto.randomUUID()}`);
  const program = agentsGit;
  const exchange = packs.agent(painter);
  const copy = new WorkingCopy({ git: program, agentName: painter, exchange, workspaceDir });
  await copy.prepare(base);
  const made = commitFiles(workspaceDir, { "door.txt": "painted\n" }, "Paint", toolGit);
  await copy.publish(made, base);
  return made;
}

test("before the service has anything, a goal is refused with what to do", async () => {
  const answer = await post("Too early");
  expect([answer.status, answer.text]).toEqual([503, expect.stringContaining("`sett up`")]);
});

test("a goal begins at the HEAD that was shown last, and no other commit of the person is there", async () => {
  await host.make({ writers: [painter], isServed: true });
  await host.serve();
  expect((await post("First")).body).toMatchObject({ commit: here.base });
  const second = commitFiles(here.path, { "more.txt": "more\n" }, "More");
  expect((await post("Not shown yet")).body).toMatchObject({ commit: here.base });
  const unknown = await post("There", { commit: second });
  expect(unknown.text).toContain("The repository does not have commit");
  await host.show([second]);
  expect((await post("Second")).body).toMatchObject({ commit: second });
  expect((await post("By name", { commit: "HEAD~1" })).body).toMatchObject({ commit: here.base });
  git(here.path, "branch", "feature");
  expect(await post("No branch", { commit: "feature" })).toMatchObject({
    status: 422,
    text: expect.stringContaining("without branches and tags"),
  });
  // A commit that is shown for another reason is no HEAD.
  await host.show([here.base]);
  expect((await post("Third")).body).toMatchObject({ commit: second });
});

nightly("what agents have made is shown, before and after the person has fetched it", async () => {
  const head = git(here.path, "rev-parse", "HEAD") as CommitHash;
  painted = await make(head);
  const { body } = await post("Paint the door");
  const goal = await scene.clan.board.readArtefact((body as { id: never }).id);
  if (goal === undefined) throw new Error("There is no goal.");
  const { id } = await scene.clan.made(goal, ({ type }) => type === "CodeCommit");
  const diff = async () => (await scene.get(`/v1/artefacts/${id}/diff`)).text;
  expect(await diff()).toContain("+painted");
  await repository.fetchCommits(instance, [{ artefact: id, commit: painted, agent: painter }]);
  expect(await (await fetch(`${packs.host.url}/shelves`)).json()).toEqual([]);
  expect(await diff()).toContain("+painted");
});
