// docs/guides/ci.md, where a goal waits for a person: its job and its script say whom it waits for,
// and for what.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { runIn, runJob, scriptOf, writeSett } from "../support/docs/ci-job.ts";
import { fileWrittenBy } from "../support/docs/pages.ts";
import { freePort } from "../support/redis/redis-server.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";

setDefaultTimeout(600_000);

const people = "docs/guides/people.md";
const token = randomBytes(32).toString("hex");

let bin: string;
let sett: ProcessSett;
let port: number;

beforeAll(async () => {
  bin = await mkdtemp(join(tmpdir(), "sett-ci-waits-"));
  await writeSett(bin);
  await writeFile(join(bin, "token"), `${token}\n`);
  port = await freePort();
  const api = `secrets:
  ci-token: { file: ${join(bin, "token")} }
services:
  api:
    port: ${port}
    tokens:
      - { name: ci, secret: ci-token, may: [read, forage] }
`;
  const dockerfile = "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\n";
  sett = await ProcessSett.create(`${fileWrittenBy(people, "sett.yml")}${api}`, {
    "agents/planner/run.sh": fileWrittenBy(people, "agents/planner/run.sh"),
    "agents/planter/run.sh": fileWrittenBy(people, "agents/planter/run.sh"),
    "agents/planner/Dockerfile": dockerfile,
    "agents/planter/Dockerfile": dockerfile,
    "ci/forage.sh": fileWrittenBy("docs/guides/ci.md", "ci/forage.sh"),
  });
  sett.env = { PATH: `${bin}:${process.env.PATH}` };
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  if (bin !== undefined) await rm(bin, { recursive: true, force: true });
});

test("the job says the question that waits for its answer", async () => {
  const steps = await runJob(sett, "Plant roses");
  expect(steps.map(({ step, code }) => [step, code])).toContainEqual([
    "State the goal, and wait",
    4,
  ]);
  const said = steps.find(({ step }) => step === "Say why it failed");
  expect(said).toMatchObject({
    code: 0,
    out: "::error title=sett::It waits for an answer to planner: Which bed shall be planted, front or back?\n",
  });
});

test("the script says the question, and the artefact that waits for a verdict", async () => {
  await sett.up();
  const env = {
    SETT_URL: `http://127.0.0.1:${port}`,
    SETT_TOKEN: token,
    GITHUB_RUN_ID: "1",
    GITHUB_RUN_ATTEMPT: "1",
  };
  const question = await runIn(sett, ["ci/forage.sh", "Plant roses"], env);
  expect([question.code, question.err]).toEqual([
    4,
    "It waits for an answer to planner: Which bed shall be planted, front or back?\n",
  ]);
  const questions: { id: string }[] = JSON.parse(await sett.need("questions", "--json"));
  await sett.sett("answer", questions[0]?.id ?? "", "front", "--watch");
  const planned = await runIn(sett, ["ci/forage.sh", "Plant roses"], env);
  expect([planned.code, planned.err]).toEqual([
    4,
    "It waits for owner to judge Plan: Plan for the front bed\n",
  ]);
  const { out } = await runIn(sett, [
    "bash",
    "-e",
    "-o",
    "pipefail",
    "-c",
    scriptOf("Say why it failed"),
  ]);
  expect(out).toBe(
    "::error title=sett::It waits for owner to judge Plan: Plan for the front bed\n",
  );
});
