// A command finds in its agent's container nothing of the cub's that it could read, and nothing
// that an earlier grant has left there.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { nightly } from "../support/nightly.ts";
import { type ContainerConfig, redisUrlIn } from "../support/security/login-of.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

/** Does what the goal says, and answers with what that has written. */
const runner = `work=$(cat)
printf '%s' "$work" | jq -r .target_artefact.payload > /tmp/goal.sh
sh /tmp/goal.sh < /dev/null > /tmp/out 2>&1
jq -n --rawfile text /tmp/out '{structural_type: "Terminal", artefact_type: "Done", artefact_payload: $text, summary: ""}'
`;

/** Bids after some seconds with a word that it has kept in a file meanwhile. */
const slowBid = 'file=$(mktemp); echo exclusive > "$file"; sleep 2; cat "$file"';

/**
 * Calls of the kernel that an agent's command may not make, by their numbers on amd64 and arm64;
 * the answer is -1 for each. Then those that it must be able to make: shared memory, whose segment
 * it leaves behind.
 */
const callsProgram = `
import { dlopen } from "bun:ffi";
const { symbols: { syscall, shmget } } = dlopen("libc.so.6", {
  syscall: { args: ["i64", "i64", "i64", "i64", "i64", "i64"], returns: "i64" },
  shmget: { args: ["i32", "u64", "i32"], returns: "i32" },
});
const newUserNamespace = 0x10000000;
const calls = {
  ptrace: [101, 117, 16, 1], process_vm_readv: [310, 270, 1], kcmp: [312, 272, 1, 1], unshare: [272, 97, newUserNamespace],
  setns: [308, 268, 0, 0], mount: [165, 40, 0, 0], keyctl: [250, 219, 0, -3, 1], userfaultfd: [323, 282, 0], bpf: [321, 280, 0, 0, 0],
  io_uring_setup: [425, 425, 1, 0], perf_event_open: [298, 241, 0, 0, -1, -1, 0], msgget: [68, 186, 0, 0o1600], semget: [64, 190, 0, 1, 0o1600],
  open_by_handle_at: [304, 265, 0, 0, 0], af_alg: [41, 198, 38, 5, 0], af_vsock: [41, 198, 40, 1, 0], af_packet: [41, 198, 17, 3, 0],
  netlink_audit: [41, 198, 16, 3, 9], clone: [56, 220, newUserNamespace | 17, 0, 0, 0, 0], personality: [135, 92, 8],
};
for (const [name, [amd64, arm64, ...args]] of Object.entries(calls)) {
  const answer = Number(syscall(process.arch === "x64" ? amd64 : arm64, ...[...args, 0, 0, 0, 0, 0].slice(0, 5)));
  if (answer === 0 && name === "clone") process.exit(1);
  if (answer !== -1) console.log(name, answer);
}
console.log("shared", shmget(0, 4096, 0o1600) >= 0);
`;

/**
 * Asks Linux for the cub as a debugger would, with the one program that every agent's container
 * has.
 */
