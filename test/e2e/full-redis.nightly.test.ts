// Shows what the command line says, and does, where Redis takes no writes, or holds what cannot be
// read. Without Docker, where it is the same.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { readSpec } from "../../lib/runtime/process/registry.ts";
import { answering, ProcessSett } from "../support/sett/process-sett.ts";

let sett: ProcessSett;

beforeAll(async () => {
  const agent = (name: string) =>
    answering(name, { artefact_type: "Done", artefact_payload: "", summary: "" });
  sett = await ProcessSett.create(`version: '1.0'\nagents:\n${agent("painter")}${agent("critic")}`);
  await sett.up();
});
afterAll(() => sett[Symbol.asyncDispose]());

async function redis(...words: string[]): Promise<string> {
  const { SETT_REDIS_PORT: port = "", REDISCLI_AUTH = "" } =
    readSpec(sett.placeOf("redis"))?.env ?? {};
  return await $`redis-cli -p ${port} ${words}`.env({ ...process.env, REDISCLI_AUTH }).text();
}

test("up says which registrations it has repaired, although it restarts nothing", async () => {
  await redis(
    "HSET",
    `sett:${sett.name}:agents`,
    "painter",
    '{"name":"painter","replicas":"many"}',
  );
  expect(await sett.up()).toBe(
    `${sett.name} is up: repaired the registration of painter; kept redis, orchestrator, critic\n`,
  );
  expect(await sett.up()).toBe(
    `${sett.name} is up, and nothing has changed: redis, orchestrator, painter, critic\n`,
  );
});

test("where Redis is full, up touches nothing, and advises to make room", async () => {
  await redis("CONFIG", "SET", "maxmemory", "1");
  const before = readdirSync(join(sett.state, "processes")).sort();
  const { code, out, err } = await sett.sett("up", "--runtime", "process", "--name", sett.name);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("Redis refuses writes: OOM command not allowed");
  expect(err).toContain("`sett prune --before 30d`, or give Redis more memory");
  expect(err).not.toContain("sett down");
  expect(readdirSync(join(sett.state, "processes")).sort()).toEqual(before);
}, 300_000);

test("forage says for certain that the goal was not posted, and pins nothing", async () => {
  const { code, out, err } = await sett.sett("forage", "--goal", "Paint the door");
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain("The goal was not posted: Redis refuses writes: OOM");
  expect(err).toContain("Then post the goal again.");
  expect(await $`git for-each-ref refs/sett`.cwd(sett.folder).text()).toBe("");
  await redis("CONFIG", "SET", "maxmemory", "0");
  expect(JSON.parse(await sett.need("hoard", "--json"))).toEqual([]);
});
