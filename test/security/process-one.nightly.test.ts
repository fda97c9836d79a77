// The cub is process 1 of its agent's container, and its command is the same user: what a command
// does to other processes does not reach it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/** Does what the goal says, and answers with what that has written. */
const runner = `work=$(cat)
printf '%s' "$work" | jq -r .target_artefact.payload > /tmp/goal.sh
sh /tmp/goal.sh < /dev/null > /tmp/out 2>&1
jq -n --rawfile text /tmp/out '{structural_type: "Terminal", artefact_type: "Done", artefact_payload: $text, summary: ""}'
`;

/** Calls of the kernel by their numbers on amd64 and arm64, for the two programs below. */
const callsOfKernel = `
import { dlopen, ptr } from "bun:ffi";
import { readdirSync } from "node:fs";
const isAmd64 = process.arch === "x64";
const { symbols } = dlopen("libc.so.6", { syscall: { args: ["i64", "i64", "i64", "i64", "i64", "i64", "i64"], returns: "i64" } });
export const call = (amd64, arm64, ...args) => Number(symbols.syscall(isAmd64 ? amd64 : arm64, ...[...args, 0, 0, 0, 0, 0, 0].slice(0, 6)));
export const tasks = () => readdirSync("/proc/1/task").map(Number);
export const at = (bytes) => Number(ptr(bytes));
`;

/**
 * Sends each signal to process 1 and its threads in each way there is, also when no further signal
 * may wait with its sender's name.
 */
const signals = `
import { openSync, writeSync } from "node:fs";
import { at, call, tasks } from "./calls.ts";

const info = new Int32Array(32);
const byFile = openSync("/proc/1", "r");
const pipe = new Int32Array(2);
call(293, 59, at(pipe), 0);
const [reading, writing] = pipe;
const [setOwner, setSignal, setFlags, async] = [8, 10, 4, 0o20000];

function sendAll(signal) {
  info.fill(0);
  info[0] = signal;
  info[2] = -1;
  call(62, 129, 1, signal);
  call(129, 138, 1, signal, at(info));
  const byProcess = call(434, 434, 1, 0);
  for (const target of [byProcess, byFile]) {
    call(424, 424, target, signal, 0, 0);
    call(424, 424, target, signal, at(info), 0);
  }
  if (byProcess >= 0) call(3, 57, byProcess);
  for (const thread of tasks()) {
    call(62, 129, thread, signal);
    call(200, 130, thread, signal);
    call(234, 131, 1, thread, signal);
    call(297, 240, 1, thread, signal, at(info));
  }
  // The kernel sends it to the owner of an end of a pipe, when there is something to read.
  call(72, 25, reading, setOwner, 1);
  call(72, 25, reading, setSignal, signal);
  call(72, 25, reading, setFlags, async);
  writeSync(writing, "x");
}

for (let signal = 1; signal <= 64; signal++) sendAll(signal);
// Each timer of this user's holds one of the places for signals that wait.
const timer = new Int32Array(1);
while (call(222, 107, 1, 0, at(timer)) === 0);
for (let signal = 1; signal <= 64; signal++) sendAll(signal);
console.log("sent");
`;

/**
 * Tries each change of process 1 and its threads, and prints a word for each that the kernel
 * accepted.
 */
