// Secrets whose values are ordinary words and numbers: a real cub with real commands that print
// them.
import { afterAll, expect, test } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FailureReport } from "../../../lib/model/tool-contract.ts";
import { coder, cubInstance } from "../../support/cub/cub-instance.ts";
import { startCub } from "../../support/cub/cub-process.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const redis = await startRedisServer({ password: "s3cret" });
afterAll(() => redis[Symbol.asyncDispose]());

const values: Record<string, string> = {
  word: "Standard",
  key: "artefact_type",
  date: "20261125",
  number: "2.502907",
  bid: "exclusive",
  log: "duration_ms",
};

function secretsIn(folder: string, all = values) {
  for (const [name, value] of Object.entries(all)) writeFileSync(join(folder, name), value);
  const variables = Object.fromEntries(Object.keys(all).map((name) => [name, null]));
  return { SETT_SECRETS: JSON.stringify(variables), SETT_SECRETS_DIR: folder };
}

const answer = {
  artefact_type: "StandardReport",
  structural_type: "Standard",
  artefact_payload: {
    artefact_type: "a",
    at: 20261125,
    pi: 2.502907,
    text: "Standard, 20261125, 2.502907",
  },
  summary: "An exclusive Standard",
  metadata: { artefact_type: "kept", "20261125": 2.502907 },
};

test("an answer keeps its keys, types and numbers, and its texts are masked; so does a bid", async () => {
  using folder = temporaryFolder();
  await using scene = await cubInstance(
    redis,
    `cat >/dev/null; echo '${JSON.stringify(answer)}'; echo "a Standard" >&2`,
    {
      agent: { bids_by_command: true },
      env: secretsIn(folder.path),
    },
  );
  await using cub = startCub({ ...scene.env, SETT_BID_COMMAND: '["echo", "exclusive"]' });
  const claim = await scene.standIn.open(await scene.standIn.post(), [coder]);
  expect(await scene.standIn.bidOn(claim, coder)).toBe("exclusive");
  await scene.standIn.grant(claim, coder);
  const { state, artefact } = await scene.standIn.ended(claim, coder);
  expect(state).toBe("done");
  expect(artefact).toMatchObject({ structural_type: "Standard", type: "StandardReport" });
  expect(JSON.parse(artefact.payload)).toEqual({
    ...answer.artefact_payload,
    text: "[secret word], [secret date], [secret number]",
  });
  expect(artefact.metadata).toEqual({
    ...answer.metadata,
    summary: "An [secret bid] [secret word]",
  });
  const said = await cub.said("Tool execution completed");
  expect([said.stderr, typeof said.duration_ms]).toEqual(["a [secret word]\n", "number"]);
  expect((await cub.said("Masked secrets in the tool's answer")).masked).toBe(
    "the secrets `word`, `date`, `number` in `payload.text`; the secrets `bid`, `word` in `summary`",
  );
  expect((await cub.said("Placed bid")).bid).toBe("exclusive");
});

test("an answer stays JSON, also where a number, a list or a quoted word of it is a value", async () => {
  using folder = temporaryFolder();
  const secrets = {
    ...{ pi: "3.141592653589793", quoted: '"Standard"', words: "true, false", zone: "New York" },
    ...{ serial: "12345678901234567", list: "[1764,1765000000,99]", name: '"hunter2hunter2"' },
  };
  const payload = `{"pi":3.141592653589793,"New York":[true, false],"a":"Standard","serial":12345678901234567,"list":[1764,1765000000,99],"hunter2hunter2":"in New York"}`;
  const metadata = `{"pi":3.141592653589793,"list":[1764,1765000000,99]}`;
  const printed = `{"artefact_type":"Done","structural_type":"Standard","artefact_payload":${payload},"summary":"","metadata":${metadata}}`;
  await using scene = await cubInstance(redis, `cat >/dev/null; echo '${printed}'`, {
    env: secretsIn(folder.path, secrets),
  });
  await using _cub = startCub(scene.env);
  const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
  const { artefact } = await scene.standIn.ended(claim, coder);
  expect(artefact).toMatchObject({ structural_type: "Standard", type: "Done" });
  expect(JSON.parse(artefact.payload)).toEqual({
    ...{ pi: Math.PI, "New York": [true, false], a: "Standard", serial: "[secret serial]" },
    ...{ list: "[secret list]", "[secret name]": "in [secret zone]" },
  });
  expect(artefact.metadata).toMatchObject({ pi: Math.PI });
});

test("a Failure keeps Sett's own words, and has none of the values that the tool has printed", async () => {
  using folder = temporaryFolder();
  await using scene = await cubInstance(
    redis,
    `cat >/dev/null; echo '{"structural_type":"Standard 20261125"}'`,
    {
      env: secretsIn(folder.path),
    },
  );
  await using _cub = startCub(scene.env);
  const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
  const { artefact } = await scene.standIn.ended(claim, coder);
  const { reason, stdout } = FailureReport.parse(JSON.parse(artefact.payload));
  expect(reason).toContain("`artefact_type` is missing");
  expect(reason).toContain("must be Standard, Review, Question");
  expect(stdout).toContain("[secret word] [secret date]");
});

test("the value that a run got is masked to its end, also where another came meanwhile; the next run writes it as it is", async () => {
  using folder = temporaryFolder();
  const print = `printf '{"artefact_type":"Done","artefact_payload":"%s","summary":""}' "$old $(cat token)"`;
  const wait = "touch begun; while [ -f wait ]; do sleep 0.05; done";
  const script = `cat >/dev/null; cd "$SETT_SECRETS_DIR"; old=first-value-1; ${wait}; ${print}`;
  writeFileSync(join(folder.path, "token"), "first-value-1");
  writeFileSync(join(folder.path, "wait"), "");
  const env = { SETT_SECRETS: '{"token":null}', SETT_SECRETS_DIR: folder.path };
  await using scene = await cubInstance(redis, script, { env });
  await using _cub = startCub(scene.env);
  const payloadOf = async (claim: Awaited<ReturnType<typeof scene.standIn.openGranted>>) =>
    (await scene.standIn.ended(claim, coder)).artefact.payload;
  const claim = await scene.standIn.openGranted(await scene.standIn.post(), coder);
  await waitFor("the run", () => Promise.resolve(existsSync(join(folder.path, "begun"))), {
    everyMs: 20,
  });
  writeFileSync(join(folder.path, "token"), "second-value-2");
  rmSync(join(folder.path, "wait"));
  expect(await payloadOf(claim)).toBe("[secret token] [secret token]");
  const next = await scene.standIn.openGranted(await scene.standIn.post(), coder);
  expect(await payloadOf(next)).toBe("first-value-1 [secret token]");
});
