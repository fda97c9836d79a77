// The order in which `sett up` starts a sett on a blackboard that was kept: work may wait there.
// How it is noticed that the blackboard is not what it was. Without Docker, where it is the same.
import { expect, test } from "bun:test";
import { cp, readdir, readFile, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Finding } from "../../apps/cli/facts/finding.ts";
import { readSpec } from "../../lib/runtime/process/registry.ts";
import { answering, ProcessSett } from "../support/sett/process-sett.ts";

test("all agents are registered before an orchestrator leads, also where an up was killed before it had registered one", async () => {
  const agent = answering("painter", { artefact_type: "Done", artefact_payload: "", summary: "" });
  await using sett = await ProcessSett.create(`version: '1.0'\nagents:\n${agent}`);
  await sett.up();
  const { SETT_REDIS_PORT: port = "", REDISCLI_AUTH = "" } =
    readSpec(sett.placeOf("redis"))?.env ?? {};
  await $`redis-cli -p ${port} DEL sett:${sett.name}:agents`
    .env({ ...process.env, REDISCLI_AUTH })
    .quiet();
  await sett.need("down", "--name", sett.name);

  const { code, err } = await sett.sett("up", "--runtime", "process", "--name", sett.name);
  expect(code).toBe(0);
  const steps = err
    .split("\n")
    .filter((line) => line === "painter: is ready" || line === "orchestrator: starting");
  expect(steps).toEqual(["painter: is ready", "orchestrator: starting"]);
}, 300_000);

test("a blackboard whose files were emptied, cut or lost while it was down is not taken for the one before", async () => {
  const agent = answering("painter", {
    artefact_type: "Done",
    artefact_payload: "",
    summary: "",
  });
  await using sett = await ProcessSett.create(`version: '1.0'\nagents:\n${agent}`);
  await sett.up();
  await sett.need("forage", "--goal", "one", "--watch");
  const up = () => sett.sett("up", "--runtime", "process", "--name", sett.name);
  const log = async (): Promise<Finding | undefined> =>
    JSON.parse((await sett.sett("doctor", "--json")).out).findings.find(
      ({ check }: Finding) => check === "log",
    );
  await sett.need("down", "--name", sett.name);
  const data = join(sett.state, "volumes", `sett-${sett.name}-blackboard`);
  const copy = join(sett.root, "copy");
  await cp(data, copy, { recursive: true });
  const restore = async () => {
    await rm(data, { recursive: true });
    await cp(copy, data, { recursive: true });
  };
  const files = join(data, "appendonlydir");
  const named = async (ending: string) =>
    join(files, (await readdir(files)).find((name) => name.endsWith(ending)) ?? "");

  await truncate(await named(".base.rdb"));
  expect(await up()).toMatchObject({
    code: 1,
    err: expect.stringMatching(/The base file \S+ is empty[\s\S]*put back a back-up/),
  });
  await restore();
  const incr = await named(".incr.aof");
  const before = await readFile(incr);
  await rm(join(files, "appendonly.aof.manifest"));
  expect(await up()).toMatchObject({
    code: 1,
    err: expect.stringMatching(/The AOF manifest is gone[\s\S]*put back the list/i),
  });
  expect(await readFile(incr)).toEqual(before);
  await restore();

  // Redis reads a file that is cut as one of a crash.
  await truncate(await named(".incr.aof"), before.lastIndexOf("artefact_created"));
  const cut = await up();
  expect(cut.code).toBe(0);
  expect(cut.err).toContain(`The record of ${sett.name} is not what it was: `);
  expect(cut.err).toContain("docs/operations.md#restore");
  expect((await log())?.level).toBe("ok");
  await sett.need("down", "--name", sett.name);
  await restore();
  // A back-up has none of the events since; it is said once.
  expect((await up()).err).toContain("is not what it was: ");
  expect((await up()).err).not.toContain("is not what it was: ");
  // Before the next `up`, doctor says it.
  const config = ["config", `sett.${sett.name}.events`];
  const known = (await sett.git(...config)).split(" ");
  await sett.git(...config, `${Number(known[0]) + 1_000} ${known[1]}`);
  expect(await log()).toMatchObject({
    level: "problem",
    found: expect.stringContaining(`${Number(known[0]) + 1_000}`),
  });
  await sett.git(...config, known.join(" "));
  expect((await log())?.level).toBe("ok");

  // A person who removes all keys leaves a log that goes on.
  const { SETT_REDIS_PORT: port = "", REDISCLI_AUTH = "" } =
    readSpec(sett.placeOf("redis"))?.env ?? {};
  await $`redis-cli -p ${port} FLUSHALL`.env({ ...process.env, REDISCLI_AUTH }).quiet();
  const count = async () =>
    (await sett.need("watch", "--no-follow", "-o", "jsonl")).split("\n").length - 1;
  while ((await count()) < Number(known[0])) await sett.need("forage", "--goal", "more");
  expect((await log())?.level).toBe("problem");
  expect((await up()).err).toContain("is not what it was: ");
}, 300_000);
