// `sett down --volumes` removes everything, but never a result that is still to be fetched. Without
// Docker, where it is the same.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { readSpec, readState } from "../../lib/runtime/process/registry.ts";
import { untilWritten } from "../support/redis/redis-server.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

const script = `set -e
echo red > door.txt
git add -A
git commit --quiet --allow-empty --message "Paint the door" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Painted"}'
`;

let sett: ProcessSett;
let commit: string;

beforeAll(async () => {
  sett = await ProcessSett.create(`version: '1.0'
agents:
  painter:
    image: none:1
    command: ${JSON.stringify(["sh", "-c", script])}
    workspace: { mode: rw }
`);
  await sett.up();
  await sett.need("forage", "--goal", "Paint the door");
  // The log is read without fetching anything.
  const log = await waitFor("the commit", async () => {
    const text = await sett.need(
      "watch",
      "--no-follow",
      "-o",
      "jsonl",
      "--type",
      "claim_completed",
    );
    return text === "" ? undefined : text;
  });
  expect(JSON.parse(log.split("\n")[0] ?? "").type).toBe("claim_completed");
});
afterAll(() => sett[Symbol.asyncDispose]());

const running = () => readdirSync(join(sett.state, "processes")).length;
const refs = () =>
  $`git for-each-ref --format=${"%(objectname)"} refs/sett`.cwd(sett.folder).text();
const away = () => sett.sett("down", "--volumes", "--name", sett.name);
const refusal = () =>
  `Results of ${sett.name}'s agents cannot be fetched, and --volumes would remove them.`;

function redisProcess() {
  const state = readState(sett.placeOf("redis"));
  if (state?.state !== "running" || state.child === undefined)
    throw new Error("Redis does not run.");
  return { redis: state.child.pid, supervisor: state.supervisor.pid };
}

test("it stops nothing while Redis does not say what there is to be fetched", async () => {
  const { redis } = redisProcess();
  process.kill(redis, "SIGSTOP");
  const before = running();
  const { code, out, err } = await away();
  process.kill(redis, "SIGCONT");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(refusal());
  expect(err).toContain(`sett down --name ${sett.name} --volumes --force`);
  expect(running()).toBe(before);
}, 300_000);

test("nor while a commit on record is not to be had", async () => {
  const packs = join(sett.folder, ".git/sett/exchange", sett.name, "painter");
  const [pack = ""] = await readdir(packs);
  await rename(join(packs, pack), join(packs, "elsewhere"));
  const { code, err } = await away();
  expect([code, err]).toEqual([1, expect.stringContaining(`${refusal()} Nothing was stopped.`)]);
  expect(err).toContain("on record is not fetched as");
  // It is not to be had by starting parts that run: which one it is, and how to go on without it.
  const [made] = JSON.parse(await sett.need("hoard", "--json", "--type", "CodeCommit"));
  expect(err).toContain(
    `${made.id.slice(0, 8)} of painter is lost already, and all others are fetched: sett down --name`,
  );
  await rename(join(packs, "elsewhere"), join(packs, pack));
  expect(JSON.parse(await sett.need("list", "--json"))[0].state).toBe("running");
});

test("nor while its repository is there and cannot be used", async () => {
  const git = join(sett.folder, ".git");
  await rename(git, `${git}-elsewhere`);
  const { code, err } = await away();
  await rename(`${git}-elsewhere`, git);
  expect([code, err]).toEqual([1, expect.stringContaining("may be left in")]);
  expect(err).toContain(`sett down --name ${sett.name} --volumes --force`);
  expect(JSON.parse(await sett.need("list", "--json"))[0].state).toBe("running");
}, 300_000);

test("what a down has left in the exchange is not removed by the next one either, and fetched once Redis is back", async () => {
  const { SETT_REDIS_PORT: port = "", REDISCLI_AUTH = "" } =
    readSpec(sett.placeOf("redis"))?.env ?? {};
  await untilWritten(["redis-cli", "-p", port, "-a", REDISCLI_AUTH]);
  const { redis, supervisor } = redisProcess();
  process.kill(supervisor, "SIGKILL");
  process.kill(redis, "SIGKILL");
  const first = await sett.sett("down", "--name", sett.name, "--timeout", "1s");
  expect([first.code, first.err]).toEqual([0, expect.stringContaining("No commits were fetched")]);
  const { code, err } = await away();
  expect([code, err]).toEqual([1, expect.stringContaining(`${refusal()} Nothing was removed.`)]);
  await sett.need("up", "--name", sett.name);
  commit = JSON.parse(await sett.need("hoard", "--json", "--type", "CodeCommit"))[0].payload;
  expect(await refs()).toContain(commit);
  await sett.need("down", "--name", sett.name);
  await sett.need("down", "--volumes", "--name", sett.name);
  expect(await readdir(join(sett.folder, ".git"))).not.toContain("sett");
  expect(await refs()).toBe("");
}, 300_000);

test("--force loses them", async () => {
  await sett.up();
  await sett.need("forage", "--goal", "Paint the door", "--watch");
  const { redis, supervisor } = redisProcess();
  process.kill(supervisor, "SIGKILL");
  process.kill(redis, "SIGKILL");
  const { code, err } = await sett.sett("down", "--volumes", "--force", "--name", sett.name);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining("No commits were fetched"),
  });
  expect(await readdir(join(sett.folder, ".git"))).not.toContain("sett");
  expect((await sett.sett("down", "--force")).code).toBe(2);
}, 300_000);
