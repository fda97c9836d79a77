// An agent with a workspace of its own that turns against the host, in a real container, and what the commands make of it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../lib/model/artefact.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";

const good = `set -e
date +%s%N > good.txt
git add -A
git commit --quiet --message "Good work" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "good"}'
`;
/** Does what the goal says to the exchange, as far as it can, and answers with a text. */
const evil = `work=$(cat)
cd /git/sett/exchange.git
good=$(printf '%s' "$work" | jq -r '.additional_context[] | select(.type == "CodeCommit").id' | head -1)
ref=$(echo refs/sett/*/"$good")
sh -c "$(printf '%s' "$work" | jq -r .target_artefact.payload)" >&2
jq -n '{artefact_type: "Report", artefact_payload: "done", summary: "done"}'
`;

let other: SettWorkspace;
let sett: SettWorkspace;

beforeAll(async () => {
  other = await SettWorkspace.create({ "secret.txt": "secret\n" });
  await other.git("repack", "-adq");
  sett = await SettWorkspace.create({
    ...scriptAgent("good", good),
    ...scriptAgent("evil", evil.replace('sh -c "', 'export ref good; sh -c "')),
    "sett.yml": settYml({
      good: "    bids:\n      - { on: GoalDefined, bid: claim }\n    workspace: { mode: rw }\n",
      evil: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n    workspace: { mode: rw }\n",
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

/** Has the goal worked on, and returns what the good agent has made, and what was said. Results are fetched when the goal rests. */
async function attack(goal: string): Promise<{ commit: Artefact; err: string }> {
  // How the goal ends does not matter here: an agent that destroys the exchange fails, too.
  const { out, err } = await sett.sett("forage", "--watch", "--json", "--goal", goal);
  const commit = (await sett.artefacts(JSON.parse(out).id)).find(({ type }) => type === "CodeCommit");
  if (commit === undefined) throw new Error(`Nothing was committed: ${err}`);
  return { commit, err };
}

const arrived = ({ id }: Artefact) =>
  sett.git("rev-parse", "--verify", "--quiet", `refs/sett/${sett.name}/${id}`).catch(() => "");

test("a ref that it writes over, removes or makes endless keeps no commit out, and is reported", async () => {
  const attacks = {
    'git --git-dir=. rev-parse "$ref" | tr "0-9a-f" "1-9a-f0" > "$ref.new"; mv "$ref.new" "$ref"': "was written over with",
    'rm "$ref"': "Its name in the exchange was removed",
    'truncate -s 3G "$ref"': "has 3221225472 bytes",
    'rm "$ref"; mkfifo "$ref"': "is no regular file",
  };
  for (const [script, sentence] of Object.entries(attacks)) {
    const { commit, err } = await attack(script);
    expect(await arrived(commit)).toBe(commit.payload);
    expect(err).toContain(sentence);
  }
});

test("a link to another repository of the person brings nothing of it, and `hoard`, `unearth` and `down` say what is missing", async () => {
  const secret = await other.git("rev-parse", "HEAD");
  const pack = join(other.folder, ".git/objects/pack");
  const pipes = "rm -f HEAD config packed-refs; mkfifo HEAD config packed-refs";
  const { commit } = await attack(`${pipes}; mv objects/pack objects/mine; ln -s '${pack}' objects/pack`);
  expect(await arrived(commit)).toBe("");
  const hoard = await sett.sett("hoard");
  expect([hoard.code, hoard.err]).toEqual([0, expect.stringContaining("on record is not fetched. Why: sett unearth")]);
  const { code, err } = await sett.sett("unearth", commit.id);
  expect(code).toBe(0);
  expect(err).toContain(
    `The commit ${commit.payload.slice(0, 12)} on record is not fetched as refs/sett/${sett.name}/${commit.id}:`,
  );
  expect(err).toContain("objects/pack is not read: it is no folder.");
  await expect(sett.git("cat-file", "-e", secret)).rejects.toThrow();
});

test("`sett up` and `sett down` give nothing of the host to the agents' user", async () => {
  const before = await ownersOf(join(other.folder, ".git"));
  const again = await sett.sett("up", "--name", sett.name);
  expect(again.code).toBe(1);
  expect(again.err).toContain("is damaged");
  const { code, err } = await sett.sett("down", "--name", sett.name);
  expect([code, err]).toEqual([0, expect.stringContaining("is not fetched as")]);
  expect(await ownersOf(join(other.folder, ".git"))).toEqual(before);
});

async function ownersOf(folder: string): Promise<[string, number][]> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "seen"), "");
  const names = await readdir(folder, { recursive: true });
  return await Promise.all(
    names.sort().map(async (name): Promise<[string, number]> => [name, (await lstat(join(folder, name))).uid]),
  );
}