const debuggerProgram = `
import { dlopen } from "bun:ffi";
const { symbols } = dlopen("libc.so.6", { ptrace: { args: ["i32", "i32", "ptr", "ptr"], returns: "i64" } });
console.log("attached", Number(symbols.ptrace(16, Number(process.argv[2]), null, null)));
`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("runner", runner),
    "agents/runner/debugger.ts": debuggerProgram,
    "agents/runner/calls.ts": callsProgram,
    "agents/runner/Dockerfile":
      "FROM sett/agent-base:latest\nCOPY run.sh debugger.ts calls.ts /app/\n",
    ...scriptAgent("bidder", runner),
    "sett.yml": settYml({ runner: "    bids: [{ on: GoalDefined, bid: exclusive }]\n" }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

const container = (agent: string) => `sett-${sett.name}-agent-${agent}`;

/** Returns what the runner has written when it has done this. */
async function outputOf(script: string): Promise<string> {
  const { out } = await sett
    .need("forage", "--watch", "--json", "--goal", script)
    .then((text) => ({ out: text }));
  return (
    (await sett.artefacts(JSON.parse(out).id)).find(({ type }) => type === "Done")?.payload ?? ""
  );
}

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

test("it cannot read the cub's environment, memory, files or program", async () => {
  const [uid] = linesOf(await outputOf("id -u; true"));
  expect(uid).toMatch(/^\d+$/);
  const names = ["environ", "mem", "maps", "auxv", "stack"].map((name) => `/proc/1/${name}`);
  const looks = [
    ...names.map((path) => `head -c 1 ${path}`),
    "ls /proc/1/fd",
    "ls /proc/1/cwd/",
    "readlink /proc/1/exe",
    "head -c 1 /cub/cub",
  ];
  const output = await outputOf(
    looks.map((look) => `${look} > /dev/null 2>&1 && echo "${look}: read"; true`).join("\n"),
  );
  expect(output).toBe("");
});

test("nor can it trace the cub, or end it", async () => {
  const output = await outputOf(
    "BUN_BE_BUN=1 /cub/cub run /app/debugger.ts 1; kill -KILL 1; kill -STOP 1; echo alive",
  );
  expect(linesOf(output)).toEqual(["attached -1", "alive"]);
  expect(
    (await $`docker inspect --format ${"{{.RestartCount}}"} ${container("runner")}`.text()).trim(),
  ).toBe("0");
});

test("it can make no call of the kernel that programs seldom need, and leaves no shared memory behind", async () => {
  const runCalls =
    "BUN_BE_BUN=1 LD_LIBRARY_PATH=/cub /cub/cub run /app/calls.ts; cat /proc/sysvipc/shm | wc -l";
  expect(linesOf(await outputOf(runCalls))).toEqual(["shared true", "2"]);
  expect(linesOf(await outputOf("cat /proc/sysvipc/shm | wc -l"))).toEqual(["1"]);
});

test("it finds no secret in any process, also while a health check starts and ends", async () => {
  const config: ContainerConfig = JSON.parse(
    await $`docker inspect --format ${"{{json .Config}}"} ${container("runner")}`.text(),
  );
  const secret = new URL(redisUrlIn(config)).password;
  expect(secret).toMatch(/^[0-9a-f]{64}$/);
  const variables = config.Env.join("\n");
  expect(variables).not.toContain(secret);
  const [half = ""] = /(?<=^SETT_LOGIN=)\S+/m.exec(variables) ?? [];
  const [, otherHalf = ""] = config.Entrypoint?.[1]?.split("=") ?? [];
  expect([half.length, otherHalf.length]).toEqual([128, 128]);
  // It watches until it has seen a check, and ten have been made.
  const watching = outputOf(`cd /dev/shm; touch ready seen
until test -e enough && grep -q "[-]-healthcheck" seen; do
  cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2> /dev/null | tr '\\0' '\\n' >> seen
done
sort seen | uniq -c`);
  const run = (...command: string[]) => $`docker exec ${container("runner")} ${command}`.quiet();
  const isWatching = async () =>
    (await run("test", "-e", "/dev/shm/ready").nothrow()).exitCode === 0;
  await waitFor("the watch", isWatching, { everyMs: 50 });
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  void watching.then(end, end);
  for (let checks = 1; !isOver; checks++) {
    await run("/cub/cub", "--healthcheck");
    if (checks === 10) await run("touch", "/dev/shm/enough");
  }
  const seen = await watching;
  expect(seen).toContain("SETT_AGENT_NAME=runner");
  // A program that is started from outside has one half in its environment, for the moment in which
  // that can be read: the watch may see it or not.
  expect(seen).toContain("--healthcheck");
  expect(seen).not.toContain(otherHalf);
  expect(seen).not.toContain(secret);
});

test("it can write to its working copy and to memory, and nowhere else", async () => {
  // The files that an image lets all users write to are read-only, too.
  const places =
    'for at in $(cut -d" " -f2 /proc/mounts) /var/tmp /app /run /home "$HOME"; do test -w "$at" && echo "$at"; done; true';
  const writable = linesOf(await outputOf(places)).filter(
    (place) => !/^\/(dev|proc)\//.test(place),
  );
  expect([...new Set(writable)].toSorted()).toEqual(["/tmp", "/workspace"]);
});

test("a grant begins without the processes and the files of the one before", async () => {
  const litter = [
    "setsid sleep 1001 > /dev/null 2>&1 < /dev/null &",
    "(setsid sh -c 'trap \"\" TERM HUP; (setsid sleep 1002 &) ; exec sleep 1003' > /dev/null 2>&1 < /dev/null &)",
    "setsid sh -c 'while :; do setsid sh -c \"sleep 0.01\" & sleep 0.005; done' > /dev/null 2>&1 < /dev/null &",
    "mkdir -p /tmp/left/deep /dev/shm/left && touch /tmp/left/deep/file /tmp/.hidden && ln -s /etc /tmp/link && chmod 000 /tmp/left",
    'touch "$HOME/.cached" "/tmp/left$(printf \'\\377\')"; sleep 0.5; echo littered; chmod 0300 /tmp',
  ];
  expect(linesOf(await outputOf(litter.join("\n")))).toEqual(["littered"]);
  const names =
    "for p in /proc/[0-9]*; do cat $p/comm; done 2> /dev/null | sort -u | tr '\\n' ' '; echo; ls -A /tmp /dev/shm /dev/mqueue; ls -A \"$HOME\"; ls /etc/passwd";
  const [processes = "", ...files] = linesOf(await outputOf(names));
  expect(
    processes
      .trim()
      .split(" ")
      // A health check, which the Engine runs, is runc before it is the cub.
      .filter(
        (name) =>
          !["cat", "cub", "run.sh", "sh", "sort", "tr"].includes(name) &&
          !name.startsWith("runc:["),
      ),
  ).toEqual([]);
  expect(files.filter((name) => /left|hidden|link|cached/.test(name))).toEqual([]);
  expect(files).toContain("/etc/passwd");
  // Nothing of them is left to the cub, which is process 1, either.
  await waitFor(
    "no zombies",
    async () => !/ Z/.test(await $`docker top ${container("runner")} -eo pid,state`.text()),
  );
});

nightly(
  "a process that is another one whenever it is looked for is ended all the same",
  async () => {
    // Each starts the next one in a session of its own, and ends.
    const fugitive = `export NEXT='setsid sh -c "$NEXT" &'; setsid sh -c "$NEXT" > /dev/null 2>&1 < /dev/null & sleep 0.3; echo begun`;
    expect(linesOf(await outputOf(fugitive))).toEqual(["begun"]);
    const newest = 'cat /proc/loadavg | cut -d" " -f5';
    const [one, other] = linesOf(await outputOf(`${newest}; sleep 1; ${newest}`)).map(Number);
    // Process numbers have hardly grown meanwhile.
    expect((other ?? Number.NaN) - (one ?? Number.NaN)).toBeLessThan(50);
  },
);

nightly(
  "an agent whose image needs it may write to its root, and keep what git ignores",
  async () => {
    const text = settYml({
      runner:
        "    writable_root: true\n    workspace: { keep: true }\n    bids: [{ on: GoalDefined, bid: exclusive }]\n",
    });
    expect(
      linesOf(await outputOf(`echo cache > /workspace/.git/info/exclude; touch /workspace/cache`)),
    ).toEqual([]);
    expect(await outputOf("ls /workspace/cache")).toContain("No such file");
    await sett.write({ "sett.yml": text, ".gitignore": "cache\n" });
    await sett.commit("Let the runner write");
    await sett.up();
    await outputOf("touch /var/tmp/left /workspace/cache /workspace/new");
    expect(
      linesOf(await outputOf("ls -d /var/tmp/left /workspace/cache /workspace/new; true")),
    ).toEqual([expect.stringContaining("No such file"), "/var/tmp/left", "/workspace/cache"]);
  },
);

nightly(
  "where the container has a network that its agent must not have, no work begins, and people see why",
  async () => {
    const name = container("runner");
    const hasState = async (word: string) =>
      new RegExp(`runner +runner +${word}`).test(await sett.need("status"));
    await $`docker network disconnect none ${name} && docker network connect bridge ${name} && docker restart ${name}`.quiet();
    await waitFor("the state", () => hasState("unconfined"), { everyMs: 200 });
    const goal = await sett.forage("echo it has run");
    const waits = async () => /does not confine it|not confined/.test(await sett.need("status"));
    await waitFor("the sentence about the goal", waits, { everyMs: 200 });
    // The Engine asks the same, and `sett doctor` shows its answer.
    const health = await $`docker exec ${name} /cub/cub --healthcheck`.quiet().nothrow();
    expect([health.exitCode, health.text()]).toEqual([
      1,
      expect.stringContaining("could reach a network"),
    ]);
    expect((await sett.events(goal)).map(({ type }) => type)).not.toContain("grant_started");
    // It begins by itself when it is confined again, without another start.
    await $`docker network disconnect bridge ${name}`.quiet();
    await waitFor("the work", async () =>
      (await sett.artefacts(goal)).some(({ payload }) => payload === "it has run\n"),
    );
    expect(await hasState("idle")).toBe(true);
  },
);

nightly("a bid that is decided meanwhile keeps its processes and its files", async () => {
  const text = settYml({ bidder: `    bid_command: ${JSON.stringify(["sh", "-c", slowBid])}\n` });
  await sett.write({ "sett.yml": text });
  await sett.commit("Bid slowly");
  await sett.up();
  // While the first is worked on and ends, the second's bid is decided.
  const first = await sett.forage("sleep 1; echo one");
  await waitFor("the first to be worked on", async () =>
    (await sett.events(first)).some(({ type }) => type === "grant_started"),
  );
  await sett.need("forage", "--watch", "--goal", "echo two");
  await waitFor("the first's result", async () =>
    (await sett.artefacts(first)).some(({ payload }) => payload === "one\n"),
  );
});
