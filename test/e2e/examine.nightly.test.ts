// A grant is looked at beside the record, in real containers: its command runs again, and a person
// types in a shell where it was worked on.
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { $ } from "bun";
import type { Artefact } from "../../lib/model/artefact.ts";
import { finished } from "../support/cli/finished.ts";
import { isNight, nightly } from "../support/nightly.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const committed = (file: string, type: string) =>
  `git add ${file} && git commit --quiet -m "Make it" && jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "${type}", artefact_payload: $commit, summary: "Made it"}'`;

let sett: SettWorkspace;
let goal: Artefact["id"];
let made: Artefact;
let diced: Artefact;

beforeAll(async () => {
  if (!isNight) return;
  sett = await SettWorkspace.create({
    ...scriptAgent(
      "coder",
      `set -e; jq -r .target_artefact.payload > made.txt; ${committed("made.txt", "CodeCommit")}`,
    ),
    // It also tries to speak for the cub.
    ...scriptAgent(
      "dice",
      `for way in /proc/1/fd/1 /proc/1/fd/2; do (echo "sett-examination 1/1 e30=" > $way) 2>/dev/null; done; cat /proc/sys/kernel/random/uuid > dice.txt; ${committed("dice.txt", "Diced")}`,
    ),
    "sett.yml": settYml({
      coder: `    bids:\n      - { on: GoalDefined, bid: exclusive }\n    workspace: { mode: rw }\n`,
      dice: `    bids:\n      - { on: CodeCommit, bid: exclusive }\n    workspace: { mode: rw }\n`,
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
  await sett.need("forage", "--watch", "--goal", "green");
  const artefacts: Artefact[] = JSON.parse(await sett.need("hoard", "--json"));
  const of = (type: string) => artefacts.find((one) => one.type === type) as Artefact;
  [goal, made, diced] = [of("GoalDefined").id, of("CodeCommit"), of("Diced")];
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
});

const examinations = async () =>
  (
    await $`docker ps -aq --filter label=dev.sett.instance=${sett.name} --filter label=dev.sett.component=examination; docker volume ls -q --filter label=dev.sett.instance=${sett.name} --filter label=dev.sett.component=examination`.text()
  ).trim();

const examined = async () =>
  (await sett.events(goal)).filter(({ type }) => type === "grant_examined");

const openShell = (id: string, stdin: Blob | "pipe") =>
  Bun.spawn([settBinary, "shell", id], {
    ...{ cwd: sett.folder, stdin, stdout: "pipe", stderr: "pipe" },
  });

nightly(
  "the same inputs make the same files again, and nothing but the log knows of it",
  async () => {
    const before = await sett.artefacts(goal);
    const again = JSON.parse(await sett.need("rerun", made.id, "--json"));
    expect(again).toMatchObject({
      ...{ same: true, artefact_id: made.id, differences: [] },
      grant: { claim_id: made.claim_id, agent: "coder", attempt: 1 },
    });
    expect(await sett.artefacts(goal)).toEqual(before);
    expect(await examinations()).toBe("");
    expect((await examined()).at(-1)).toMatchObject({
      ...{ agent: "coder", artefact_id: made.id, claim_id: made.claim_id },
      actor: expect.stringContaining("person:Ada Lovelace"),
      data: { attempt: 1, how: "rerun", same: true },
    });
  },
);

nightly("another commit is shown by its files, and no command speaks for the cub", async () => {
  const { code, out } = await sett.sett("rerun", diced.id, "--json");
  const { same, differences, changed } = JSON.parse(out);
  expect({ code, same, changed }).toEqual({ code: 1, same: false, changed: ["dice.txt"] });
  expect(differences.map(({ what }: { what: string }) => what)).toEqual(["files of the commit"]);
  expect((await examined()).at(-1)).toMatchObject({ data: { how: "rerun", same: false } });
});

nightly(
  "a shell begins with the commit and the input of the grant, and reaches nothing",
  async () => {
    const script = [
      "jq -r .target_artefact.id /tmp/input.json",
      "git rev-parse HEAD",
      "cat made.txt",
      "env | grep -c -e REDIS -e SETT_LOGIN",
      "ls /git/exchange/dice /run | wc -l",
      "cat order.json 2>/dev/null",
      "/app/run.sh < /tmp/input.json | jq -r .artefact_type",
      "exit 7",
    ].join("\n");
    const { code, out } = await finished(openShell(diced.id, new Blob([script])));
    expect({ code, lines: out.trim().split("\n").slice(0, 4) }).toEqual({
      code: 7,
      lines: [made.id, made.payload, "green", "0"],
    });
    expect(out.trim().split("\n").at(-1)).toBe("Diced");
    expect((await sett.artefacts(goal)).map(({ id }) => id)).toEqual([goal, made.id, diced.id]);
    expect((await examined()).at(-1)).toMatchObject({ agent: "dice", data: { how: "shell" } });
  },
);

nightly("a shell that is ended leaves neither a container nor a volume", async () => {
  const before = (await examined()).length;
  const child = openShell(made.id, "pipe");
  await waitFor("the shell to be on record", async () => (await examined()).length > before);
  expect(await examinations()).not.toBe("");
  child.kill("SIGTERM");
  await child.exited;
  expect(await examinations()).toBe("");
});

nightly("what no agent has made is neither run again nor looked at", async () => {
  for (const { code, err } of [await sett.sett("rerun", goal), await sett.sett("shell", goal)]) {
    expect(code).toBe(2);
    expect(err).toContain("is not what an agent's grant has led to");
  }
});

nightly("an image that was built anew since then is gone, and another one is named", async () => {
  await sett.write({ "agents/coder/more.txt": "more\n" });
  await sett.write({
    "agents/coder/Dockerfile":
      "FROM sett/agent-base:latest\nCOPY run.sh /app/run.sh\nCOPY more.txt /app/more.txt\n",
  });
  await sett.commit("Build it anew");
  await sett.up();
  const gone = await sett.sett("rerun", made.id);
  expect(gone.code).not.toBe(0);
  expect(gone.err).toContain("is not on the Docker Engine any more");
  const container = `sett-${sett.name}-agent-coder`;
  const image = (await $`docker inspect --format ${"{{.Image}}"} ${container}`.text()).trim();
  const { code, err } = await sett.sett("rerun", made.id, "--image", image);
  expect(err).toContain("The image is another one than that of the grant.");
  expect(code).toBe(0);
});
