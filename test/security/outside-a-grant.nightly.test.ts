// An agent attacks the machine outside of its grants: by what its bid command leaves, and by
// commits that others check out.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/** Runs the goal `NAME: commands`, and answers with what these have put into a file. */
const script = `set -e
printf '%s' '{"structural_type":"Terminal","artefact_type":"Done","artefact_payload":"","summary":""}' > /tmp/result.json
jq -r .target_artefact.payload | sed '1s/^[a-z]*: //' > /tmp/goal.sh
sh /tmp/goal.sh < /dev/null >&2
cat /tmp/result.json
`;

/**
 * Leaves a process that no signal to its group reaches, has nothing of its environment, and writes
 * all the time.
 */
const bidCommand = `jq -r .payload > "$TMPDIR/payload"
if grep -q '# litter' "$TMPDIR/payload"; then
  env -i PATH="$PATH" setsid sh -c 'sleep 1004 & while :; do n=$((n+1)); head -c 30M /dev/zero > /workspace/left$n; done' > /dev/null 2>&1 < /dev/null &
fi
if grep -q '# fill' "$TMPDIR/payload"; then
  while :; do n=$((n+1)); head -c 8M /dev/zero > /workspace/left$n; done
fi
grep -q '^greedy:' "$TMPDIR/payload" && echo exclusive || echo ignore
`;

let sett: SettWorkspace;

beforeAll(async () => {
  const limits = "    resources: { limits: { disk: 64M } }\n";
  const bidOn = (type: string) => `    bids: [{ on: ${type}, bid: exclusive }]\n`;
  sett = await SettWorkspace.create({
    ...scriptAgent("greedy", script),
    "agents/greedy/bid.sh": `#!/bin/sh\n${bidCommand}`,
    "agents/greedy/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh bid.sh /app/\n",
    ...scriptAgent("honest", script),
    ...scriptAgent("checker", script),
    "sett.yml": settYml({
      greedy: `${limits}    workspace: { mode: rw }\n    bid_command: ["/app/bid.sh"]\n`,
      honest: `    bid_command: ["sh", "-c", "jq -r .payload | grep -q '^honest:' && echo exclusive || echo ignore"]\n`,
      checker: `${limits}${bidOn("CheckMe")}`,
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

const container = () => `sett-${sett.name}-agent-greedy`;
const processes = async () => await $`docker top ${container()} -eo pid,args`.text();
const inWorkspace = async () =>
  (await $`docker exec ${container()} ls -A /workspace`.text()).split("\n");

test("what a bid command has left is ended with it, and a grant begins without it", async () => {
  await sett.need("forage", "--watch", "--goal", "honest: true # litter");
  await waitFor("its end", async () => !/sleep 1004|head -c/.test(await processes()), {
    happened: processes,
  });
  await sett.need("forage", "--watch", "--goal", "greedy: ! ls /workspace | grep left");
});

test("a bid command that writes too much is ended, its files go, and the agent works on", async () => {
  await sett.need("forage", "--watch", "--goal", "honest: true # fill");
  const log = await $`docker logs ${container()}`.text();
  expect(log).toContain(
    "The run was ended because there is too much in /workspace: `resources.limits.disk` allows 64 MiB.",
  );
  await waitFor(
    "an empty working copy",
    async () => !(await inWorkspace()).some((name) => name.startsWith("left")),
  );
  await sett.need("forage", "--watch", "--goal", "greedy: true");
});

test("while a grant runs, its own processes are spared, and the grant's work goes on", async () => {
  const goal = await sett.forage(
    "greedy: setsid sleep 1005 > /dev/null 2>&1 & while ! test -e /dev/shm/go; do sleep 0.05; done",
  );
  await waitFor("the grant", async () => (await processes()).includes("sleep 1005"), {
    happened: processes,
  });
  await sett.need("forage", "--watch", "--goal", "honest: true # litter");
  await waitFor("its end", async () => !/sleep 1004|head -c/.test(await processes()), {
    happened: processes,
  });
  expect(await processes()).toContain("sleep 1005");
  await $`docker exec ${container()} touch /dev/shm/go`;
  const last = async () =>
    (await sett.artefacts(goal)).find(({ structural_type }) => structural_type === "Terminal");
  await waitFor("its result", last, {
    happened: async () => JSON.stringify(await sett.artefacts(goal)),
  });
});

test("a commit of some kilobytes, whose files take gigabytes, is not checked out, and its reader says why", async () => {
  const make = [
    "greedy: cd /workspace",
    "head -c 30000000 /dev/zero | tr '\\0' y > big && blob=$(git hash-object -w big) && rm big",
    "tree=$(for i in $(seq 100 180); do printf '100644 blob %s\\tf%d\\n' $blob $i; done | git mktree)",
    "commit=$(git commit-tree $tree -p HEAD -m Bomb)",
    `jq -n --arg commit $commit '{artefact_type: "CheckMe", artefact_payload: $commit, summary: "please check"}' > /tmp/result.json`,
  ];
  const goal = await sett.forage(make.join("\n"));
  const find = async () =>
    (await sett.artefacts(goal)).find(({ structural_type }) => structural_type === "Failure");
  const failure = await waitFor("the failure", find, {
    happened: async () => JSON.stringify(await sett.artefacts(goal)),
  });
  expect(failure.produced_by_agent as string).toBe("checker");
  expect(JSON.parse(failure.payload).reason).toMatch(
    /^The files of the commit \w+ take more than `resources.limits.disk` allows\. Raise it /,
  );
});

test("after all this the agent's container is the same, and its working copy has no more than a grant's", async () => {
  await sett.need("forage", "--watch", "--goal", "greedy: true");
  expect((await inWorkspace()).filter((name) => /left|^f\d/.test(name))).toEqual([]);
  expect(
    (await $`docker inspect --format ${"{{.RestartCount}}"} ${container()}`.text()).trim(),
  ).toBe("0");
});
