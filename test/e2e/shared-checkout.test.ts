// Agents of a large repository begin over one checkout: real containers, and the Engine's volumes.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { nightly } from "../support/nightly.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

/** It says what it finds, and leaves another file and changed ones behind. */
const script = `cd /workspace
found="$(grep -c ' /workspace overlay ' /proc/mounts) $(head -c 6 big/1) $(head -c 6 big/2) $(ls)"
echo spoiled > big/1; touch left-over; rm big/3
jq -n --arg found "$found" '{artefact_type: "Report", artefact_payload: $found, summary: "done"}'`;

const agents = ["left", "right"] as const;
const found = (second: string) => `1 file-1 ${second} README.md\nagents\nbig\nsett.yml`;

let sett: SettWorkspace;
let said: string;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("left", script),
    ...scriptAgent("right", script),
    "sett.yml": settYml(
      Object.fromEntries(
        agents.map((name) => [name, "    bids:\n      - { on: GoalDefined, bid: claim }\n"]),
      ),
    ),
  });
  const megabyte = "x".repeat(1024 * 1024);
  await sett.write(
    Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`big/${at}`, `file-${at} ${megabyte}`]),
    ),
  );
  await sett.commit("Add a sett, and large files");
  const { code, err } = await sett.sett("up", "--name", sett.name);
  if (code !== 0) throw new Error(err);
  said = err;
});
afterAll(() => sett[Symbol.asyncDispose]());

const volumes = async (part: string) =>
  (await $`docker volume ls --quiet --filter name=sett-${sett.name}`.text())
    .split("\n")
    .filter((name) => name.endsWith(part));

async function reports(goal: string): Promise<string[]> {
  const id = await sett.forage(goal);
  const all = await waitFor("both reports", async () => {
    const made = (await sett.artefacts(id)).filter(({ type }) => type !== "GoalDefined");
    return made.length === agents.length && made;
  });
  return all.map(({ payload }) => payload);
}

test("it is made once, and what an agent writes is its own", async () => {
  expect(said).toContain("checkout: was made once for all agents");
  expect([await volumes(".layer"), await volumes(".upper")].map(({ length }) => length)).toEqual([
    1, 2,
  ]);
  expect(await reports("first")).toEqual(Array(2).fill(found("file-2")));
  const bytes = await $`docker exec sett-${sett.name}-agent-left du -s -k /git/layer-upper`
    .nothrow()
    .text();
  expect(Number.parseInt(bytes, 10)).toBeLessThan(5 * 1024);
});

test("after a restart nothing that a command has left is taken for a file of the commit", async () => {
  await $`docker restart --time 5 sett-${sett.name}-agent-left`.quiet();
  expect(await reports("second")).toEqual(Array(2).fill(found("file-2")));
});

test("the next commit is a difference, and no layer of its own", async () => {
  await sett.write({ "big/2": "newer\n" });
  await sett.commit("Change a file");
  expect(await reports("third")).toEqual(Array(2).fill(found("newer")));
  expect(await volumes(".layer")).toHaveLength(1);
});

nightly("`sett up` changes nothing, and a new agent begins over the same checkout", async () => {
  expect((await sett.sett("up", "--name", sett.name)).err).not.toContain("checkout:");
  const more = settYml(
    Object.fromEntries(
      [...agents, "new"].map((name) => [
        name,
        "    bids:\n      - { on: GoalDefined, bid: claim }\n",
      ]),
    ),
  );
  await sett.write({ ...scriptAgent("new", script), "sett.yml": more });
  await sett.commit("Add an agent");
  await sett.up();
  expect([await volumes(".layer"), await volumes(".upper")].map(({ length }) => length)).toEqual([
    1, 3,
  ]);
});

nightly("agents that see no files for a while keep the checkout below their disks", async () => {
  const withMode = async (mode: string) => {
    const lines = `    workspace: { mode: ${mode} }\n    bids:\n      - { on: GoalDefined, bid: claim }\n`;
    const yml = settYml(Object.fromEntries(agents.map((name) => [name, lines])));
    await sett.write({ "sett.yml": yml });
    await sett.commit(`Take ${mode}`);
    return await sett.need("up", "--name", sett.name);
  };
  await withMode("none");
  await withMode("ro");
  expect(await volumes(".layer")).toHaveLength(1);
  expect(await reports("fourth")).toEqual(Array(2).fill(found("newer")));
});

test("`sett down` removes it", async () => {
  await sett.need("down");
  expect([...(await volumes(".layer")), ...(await volumes(".upper"))]).toEqual([]);
});
