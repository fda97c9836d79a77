// A package that is an image: only an Engine can read it, so that sett.lock keeps what it says.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { runSett } from "../../support/cli/sett-process.ts";
import { nightly } from "../../support/nightly.ts";

setDefaultTimeout(600_000);

const image = `sett-test/linter:${crypto.randomUUID().slice(0, 8)}`;
const agent = `version: '1.0'
about: looks for lint
command: [/app/lint]
bids: [{ on: CodeCommit, bid: claim }]
`;
let folder: string;

/** The Engine of this machine, unless another one is named. */
const engine = { DOCKER_HOST: process.env.DOCKER_HOST ?? "unix:///var/run/docker.sock" };
const sett = (words: string[], env = engine) => runSett(words, { cwd: folder, env });
const read = (path: string) => readFile(join(folder, path), "utf8");

async function build(files: Record<string, string>): Promise<string> {
  const context = await mkdtemp(join(tmpdir(), "sett-image-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(context, name), text);
  await writeFile(join(context, "Dockerfile"), "FROM scratch\nCOPY . /app/\n");
  const id = (await $`docker build --quiet --tag ${image} ${context}`.text()).trim();
  await rm(context, { recursive: true });
  return id;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sett-add-"));
  await $`git init --quiet`.cwd(folder);
  await sett(["init"]);
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await $`docker image rm --force ${image}`.nothrow().quiet();
});

test("an image with an agent.yml is written down, and checked without an Engine from then on", async () => {
  const id = await build({ "agent.yml": agent });
  const made = await sett(["add", image, "--as", "linter"]);
  expect([made.code, made.err]).toEqual([0, expect.stringContaining("looks for lint")]);
  expect(await read("sett.lock")).toContain(`digest: ${id}\n`);
  const alone = { DOCKER_HOST: "unix:///nowhere.sock" };
  const valid = await sett(["validate"], alone);
  expect(valid).toMatchObject({ code: 0, out: expect.stringContaining("2 agents") });
  expect(valid.err).not.toContain("sett.lock");
  expect((await $`docker ps --all --quiet --filter name=sett-look-`.text()).trim()).toBe("");
});

nightly(
  "another image of that name counts only once it was looked at, and what it asks for more is refused",
  async () => {
    const before = await read("sett.lock");
    const id = await build({ "agent.yml": `${agent}egress: [registry.example.org]\n` });
    expect((await sett(["validate"])).code).toBe(0);
    const again = await sett(["add", image]);
    expect([again.code, again.err]).toEqual([0, expect.stringContaining(id)]);
    expect(again.err).toContain('to allow it write `egress: ["registry.example.org:443"]`');
    expect((await sett(["validate"])).code).toBe(2);
    expect(await read("sett.lock")).not.toBe(before);
    expect((await read("sett.yml")).match(/use:/g)).toHaveLength(1);
  },
);

nightly("an image that is no package is refused, and nothing is written", async () => {
  const before = await read("sett.lock");
  await build({ "other.yml": agent });
  const none = await sett(["add", image]);
  expect([none.code, none.err]).toEqual([2, expect.stringContaining("has no /app/agent.yml")]);
  await build({ "agent.yml": "lint: true\n" });
  const strange = await sett(["add", image]);
  expect([strange.code, strange.err]).toEqual([2, expect.stringContaining("agent.yml is none")]);
  expect(await read("sett.lock")).toBe(before);
});
