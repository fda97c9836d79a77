// Secrets without containers: files in memory that only this user can read, which go with the sett.
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readSpec } from "../../lib/runtime/process/registry.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const value = `a-secret-of-the-tests-${crypto.randomUUID()}`;
const script = `work=$(cat); printf '%s' "$TOKEN" | cmp -s - "$SETT_SECRETS_DIR/token" && same=same
printf '{"structural_type":"Terminal","artefact_type":"Done","artefact_payload":"%s %s","summary":""}' "$same" "$TOKEN"`;
const settings = `version: '1.0'
secrets: { token: { environment: TOKEN } }
agents:
  maker:
    image: none:1
    command: ["sh", "-c", ${JSON.stringify(script)}]
    bids: [{ on: GoalDefined, bid: exclusive }]
    secrets: [{ name: token, variable: TOKEN }]
`;

async function payloadOf(sett: ProcessSett): Promise<string> {
  const goal = (await sett.need("forage", "--goal", "Go")).trim();
  const find = async () => {
    const artefacts: { type: string; payload: string }[] = JSON.parse(
      await sett.need("hoard", "--json", "--goal", goal),
    );
    return artefacts.find(({ type }) => type !== "GoalDefined");
  };
  return (await waitFor("the result", find, { everyMs: 50 })).payload;
}

test("a command gets them, nothing on disk has them, and `down` removes them", async () => {
  await using sett = await ProcessSett.create(settings);
  sett.env = { TOKEN: value };
  expect(await sett.up()).toContain("is up: redis, orchestrator, keeper, maker\n");
  expect(await payloadOf(sett)).toBe("same [secret token]");
  const folder = readSpec(sett.placeOf("agent-maker"))?.env.SETT_SECRETS_DIR ?? "";
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(folder, "token"), "utf8")).toBe(value);
  const place = await Bun.$`readlink -f ${folder}`.text();
  expect(place).toStartWith("/dev/shm/");
  expect(await Bun.$`grep -rl ${value} ${sett.root}`.nothrow().text()).toBe("");

  sett.env = { TOKEN: `${value}-changed` };
  expect(await sett.up()).toContain("nothing has changed");
  expect(await payloadOf(sett)).toBe("same [secret token]");

  await sett.need("down", "--name", sett.name);
  expect(existsSync(place.trim())).toBe(false);
  expect(
    (await readdir("/dev/shm")).filter((name) => name === place.trim().slice("/dev/shm/".length)),
  ).toEqual([]);
});

test("a value that cannot be read stops `up` before anything is made", async () => {
  await using sett = await ProcessSett.create(
    settings.replace("{ environment: TOKEN }", "{ file: ./absent }"),
  );
  const { code, err } = await sett.sett("up", "--name", sett.name, "--runtime", "process");
  expect(code).toBe(2);
  expect(err).toContain("The secret token cannot be read: its file cannot be read: ENOENT");
  expect(existsSync(sett.placeOf("redis"))).toBe(false);
  await writeFile(join(sett.folder, "absent"), "short");
  expect((await sett.sett("up", "--name", sett.name, "--runtime", "process")).err).toContain(
    "has a value of 5 bytes",
  );
});

test("a secret in a committed file is a warning", async () => {
  await using sett = await ProcessSett.create(
    settings.replace("{ environment: TOKEN }", "{ file: ./sett.yml }"),
  );
  const { err } = await sett.sett("up", "--name", sett.name, "--runtime", "process");
  expect(err).toContain(
    `The file of the secret token is in git, where agents can read it: ${join(sett.folder, "sett.yml")}.`,
  );
});

const ordinary = { WORD: "Standard", KEY: "artefact_type", DATE: "20261125", NUMBER: "3.141592" };
const printing = `work=$(cat); case "$work" in *Commit*) ;; *)
printf '{"artefact_type":"StandardReport","artefact_payload":{"at":%s,"artefact_type":"on %s"},"summary":"%s"}' "$NUMBER" "$DATE" "$WORD"; exit;; esac
echo "$1" > report.txt; git add -A; git commit -q -m Report -m 'as of today'; git rm -q report.txt; git commit -q -m 'Remove it'
printf '{"artefact_type":"CodeCommit","artefact_payload":"%s","summary":""}' "$(git rev-parse HEAD)"`;
const ofOrdinary = `version: '1.0'
secrets: { word: { environment: WORD }, key: { environment: KEY }, date: { environment: DATE }, number: { file: ../number } }
agents:
  maker:
    image: none:1
    command: ["sh", "-c", ${JSON.stringify(printing)}, "sh", "on 20261125"]
    workspace: { mode: rw }
    bids: [{ on: GoalDefined, bid: exclusive }]
    secrets: [{ name: word, variable: WORD }, { name: key, variable: KEY }, { name: date, variable: DATE }, { name: number, variable: NUMBER }]
`;

test("secrets that are ordinary words and numbers break no answer, and `up` and `doctor` warn of them", async () => {
  await using sett = await ProcessSett.create(ofOrdinary);
  sett.env = ordinary;
  await writeFile(join(sett.folder, "../number"), ordinary.NUMBER);
  const up = await sett.sett("up", "--runtime", "process", "--name", sett.name);
  expect([up.code, up.err.match(/The value of the secret \w+ is /g)?.length]).toEqual([0, 4]);
  const goal = (await sett.need("forage", "--goal", "Report")).trim();
  type Found = { type: string; payload: string; metadata: Record<string, unknown> };
  const resultOf = async (id: string) => {
    const find = async () => {
      const artefacts: Found[] = JSON.parse(await sett.need("hoard", "--json", "--goal", id));
      return artefacts.find(({ type }) => type !== "GoalDefined");
    };
    return await waitFor("the result", find, { everyMs: 50 });
  };
  const { type, payload, metadata } = await resultOf(goal);
  expect([type, payload, metadata.summary]).toEqual([
    "StandardReport",
    '{"at":3.141592,"artefact_type":"on [secret date]"}',
    "[secret word]",
  ]);
  const refused = await resultOf((await sett.need("forage", "--goal", "Commit")).trim());
  expect(JSON.parse(refused.payload).reason).toMatch(
    /^The commit [0-9a-f]{40} has the value of the secret `date` in the file `report\.txt`, so nothing was published\./,
  );
  const doctor = JSON.parse((await sett.sett("doctor", "--name", sett.name, "--json")).out);
  const about = doctor.findings.filter(({ subject }: { subject: string }) => subject === "secrets");
  expect(
    about.map(({ check, level, found }: Record<string, string>) => [check, level, found]),
  ).toEqual([
    ["word", "warning", "its value is a word of the contract between Sett and commands"],
    ["key", "warning", "its value is a word of the contract between Sett and commands"],
    ["date", "warning", "its value is a date"],
    ["number", "warning", "its value is a number"],
  ]);
});
