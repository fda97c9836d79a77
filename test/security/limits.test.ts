// An agent takes all that it can of the machine: it is ended within its limits, with a Failure that
// says so, and the work of others goes on.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { isNight, nightly } from "../support/nightly.ts";
import { bidByName, obedient } from "../support/sett/obedient-agent.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/**
 * Starts threads that do nothing, at a pace at which it can be seen before it has all that there
 * are.
 */
const threads = `
import { dlopen, ptr } from "bun:ffi";
const { symbols } = dlopen("libc.so.6", {
  pthread_create: { args: ["ptr", "ptr", "ptr", "ptr"], returns: "i32" }, usleep: { args: ["u32"], returns: "i32" },
  dlsym: { args: ["ptr", "ptr"], returns: "ptr" },
});
const pause = symbols.dlsym(null, ptr(Buffer.from("pause\\0")));
const thread = ptr(new BigUint64Array(1));
for (let n = 0; n < 300; n++) {
  symbols.pthread_create(thread, null, pause, null);
  symbols.usleep(2000);
}
`;

let sett: SettWorkspace;

beforeAll(async () => {
  const limits =
    "    resources: { limits: { disk: 64M, memory: 320M, pids: 200, cpus: 1 } }\n    timeout: 5m\n";
  sett = await SettWorkspace.create({
    ...scriptAgent("greedy", obedient),
    "agents/greedy/threads.ts": threads,
    "agents/greedy/Dockerfile": "FROM sett/agent-base:latest\nCOPY run.sh threads.ts /app/\n",
    ...scriptAgent("honest", obedient),
    "sett.yml": settYml({
      greedy: `${limits}    workspace: { mode: rw }\n${bidByName("greedy")}`,
      honest: bidByName("honest"),
    }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

const container = () => `sett-${sett.name}-agent-greedy`;

type Report = { reason: string; timed_out: boolean };

/**
 * The Failure of what the greedy agent does, or undefined; a goal of another agent is settled
 * meanwhile.
 */
async function reportOf(script: string): Promise<Report | undefined> {
  const goal = await sett.forage(`greedy: ${script}`);
  await sett.need("forage", "--watch", "--goal", "honest: echo 1");
  const ends = new Set(["Failure", "Terminal"]);
  const end = async () =>
    (await sett.artefacts(goal)).find(({ structural_type }) => ends.has(structural_type));
  const last = await waitFor("the end", end, {
    everyMs: 200,
    happened: async () =>
      [
        JSON.stringify((await sett.events(goal)).slice(-5)),
        ...(await sett.look("logs", "greedy")).out.trimEnd().split("\n").slice(-20),
      ].join("\n"),
  });
  const failure = last.structural_type === "Failure" ? last : undefined;
  return failure && JSON.parse(failure.payload);
}

const tooMany =
  "The run was ended because it needed more processes and threads than `resources.limits.pids` allows, which is 200.";

const inVain = "> /dev/null 2>&1";

/** What it does, and the Failure that comes of it. By day each limit is reached in one way. */
type Row = [title: string, script: string, failure: Partial<Report> | undefined];

const rows: Row[] = [
  ["a fork bomb", `f() { f | f & }; while :; do f ${inVain}; done`, { reason: tooMany }],
  ["processes that stay", `while :; do sleep 60 & done`, { reason: tooMany }],
  [
    "threads that stay",
    "BUN_BE_BUN=1 LD_LIBRARY_PATH=/cub /cub/cub run /app/threads.ts",
    { reason: tooMany },
  ],
  [
    "a file that is larger than its disk, of which it takes nothing",
    "exec truncate -s 1G /workspace/large",
    { reason: expect.stringContaining("File size limit exceeded") },
  ],
  [
    "a file that takes more than its disk",
    "exec head -c 1G /dev/zero > /workspace/large",
    // Whichever is first: the system's limit of one file, or the cub's of all.
    { reason: expect.stringMatching(/File size limit exceeded|too much in \/workspace/) },
  ],
  [
    "many files, in a folder that its owner may not list",
    "mkdir /workspace/a && cd /workspace/a && chmod 300 . && while :; do n=$((n+1)); head -c 4M /dev/zero > $n; done",
    {
      reason:
        "The run was ended because there is too much in /workspace: `resources.limits.disk` allows 64 MiB.",
    },
  ],
  [
    "many files, below a name that is not UTF-8",
    'cd /workspace; d=$(printf \'\\377\\376\'); mkdir "$d"; cd "$d"; while :; do n=$((n+1)); head -c 4M /dev/zero > $n; done',
    {
      reason:
        "The run was ended because there is too much in /workspace: `resources.limits.disk` allows 64 MiB.",
    },
  ],
  [
    "open files, in a folder that its owner may list and not enter",
    "mkdir /workspace/a && cd /workspace/a && exec 5>5 6>6 7>7 8>8 && chmod 400 . && " +
      "for f in 5 6 7 8; do head -c 30M /dev/zero >&$f; sleep 0.5; done; sleep 120",
    {
      reason:
        "The run was ended because there is too much in /workspace: `resources.limits.disk` allows 64 MiB.",
    },
  ],
  [
    "open files without a name",
    "cd /workspace && exec 5>5 6>6 7>7 8>8 && rm 5 6 7 8 && for f in 5 6 7 8; do head -c 30M /dev/zero >&$f; sleep 0.5; done; sleep 120",
    {
      reason:
        "The run was ended because there is too much in /workspace: `resources.limits.disk` allows 64 MiB.",
    },
  ],
  [
    "its folder of the exchange",
    "cd /git/exchange/greedy && while :; do n=$((n+1)); head -c 4M /dev/zero > $n; done",
    {
      reason: expect.stringContaining(
        "too much in the exchange (.git/sett/exchange of the repository, folder greedy)",
      ),
    },
  ],
  [
    "memory",
    "head -c 2G /dev/zero | tail > /dev/null",
    {
      reason:
        "The run was ended because it needed more memory than `resources.limits.memory` allows, which is 320 MiB.",
    },
  ],
  [
    "memory by way of /tmp",
    "set -e; for n in $(seq 40); do head -c 32M /dev/zero > /tmp/$n; done",
    { reason: expect.stringContaining("No space left on device") },
  ],
  [
    "ten gigabytes of output",
    "exec 2>&1; head -c 10G /dev/zero",
    { reason: expect.stringContaining("more than 32 MiB to stderr") },
  ],
  [
    "ten thousand files",
    "mkdir d; cd d; for n in $(seq 10000); do : > $n; done; ls | wc -l",
    undefined,
  ],
  [
    "as many processes as it may have, all at work for longer than its lease",
    'for n in $(seq 190); do while :; do :; done & all="$all $!"; done; sleep 20; kill $all',
    undefined,
  ],
  ["open files", "test $(ulimit -Hn) = 4096; test $(ulimit -c) = 0", undefined],
];
const daily = [
  "a fork bomb",
  "a file that takes more than its disk",
  "memory",
  "ten gigabytes of output",
];

test.each(rows.filter(([title]) => isNight || daily.includes(title)))(
  "%s",
  async (_, script, expected) => {
    const report = await reportOf(script);
    if (expected === undefined) expect(report).toBeUndefined();
    else expect(report).toMatchObject(expected);
  },
);

nightly("what the Engine starts beside a run does not count, such as health checks", async () => {
  const goal = await sett.forage("greedy: for n in $(seq 180); do sleep 4 & done; wait");
  const begun = async () =>
    (await $`docker exec ${container()} sh -c ${"ls /proc | grep -c '^[0-9]'"}`.text()).trim();
  await waitFor("its processes", async () => Number(await begun()) > 180);
  for (let checks = 0; checks < 5; checks++)
    await $`docker exec ${container()} /cub/cub --healthcheck`.quiet();
  const end = async () =>
    (await sett.artefacts(goal)).find(({ structural_type }) => structural_type !== "Standard");
  expect((await waitFor("the end", end)).structural_type).toBe("Terminal");
});

test("after all this it works on, in the same container, with an empty working copy", async () => {
  expect(
    await reportOf(
      "test -z \"$(ls /workspace | grep -vE '^(agents|sett.yml)$')\"; test $(ls /proc | grep -c '^[0-9]') -lt 20",
    ),
  ).toBeUndefined();
  const count = "{{.RestartCount}}";
  for (const part of ["redis", "orchestrator", "agent-greedy", "agent-honest"]) {
    expect([
      part,
      (await $`docker inspect --format ${count} sett-${sett.name}-${part}`.text()).trim(),
    ]).toEqual([part, "0"]);
  }
});