const changes = `
import { readdirSync, writeFileSync } from "node:fs";
import { at, call, tasks } from "./calls.ts";

const idle = new Int32Array(1);
const attributes = new Int32Array(14);
[attributes[0], attributes[1]] = [56, 5];
const limit = new BigUint64Array([0n, 0n]);
const accepted = new Set();
const note = (what, answer) => answer === 0 && accepted.add(what);
for (const thread of tasks()) {
  note("policy idle", call(144, 119, thread, 5, at(idle)));
  note("policy batch", call(144, 119, thread, 3, at(idle)));
  note("attributes", call(314, 274, thread, at(attributes), 0));
  note("priority", call(141, 140, 0, thread, 19));
  note("priority of the group", call(141, 140, 1, thread, 19));
  note("io priority", call(251, 30, 1, thread, 3 << 13));
  note("io priority of the group", call(251, 30, 2, thread, 3 << 13));
  for (let resource = 0; resource < 16; resource++)
    if (resource !== 10) note("limit " + resource, call(302, 261, thread, resource, at(limit), 0));
  for (const file of ["oom_score_adj", "timerslack_ns", "autogroup", "comm", "coredump_filter", "sched", "clear_refs", "loginuid"])
    for (const place of ["/proc/" + thread + "/", "/proc/1/task/" + thread + "/"]) {
      try {
        writeFileSync(place + file, "1");
        accepted.add(file);
      } catch {}
    }
  call(203, 122, thread, 8, at(new BigUint64Array([1n])));
}
note("priority of the user", call(141, 140, 2, 0, 19));
note("io priority of the user", call(251, 30, 3, 0, 3 << 13));
const process = call(434, 434, 1, 0);
note("memory", call(440, 440, process, at(new BigUint64Array([0n, 4096n])), 1, 21, 0));
note("end of memory", call(448, 448, process, 0));
try {
  for (const group of readdirSync("/sys/fs/cgroup"))
    for (const file of ["cgroup.procs", "tasks"])
      try {
        writeFileSync("/sys/fs/cgroup/" + group + "/" + file, "1");
        accepted.add(group);
      } catch {}
} catch {}
console.log(JSON.stringify([...accepted]));
`;

/** It may change those of its own that programs need. */
const own = `
import { at, call } from "./calls.ts";
const limit = new BigUint64Array([100n, 100n]);
const zero = new Int32Array(1);
console.log(JSON.stringify([
  call(141, 140, 0, 0, 19), call(251, 30, 1, 0, 2 << 13), call(203, 122, 0, 8, at(new BigUint64Array([1n]))), call(144, 119, 0, 3, at(zero)),
  call(302, 261, 0, 7, at(limit), 0), call(302, 261, process.ppid, 7, 0, at(limit)), call(144, 119, process.pid, 0, at(zero)),
]));
`;

/** Takes what the kernel counts for a user, until it is refused. */
const shared = `
import { openSync } from "node:fs";
import { at, call } from "./calls.ts";
const timer = new Int32Array(1);
let timers = 0;
while (timers < 100_000 && call(222, 107, 1, 0, at(timer)) === 0) timers++;
console.log(timers);
try {
  openSync("/dev/mqueue/queue", "wx");
  console.log("made");
} catch {
  console.log("refused");
}
`;

/**
 * Opens as many connections as it may to each port of the loopback at which something listens, and
 * sends a part of a request by each.
 */
const crowd = `
import { readFileSync } from "node:fs";
import { connect } from "node:net";
const listening = "0A";
const rows = readFileSync("/proc/net/tcp", "latin1").split("\\n").slice(1).map((row) => row.trim().split(/\\s+/));
const ports = rows.flatMap(([, local = "", , state]) => (state === listening ? [Number.parseInt(local.split(":")[1], 16)] : []));
const ended = [];
for (const port of ports)
  for (let count = 0; count < 2_200 / ports.length; count++) {
    const socket = connect(port, "127.0.0.1");
    ended.push(new Promise((done) => socket.once("connect", done).once("close", done)));
    socket.on("error", () => {});
    socket.write("GET /healthz HTT");
  }
await Promise.all(ended);
console.log(ports.length > 0);
process.exit();
`;

