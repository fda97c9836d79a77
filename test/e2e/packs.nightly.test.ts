// An instance whose agents have none of the repository's folders: commits go in and out by the
// service of packs, and people notice nothing of it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

const writer = `set -e
echo "$(cat)" > /dev/null
date +%s%N > made.txt
git add -A
git commit --quiet --message "By an agent" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "made"}'
`;
/** Answers with what the commit has, and then does to its cub's copy of the store what it can. */
const reader = `work=$(cat)
commit=$(printf '%s' "$work" | jq -r '.target_artefact.payload')
text=$(git show "$commit:made.txt")
chmod -R u+w /git/store 2> /dev/null
for file in /git/store/pack/*; do echo evil > "$file"; done
ln -s /etc /git/store/info
curl -s --unix-socket /run/sett/packs/packs.sock -X PUT --data evil http://sett/shelves/$commit > /dev/null
jq -n --arg text "$text" '{structural_type: "Terminal", artefact_type: "Read", artefact_payload: $text, summary: "read"}'
`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("writer", writer),
    ...scriptAgent("reader", reader),
    "sett.yml": settYml(
      {
        writer:
          "    bids:\n      - { on: GoalDefined, bid: exclusive }\n    workspace: { mode: rw }\n",
        // Each of its workers has a copy of its own.
        reader:
          "    bids:\n      - { on: CodeCommit, bid: exclusive }\n    strategy: fresh_per_call\n",
      },
      "services: { packs: service }\n",
    ),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

const mountsOf = async (part: string) =>
  JSON.parse(
    await $`docker inspect --format ${"{{json .HostConfig.Mounts}}"} sett-${sett.name}-${part}`.text(),
  ) as { Type: string }[];
const shown = (commit: string) => sett.git("cat-file", "-t", commit).catch(() => "");

/** Resolves with the id of what the goal's writer has made, when the reader has read it. */
async function work(goal: string): Promise<string> {
  const id = (await sett.need("forage", "--watch", "--goal", goal)).trim();
  const artefacts = await sett.artefacts(id);
  const made = artefacts.find(({ type }) => type === "CodeCommit");
  const commit = made?.payload ?? "none";
  const read = artefacts.find(({ type }) => type === "Read")?.payload;
  expect([await shown(commit), read]).toEqual([
    "commit",
    await sett.git("show", `${commit}:made.txt`),
  ]);
  return made?.id ?? "";
}

test("no agent has a folder of this machine, and goals, fetches and what is shown of them work", async () => {
  for (const part of ["agent-writer", "agent-reader", "packs"])
    expect((await mountsOf(part)).map(({ Type }) => Type)).not.toContain("bind");
  expect(await sett.need("unearth", await work("first"))).toContain("made.txt");
  // What the reader has done to its copy of the store is no other goal's.
  await sett.write({ "more.txt": "more\n" });
  await sett.commit("More");
  await work("second");
  expect(await sett.need("hoard")).toContain("CodeCommit");
});

test("it goes on where the service was killed, and an `up` keeps all", async () => {
  await sett.kill("packs");
  await work("third");
  expect(await sett.need("up", "--name", sett.name)).toContain("nothing has changed");
});

test("what was not fetched is fetched by `down`, which leaves nothing of the service", async () => {
  const goal = await sett.forage("fourth");
  await waitFor("its commit", async () =>
    (await sett.events(goal)).some(
      ({ type, agent }) => type === "grant_done" && agent === "reader",
    ),
  );
  // `hoard` would fetch it.
  const names = () => sett.git("for-each-ref", `refs/sett/${sett.name}/`);
  const before = (await names()).split("\n");
  await sett.need("down", "--name", sett.name);
  expect((await names()).split("\n")).toHaveLength(before.length + 1);
  await sett.need("down", "--name", sett.name, "--volumes");
  expect(await sett.leftOvers()).toEqual([]);
});
