// The order in which `sett up` starts a sett on a blackboard that was kept: work may wait there.
// Without Docker, where it is the same.
import { expect, test } from "bun:test";
import { $ } from "bun";
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
