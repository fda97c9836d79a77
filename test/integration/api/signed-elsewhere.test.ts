// A person signs without any program of Sett: the API says what, and takes the signature.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { ApiScene, textAt } from "../../support/api/api-scene.ts";
import { sampleRepository } from "../../support/git/sample-repository.ts";
import { waitFor } from "../../support/wait-for.ts";

setDefaultTimeout(200_000);

let here: ReturnType<typeof sampleRepository>;
let scene: ApiScene;
let report: Artefact;
let question: Artefact;

const key = (name: string) => join(here.root, name);

beforeAll(async () => {
  here = sampleRepository();
  for (const name of ["own", "other"])
    Bun.spawnSync(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key(name)]);
  const signing = {
    ...{
      signers: `approver,answerer ${await readFile(key("own.pub"), "utf8")}`,
      required: true as const,
    },
    people: [{ name: "approver" }, { name: "answerer" }],
  };
  const asks = (payload: string) => payload.endsWith("?");
  scene = await ApiScene.start({
    coder: {
      behaviour: {
        bid: ({ type }) => (type === "GoalDefined" ? "exclusive" : "ignore"),
        work: ({ payload }) =>
          asks(payload)
            ? { structural_type: "Question", type: "Question", payload }
            : { type: "Report", payload: "Done" },
      },
    },
    lead: { human: true, bids: [{ on: "Report", bid: "review" }], signing },
  });
  const { clan } = scene;
  report = await clan.made(await clan.postGoal("Report"), ({ type }) => type === "Report");
  question = await clan.made(await clan.postGoal("Which?"), ({ type }) => type === "Question");
  await waitFor("both to wait for a person", async () => {
    const { body } = await scene.get("/v1/inquiries");
    return (body as { items: unknown[] }).items.length === 2;
  });
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  here[Symbol.dispose]();
});

async function signedBy(name: string, statement: string, namespace = "statement@sett.dev") {
  const file = key("statement");
  await writeFile(file, statement);
  await writeFile(`${file}.sig`, "");
  const command = ["ssh-keygen", "-Y", "sign", "-f", key(name), "-n", namespace];
  const { stdout } = Bun.spawnSync(command, { stdin: new Blob([statement]) });
  return { statement, signature: stdout.toString() };
}

const waiting = async () =>
  ((await scene.get("/v1/inquiries")).body as { items: unknown[] }).items.length;

test("an approval is signed by what the API says, and by no other key, act or bytes", async () => {
  const path = `/v1/artefacts/${report.id}`;
  const answer = await scene.get(
    `${path}/statement?act=approve&reason=Good&meaning=responsibility`,
    { as: "approver" },
  );
  const { statement, namespace } = answer.body as { statement: string; namespace: string };
  expect(JSON.parse(statement)).toMatchObject({
    ...{ act: "approve", meaning: "responsibility", artefact: report.id, for: "lead" },
    ...{ reason: "Good", name: "approver", principal: "approver", goal: report.goal_id },
  });
  const approve = (body: object) => scene.post(`${path}/approve`, body, { as: "approver" });
  const good = await signedBy("own", statement, namespace);
  const reject = (await scene.get(`${path}/statement?act=reject&reason=Bad`, { as: "approver" }))
    .body;
  const changed = statement.replace("responsibility", "approval");
  const cases: [object, string][] = [
    [{ reason: "Good" }, "needs the signature of a person"],
    [{ reason: "Better", signed: good }, "differ in: reason"],
    [{ reason: "Good", signed: await signedBy("other", statement) }, "has this key for this name"],
    [{ reason: "Good", signed: await signedBy("own", statement, "git") }, "another namespace"],
    [{ reason: "Good", signed: { ...good, statement: changed } }, "not one of these bytes"],
    [{ reason: "Good", signed: { ...good, signature: "" } }, "not the form of SSHSIG"],
    [
      { reason: "Bad", signed: await signedBy("own", (reject as typeof good).statement) },
      "differ in: act",
    ],
  ];
  for (const [body, why] of cases) {
    const refused = await approve(body);
    expect({ status: refused.status, detail: textAt(refused, "detail") }).toEqual({
      status: 409,
      detail: expect.stringContaining(why),
    });
  }
  const shapeless = await approve({ reason: "Good", signed: { ...good, statement: "{}" } });
  expect(shapeless.status).toBe(422);
  expect(await waiting()).toBe(2);

  const posted = await approve({ reason: "Good", signed: good });
  expect(posted).toMatchObject({ status: 201, body: { id: JSON.parse(statement).id } });
  const stored = await scene.clan.board.readArtefact(JSON.parse(statement).id);
  expect(stored?.metadata).toMatchObject(good);
  expect((await approve({ reason: "Good", signed: good })).status).toBe(409);
});

test("so is an answer", async () => {
  const path = `/v1/questions/${question.id}`;
  const { body } = await scene.get(`${path}/statement?text=That`, { as: "answerer" });
  const { statement } = body as { statement: string };
  expect(await waiting()).toBe(1);
  const signed = await signedBy("own", statement);
  const other = await scene.post(`${path}/answer`, { text: "This", signed }, { as: "all" });
  expect([other.status, textAt(other, "detail")]).toEqual([
    409,
    expect.stringContaining("differ in: reason, name, principal"),
  ]);
  const own = await scene.post(`${path}/answer`, { text: "That", signed }, { as: "answerer" });
  const { id } = JSON.parse(statement);
  expect(own).toMatchObject({ status: 201, body: { id } });
  expect(await scene.clan.board.answersOf([question.id])).toEqual([id]);
});

test("a statement of what does not wait for a person, or would not count, is refused", async () => {
  const statementOf = (id: string, words: string) =>
    scene.get(`/v1/artefacts/${id}/statement?${words}`, { as: "approver" });
  expect((await statementOf(report.goal_id, "act=approve")).status).toBe(409);
  expect((await statementOf(crypto.randomUUID(), "act=approve")).status).toBe(404);
  expect((await statementOf(report.id, "act=forage")).status).toBe(422);
  expect((await statementOf(question.id, "act=approve")).status).toBe(422);
  const empty = await scene.get(`/v1/questions/${question.id}/statement?text=`, {
    as: "approver",
  });
  expect(empty.status).toBe(422);
});
