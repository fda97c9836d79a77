// A grant is looked at beside the record where nothing is in a container: its command runs again,
// and a person types in a shell where it was worked on.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import { ArtefactId } from "../../lib/model/ids.ts";
import { finished } from "../support/cli/finished.ts";
import { settOnTerminal } from "../support/cli/pseudo-terminal.ts";
import { settBinary } from "../support/process/compiled.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

let at: ProcessSett;
let goal: Artefact["id"];
let made: Artefact;
let diced: Artefact;
let seen: Artefact;

const committing = (file: string, content: string, type: string) => `#!/bin/sh
set -e
${content} > ${file}
git add ${file}
git commit --quiet --message "Make it" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "${type}", artefact_payload: $commit, summary: "Made it"}'
`;

const settings = `version: '1.0'
agents:
  coder:
    build: { context: ./agents/coder }
    command: ["/app/run.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: rw }
    environment: { COLOUR: red }
  dice:
    build: { context: ./agents/dice }
    command: ["/app/run.sh"]
    bids: [{ on: CodeCommit, bid: exclusive }]
    workspace: { mode: rw }
  critic:
    image: no-such-image:1
    command: ["sh", "-c", "echo '{\\"structural_type\\":\\"Terminal\\",\\"artefact_type\\":\\"Seen\\",\\"artefact_payload\\":\\"\\",\\"summary\\":\\"\\"}'"]
    bids: [{ on: Diced, bid: exclusive }]
    workspace: { mode: none }
`;

beforeAll(async () => {
  at = await ProcessSett.create(settings, {
    "agents/coder/run.sh": committing(
      "made.txt",
      "(jq -r .target_artefact.payload; echo $COLOUR)",
      "CodeCommit",
    ),
    "agents/coder/Dockerfile": "FROM no-such-image:1\n",
    "agents/dice/run.sh": committing("dice.txt", "cat /proc/sys/kernel/random/uuid", "Diced"),
    "agents/dice/Dockerfile": "FROM no-such-image:1\n",
  });
  await at.up();
  goal = ArtefactId.parse((await at.need("forage", "--goal", "green", "--watch")).trim());
  const artefacts = await recorded();
  const of = (type: string) => artefacts.find((one) => one.type === type) as Artefact;
  [made, diced, seen] = [of("CodeCommit"), of("Diced"), of("Seen")];
});

afterAll(() => at[Symbol.asyncDispose]());

const recorded = async (): Promise<Artefact[]> =>
  JSON.parse(await at.need("hoard", "--json", "--goal", goal));

const examined = async (): Promise<SettEvent[]> => {
  const only = ["--goal", goal, "--type", "grant_examined"];
  const lines = await at.need("watch", "--no-follow", "-o", "jsonl", ...only);
  return lines.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
};

/** Processes and volumes of looks. */
const left = async () => {
  const names = await Promise.all(
    ["names", "volumes"].map((kind) => readdir(join(at.state, kind))),
  );
  return names.flat().filter((name) => name.includes("examine"));
};

/** `typed`: all that it reads, while its input stays open where it `waits`. */
const openShell = (id: string, typed: string, waits = false) =>
  Bun.spawn([settBinary, "shell", id], {
    ...{ cwd: at.folder, env: at.environment, stdout: "pipe", stderr: "pipe" },
    stdin: waits ? endless(typed) : new Blob([typed]),
  });

const endless = (text: string) =>
  new ReadableStream({ start: (to) => to.enqueue(new TextEncoder().encode(text)) });

test("the same inputs make the same files again, and nothing but the log knows of it", async () => {
  const before = await recorded();
  const { code, out, err } = await at.sett("rerun", made.id, "--json");
  expect({ code, err }).toEqual({ code: 0, err: expect.not.stringContaining("isolated") });
  expect(JSON.parse(out)).toMatchObject({
    ...{ same: true, artefact_id: made.id, differences: [], image: "machine" },
    grant: { claim_id: made.claim_id, agent: "coder", attempt: 1 },
  });
  expect(await recorded()).toEqual(before);
  expect(await left()).toEqual([]);
  expect((await examined()).at(-1)).toMatchObject({
    ...{ agent: "coder", artefact_id: made.id, claim_id: made.claim_id },
    actor: expect.stringContaining("person:Ada Lovelace"),
    data: { attempt: 1, how: "rerun", same: true },
  });
});

test("another commit is shown by its files, and an agent without a working copy is run again as well", async () => {
  const { code, out } = await at.sett("rerun", diced.id, "--json");
  const { same, changed } = JSON.parse(out);
  expect({ code, same, changed }).toEqual({ code: 1, same: false, changed: ["dice.txt"] });
  expect(JSON.parse(await at.need("rerun", seen.id, "--json"))).toMatchObject({ same: true });
});

test("a shell begins with the commit, the input and the environment of the grant", async () => {
  const script = [
    'read -r input < "$(ls -t ../*.results/input.json)"; echo "$input" | jq -r .target_artefact.id',
    "git rev-parse HEAD",
    "cat made.txt",
    "env | grep -c -e REDIS -e SETT_LOGIN",
    "ls order.json 2>/dev/null",
    'echo "$SETT_AGENT_NAME"',
    "exit 7",
  ].join("\n");
  const { code, out, err } = await finished(openShell(diced.id, script));
  expect({ code, lines: out.trim().split("\n") }).toEqual({
    code: 7,
    lines: [made.id, made.payload, "green", "red", "0", "dice"],
  });
  const command = join(at.folder, "agents/dice/run.sh");
  expect(err).toMatch(new RegExp(`The command was: ${command} < /.*\\.results/input\\.json`));
  expect(await left()).toEqual([]);
  expect((await recorded()).map(({ id }) => id)).toEqual([goal, made.id, diced.id, seen.id]);
  expect((await examined()).at(-1)).toMatchObject({ agent: "dice", data: { how: "shell" } });
  expect(await at.git("status", "--porcelain")).toBe("");
});

test("on a terminal the shell has one of its own, of the same size, and Ctrl-C ends a command in it alone", async () => {
  await using shell = settOnTerminal(["shell", diced.id], {
    ...{ cwd: at.folder, columns: 77, env: { ...at.environment, LANG: "C.UTF-8" } },
  });
  const shows = (text: string) => shell.showing(text, ({ rows }) => rows.join("\n").includes(text));
  await shows("dice");
  shell.type("stty size; echo begun$((1 + 1)); sleep 600\r");
  await shows("24 77");
  await shows("begun2");
  // The shell itself has the terminal until then, and begins the command in spite of Ctrl-C.
  await waitFor("the command to run", () => at.stillRunning().includes("sleep 600"));
  shell.type("\x03");
  shell.resize(99, 24);
  shell.type("stty size\r");
  await shows("24 99");
  shell.type("exit 9\r");
  expect(await shell.exited).toBe(9);
  expect(await left()).toEqual([]);
});

test("a shell that is ended leaves neither a process nor a folder", async () => {
  const before = (await examined()).length;
  const child = openShell(made.id, "sleep 601\n", true);
  await waitFor("the shell to be on record", async () => (await examined()).length > before);
  await waitFor("its command to run", () => at.stillRunning().includes("sleep 601"));
  expect(await left()).not.toEqual([]);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(143);
  expect(await left()).toEqual([]);
  expect(at.stillRunning()).not.toContain("sleep 601");
});

test("where there are no images, none is named for a look", async () => {
  const { code, err } = await at.sett("rerun", made.id, "--image", "other:1");
  expect(code).toBe(2);
  expect(err).toContain("runs as processes of this machine, which have no image.");
});
