// An agent with a workspace of its own that turns against the host and against other agents by way
// of git, in a real container.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../lib/model/artefact.ts";
import { isNight, nightly } from "../support/nightly.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

const commitAnd = (file: string) => `set -e
date +%s%N > ${file}
git add -A
git commit --quiet --message "Good work" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "good"}'
`;
/**
 * Does what the goal says beside the good agent's commit, and answers with what that has written.
 */
const evil = `work=$(cat)
export commit=$(printf '%s' "$work" | jq -r '.additional_context[] | select(.type == "CodeCommit").payload' | head -1)
printf '%s' "$work" | jq -r .target_artefact.payload > /tmp/goal.sh
case "$(cat /tmp/goal.sh)" in commit) ${commitAnd("evil.txt").replaceAll("\n", "; ")} exit ;; esac
sh /tmp/goal.sh > /tmp/out 2>&1
jq -n --rawfile text /tmp/out '{artefact_type: "Report", artefact_payload: $text, summary: "done"}'
`;
/** Reads what is committed, as a reviewer would. */
const reader = `work=$(cat)
commit=$(printf '%s' "$work" | jq -r '.context_chain[], .additional_context[] | select(.type == "CodeCommit").payload' | head -1)
jq -n --arg text "$(git show "$commit:good.txt")" '{structural_type: "Terminal", artefact_type: "Read", artefact_payload: $text, summary: ""}'
`;

let other: SettWorkspace;
let sett: SettWorkspace;
/** An object that is in the repository, and not in any commit of a goal. */
let removed: string;

beforeAll(async () => {
  other = await SettWorkspace.create({ "secret.txt": "secret\n" });
  await other.git("repack", "-adq");
  const bids = (on: string, bid: string) => `    bids:\n      - { on: ${on}, bid: ${bid} }\n`;
  const rw = "    workspace: { mode: rw }\n";
  sett = await SettWorkspace.create({
    ...scriptAgent("good", commitAnd("good.txt")),
    ...scriptAgent("evil", evil),
    ...scriptAgent("reader", reader),
    "sett.yml": settYml({
      good: `${bids("GoalDefined", "claim")}${rw}`,
      evil: `${bids("GoalDefined", "exclusive")}${rw}`,
      reader: bids("Report", "exclusive"),
    }),
  });
  await sett.commit("Add a sett");
  await sett.write({ "password.txt": "removed from history\n" });
  await sett.commit("Add a password");
  removed = await sett.git("rev-parse", "HEAD:password.txt");
  await sett.git("reset", "--quiet", "--hard", "HEAD~1");
  await sett.up();
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
});

type Outcome = { id: string; artefacts: Artefact[]; err: string; of: (type: string) => Artefact };

/** Has the goal worked on, fetches what was made, and resolves with it. */
async function attack(goal: string): Promise<Outcome> {
  const { out, err } = await sett.look("forage", "--watch", "--json", "--goal", goal);
  const { id } = JSON.parse(out);
  const artefacts = await sett.artefacts(id);
  const of = (type: string) => {
    const found = artefacts.find((each) => each.type === type);
    if (found === undefined) throw new Error(`There is no ${type}: ${err}`);
    return found;
  };
  return { id, artefacts, err, of };
}

const arrived = ({ id }: Artefact) =>
  sett.git("rev-parse", "--verify", "--quiet", `refs/sett/${sett.name}/${id}`).catch(() => "");

test("it can write into no folder but its own, and read no object that its goal does not reach", async () => {
  const tries = [
    "touch /git/exchange/good/file",
    'rm -f "/git/exchange/good/$commit.pack"',
    "mv /git/exchange/good /git/exchange/bad",
    "touch /git/exchange/file",
    "mkdir /git/exchange/new",
    "rmdir /git/exchange/evil",
    "mv /git/exchange/evil /git/exchange/gone",
    "touch /git/objects/file",
    `git -C /workspace cat-file -e ${removed}`,
    `ls /git/objects/${removed.slice(0, 2)}/${removed.slice(2)}`,
    "ls /git/exchange/evil",
  ];
  const { of } = await attack(
    tries.map((each) => `(${each}) 2> /dev/null && echo 'done: ${each}'; true`).join("\n"),
  );
  expect(of("Report").payload).toBe("done: ls /git/exchange/evil\n");
  expect(await sett.git("cat-file", "-t", removed)).toBe("blob");
  expect(await arrived(of("CodeCommit"))).toBe(of("CodeCommit").payload);
});

/**
 * What hostile-exchange.test.ts has in one process. By day two of them show that it holds in a
 * container, too.
 */
const inPlaceOfPack: readonly [string, string, { isDaily?: true }?][] = [
  ["garbage", 'echo PACK > "$file"', { isDaily: true }],
  ["a pipe", 'mkfifo "$file"'],
  ["a link to another repository", `ln -s PACK "$file"`],
  ["a file of terabytes", 'truncate -s 3T "$file"'],
  ["a folder", 'mkdir "$file"'],
  ["nothing that can be listed", 'rm -f "$file"; chmod 000 /git/exchange/evil', { isDaily: true }],
];