/** Gives the cub the mark of a bid command. */
const mark = `
import { at, call } from "./calls.ts";
console.log(call(302, 261, 1, 10, at(new BigUint64Array([1000000n, 1000000n])), 0));
`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("runner", runner),
    "agents/runner/calls.ts": callsOfKernel,
    "agents/runner/signals.ts": signals,
    "agents/runner/changes.ts": changes,
    "agents/runner/own.ts": own,
    "agents/runner/mark.ts": mark,
    "agents/runner/shared.ts": shared,
    "agents/runner/crowd.ts": crowd,
    "agents/runner/Dockerfile": "FROM sett/agent-base:latest\nCOPY *.sh *.ts /app/\n",
    "sett.yml": settYml({ runner: "    bids: [{ on: GoalDefined, bid: exclusive }]\n" }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

const container = () => `sett-${sett.name}-agent-runner`;
const restarts = async () =>
  (await $`docker inspect --format ${"{{.RestartCount}}"} ${container()}`.text()).trim();

/** Returns what the runner has written when it has done this. */
async function outputOf(script: string): Promise<string> {
  const out = await sett.need("forage", "--watch", "--json", "--goal", script);
  return (
    (await sett.artefacts(JSON.parse(out).id))
      .find(({ type }) => type === "Done")
      ?.payload.trim() ?? ""
  );
}

const run = (program: string) =>
  `BUN_BE_BUN=1 LD_LIBRARY_PATH=/cub /cub/cub run /app/${program}.ts`;

test("no signal ends it, whichever way it is sent", async () => {
  expect(await outputOf(run("signals"))).toBe("sent");
  expect(await outputOf("echo alive")).toBe("alive");
  expect(await restarts()).toBe("0");
  expect(await $`docker logs ${container()}`.text()).not.toContain("Cub stopped");
});

test("connections to all ports in its container, more than it may have open files, do not end it", async () => {
  const crowds = `for each in 1 2; do ${run("crowd")} & done; wait`;
  expect(await outputOf(crowds)).toBe("true\ntrue");
  expect(await outputOf("echo alive")).toBe("alive");
  expect(await restarts()).toBe("0");
});

test("no limit, priority or setting of it can be changed, and its processors are set back", async () => {
  const look = "for t in /proc/1/task/*; do grep Cpus_allowed: $t/status; done | sort -u";
  const ofThreads = async () => (await $`docker exec ${container()} sh -c ${look}`.text()).trim();
  const before = await ofThreads();
  expect(await outputOf(run("changes"))).toBe("[]");
  // Processes that the cub starts next may use all processors.
  expect(await outputOf("grep Cpus_allowed: /proc/self/status")).toBe(before);
  await waitFor(
    "each of its threads on every processor",
    async () => (await ofThreads()) === before,
    { happened: ofThreads },
  );
});

test("commands, and all that they start, have processors after it, and cannot change that", async () => {
  const after = "until grep -q ') . [0-9]* [1-9].* 19 ' /proc/self/stat; do :; done";
  const nice = "awk '{ print $19 }' /proc/self/stat; awk '{ print $19 }' /proc/1/stat";
  const own = "nice -n -5 true 2>&1 | grep -c denied";
  expect(await outputOf(`${after}; setsid sh -c "${own}"; ${nice}`)).toBe("1\n19\n0");
});

test("a program may change its own", async () => {
  expect(await outputOf(run("own"))).toBe("[0,0,0,0,0,0,0]");
});

test("it leaves the person's programs timers, signals that wait, and message queues", async () => {
  const [timers = "", queue] = (await outputOf(run("shared"))).split("\n");
  // The timers of this user's other programs count as well.
  expect(Number(timers)).toBeLessThanOrEqual(1024);
  expect(queue).toBe("refused");
});

test("the one limit that can be changed, by which the cub knows bid commands, has the container start again", async () => {
  expect(await outputOf(run("mark"))).toBe("0");
  await waitFor("another run of the container", async () => (await restarts()) === "1");
  expect(await outputOf("grep -c 'file locks.*unlimited.*unlimited' /proc/1/limits")).toBe("1");
});

test("the Engine asks it to stop all the same", async () => {
  await $`docker stop --time 20 ${container()}`.quiet();
  expect(
    (await $`docker inspect --format ${"{{.State.ExitCode}}"} ${container()}`.text()).trim(),
  ).toBe("0");
  expect(await $`docker logs ${container()}`.text()).toContain("Cub stopped");
});