test.each(inPlaceOfPack.filter(([, , when]) => isNight || when?.isDaily))(
  "what it puts under the name of another's commit keeps it out of nowhere: %s",
  async (_, script) => {
    const clean = "chmod 755 /git/exchange/evil; rm -rf /git/exchange/evil/*";
    const packs = join(other.folder, ".git/objects/pack");
    const pack = (await readdir(packs)).find((name) => name.endsWith(".pack")) ?? "";
    const { of, err } = await attack(
      `${clean}\nfile="/git/exchange/evil/$commit.pack"\n${script.replace("PACK", join(packs, pack))}`,
    );
    const commit = of("CodeCommit");
    expect(err).not.toContain("not fetched");
    expect(await arrived(commit)).toBe(commit.payload);
    expect(of("Read").payload).toBe(await sett.git("show", `${commit.payload}:good.txt`));
  },
);

/** Attacks, in the evil agent's next goal, its commit that is on record and not fetched yet. */
async function attackUnfetched(script: string): Promise<{ made: Artefact; outcome: Outcome }> {
  await attack("chmod 755 /git/exchange/evil");
  const goal = await sett.forage("commit");
  // `hoard` would fetch it.
  await waitFor("its commit", async () =>
    (await sett.events(goal)).some(({ type, agent }) => type === "grant_done" && agent === "evil"),
  );
  const outcome = await attack(script);
  const made = (await sett.artefacts(goal)).find((each) => each.produced_by_agent === "evil");
  if (made === undefined) throw new Error("It has made no commit.");
  return { made, outcome };
}

test("what it takes away of its own, before a person has fetched it, is put back when its grant ends", async () => {
  const { made, outcome } = await attackUnfetched(
    "rm -rf /git/exchange/evil/*; ls /git/exchange/evil",
  );
  expect(outcome.of("Report").payload).toBe("");
  expect(await arrived(made)).toBe(made.payload);
});

test("what it destroys of its own is a Failure that names it, and is missed by `hoard`, `unearth` and `down`", async () => {
  const { made, outcome } = await attackUnfetched(
    "for file in /git/exchange/evil/*; do : > $file; done",
  );
  expect(outcome.of("ToolExecutionFailure").payload).toMatch(
    new RegExp(`that its agent had published: .*${made.payload}`),
  );
  expect(await arrived(made)).toBe("");
  const hoard = await sett.sett("hoard");
  expect([hoard.code, hoard.err]).toEqual([
    0,
    expect.stringContaining("on record is not fetched. Why: sett unearth"),
  ]);
  const unearth = await sett.sett("unearth", made.id);
  expect(unearth.code).toBe(0);
  expect(unearth.err).toContain(
    `The commit ${made.payload.slice(0, 12)} on record is not fetched as refs/sett/${sett.name}/${made.id}: Its objects are neither`,
  );
});

nightly(
  "what it leaves in its own folder beside its commits is gone when its grant has ended",
  async () => {
    const { of } = await attack(
      [
        "cd /git/exchange/evil",
        `mkdir -p ${"3".repeat(40)}.pack folder && echo '#!/bin/sh' > plain && chmod 755 plain`,
        `head -c 100000 /dev/urandom | tee .${"3".repeat(40)} > ${"4".repeat(40)}.pack`,
      ].join("\n"),
    );
    const folder = join(sett.folder, ".git/sett/exchange", sett.name, "evil");
    const strangers = async () =>
      (await readdir(folder)).filter((name) => !/^(?!3{40}|4{40})[0-9a-f]{40}\.pack$/.test(name));
    expect(of("Report").payload).toBe("");
    await waitFor("its folder to be tidy", async () => (await strangers()).length === 0, {
      happened: async () => (await strangers()).join(" "),
    });
  },
);

nightly("`sett up` and `sett down` give nothing of the host to the agents' user", async () => {
  await attack(
    `ln -s '${other.folder}/.git' /git/exchange/evil/link; mkdir /git/exchange/evil/folder`,
  );
  const before = await ownersOf(join(other.folder, ".git"));
  expect((await sett.sett("up", "--name", sett.name)).code).toBe(0);
  const { code, err } = await sett.sett("down", "--name", sett.name);
  expect([code, err]).toEqual([0, expect.stringContaining("is not fetched as")]);
  expect(await ownersOf(join(other.folder, ".git"))).toEqual(before);
});

async function ownersOf(folder: string): Promise<[string, number][]> {
  const names = await readdir(folder, { recursive: true });
  return await Promise.all(
    names
      .sort()
      .map(
        async (name): Promise<[string, number]> => [name, (await lstat(join(folder, name))).uid],
      ),
  );
}
