// A grant attacks the folders of its agent's container, so that the next one, a bid or the agent as
// a whole suffers from it.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Finding } from "../../apps/cli/facts/finding.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(600_000);

/**
 * Does what the goal says, and answers with what that has written; nothing of its own is in a file.
 */
const runner = `goal=$(jq -r .target_artefact.payload)
out=$(sh -c "$goal" 2>&1 < /dev/null)
jq -n --arg text "$out" '{structural_type: "Terminal", artefact_type: "Done", artefact_payload: $text, summary: ""}'
`;

/** Reads the goal from a file, and keeps its word in another one. */
const bidCommand = `jq -r .payload > "$TMPDIR/payload" && mktemp > /dev/null && echo exclusive`;

/** Sets, or removes, what the owner of a file may set; says which calls have worked. */
const attributesProgram = `
import { dlopen } from "bun:ffi";
import { openSync } from "node:fs";
const text = "cstring";
const { symbols } = dlopen("libc.so.6", {
  setxattr: { args: [text, text, "ptr", "u64", "i32"], returns: "i32" },
  lsetxattr: { args: [text, text, "ptr", "u64", "i32"], returns: "i32" },
  fsetxattr: { args: ["i32", text, "ptr", "u64", "i32"], returns: "i32" },
  removexattr: { args: [text, text], returns: "i32" },
  ioctl: { args: ["i32", "u64", "ptr"], returns: "i32" },
});
const [acl, user] = ["system.posix_acl_default", "user.left"].map((name) => Buffer.from(name + "\\0"));
// The owner, the group and all others may do nothing with new files.
const nothing = Buffer.from("0200000001000000ffffffff04000000ffffffff20000000ffffffff", "hex");
for (const folder of ["/workspace", "/git/exchange/one", "/tmp"]) {
  const [path, fd, flags] = [Buffer.from(folder + "\\0"), openSync(folder, "r"), new BigInt64Array(4)];
  const works = {
    get: symbols.ioctl(fd, 0x80086601n, flags),
    set: symbols.ioctl(fd, 0x40086602n, flags),
    highSet: symbols.ioctl(fd, 0xffffffff40086602n, flags),
    default: symbols.setxattr(path, acl, nothing, nothing.length, 0),
    link: symbols.lsetxattr(path, user, nothing, nothing.length, 0),
    open: symbols.fsetxattr(fd, user, nothing, nothing.length, 0),
    remove: symbols.removexattr(path, acl),
  };
  console.log(folder, Object.keys(works).filter((name) => works[name] === 0).join(" "));
}
`;

/** Looks like one that has ended: its first thread has, and another one goes on writing. */
const headlessProgram = `
import { dlopen } from "bun:ffi";
import { Worker, isMainThread } from "node:worker_threads";
import { writeFileSync } from "node:fs";
if (isMainThread) {
  const worker = new Worker(import.meta.path);
  await new Promise((resolve) => worker.once("message", resolve));
  const endThread = process.arch === "arm64" ? 93n : 60n;
  dlopen("libc.so.6", { syscall: { args: ["i64", "i64"], returns: "i64" } }).symbols.syscall(endThread, 0n);
} else {
  const { parentPort } = await import("node:worker_threads");
  parentPort.postMessage("begun");
  for (;;) {
    try { writeFileSync("/workspace/headless", "alive"); } catch {}
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
  }
}
`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent("one", runner),
    "agents/one/bid.sh": `#!/bin/sh\n${bidCommand}\n`,
    "agents/one/attributes.ts": attributesProgram,
    "agents/one/headless.ts": headlessProgram,
    "agents/one/Dockerfile":
      "FROM sett/agent-base:latest\nCOPY run.sh bid.sh attributes.ts headless.ts /app/\n",
    "folder/tracked": "tracked\n",
    "sett.yml": settYml({ one: `    workspace: { mode: rw }\n    bid_command: ["/app/bid.sh"]\n` }),
  });
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

const container = () => `sett-${sett.name}-agent-one`;

/** Returns what the agent has written when it has done this. */
async function outputOf(...script: string[]): Promise<string> {
  const { id } = JSON.parse(
    await sett.need("forage", "--watch", "--json", "--goal", script.join("\n")),
  );
  return (await sett.artefacts(id)).find(({ type }) => type === "Done")?.payload ?? "";
}

/** A shell's way to write a name that is no UTF-8. */
const bytes = "$(printf '\\377\\376')";
const folders = "/tmp /dev/shm /dev/mqueue";
const left = `ls -A ${folders} | grep left; stat -c '%a %n' ${folders}`;
const clean = "1777 /tmp\n1777 /dev/shm\n1777 /dev/mqueue";

test.each(["0300", "0000", "0555"])(
  "a grant begins without what one has left that has made /tmp %s",
  async (mode) => {
    const program = `printf '#!/bin/sh\\ntouch /workspace/run\\n' > /tmp/left.sh; chmod 755 /tmp/left.sh`;
    const configure = "git config --global core.fsmonitor /tmp/left.sh; touch /dev/shm/left";
    expect(
      await outputOf(program, configure, `chmod ${mode} /tmp; ls -ld /dev/shm | cut -c1`),
    ).toBe("d");
    expect(await outputOf("git -C /workspace status --short; ls /workspace | grep run", left)).toBe(
      clean,
    );
  },
);

test("a bid is decided while a grant has closed /tmp, and finds nothing there that the grant has written", async () => {
  const goal = await sett.forage(
    "echo harm > ~/.left; chmod 0000 /tmp; while ! test -e /dev/shm/go; do sleep 0.05; done",
  );
  const isClosed = async () =>
    (await $`docker exec ${container()} stat -c %a /tmp`.nothrow().text()).trim() === "0";
  await waitFor("its work", isClosed, { everyMs: 50 });
  const next = await sett.forage("echo next");
  const bid = async () => (await sett.events(next)).find(({ type }) => type === "bid_placed");
  const placed = await waitFor("the bid", bid, {
    happened: async () => JSON.stringify(await sett.events(next)),
  });
  expect(JSON.stringify(placed)).toContain('"exclusive"');
  expect((await sett.events(goal)).some(({ type }) => type === "grant_done")).toBe(false);
  await $`docker exec ${container()} touch /dev/shm/go`;
  const last = async () => (await sett.artefacts(next)).find(({ type }) => type === "Done");
  expect((await waitFor("the result", last)).payload).toBe("next");
});

test("names that are no UTF-8 go as all others do, from memory, the working copy and the exchange", async () => {
  const places = ["/tmp", "/dev/shm", "/workspace", "/git/exchange/one"];
  const made = places.flatMap((place) => [
    `touch "${place}/left${bytes}"`,
    ...[`mkdir "${place}/${bytes}left"`, `echo left > "${place}/${bytes}left/${bytes}"`],
  ]);
  const close = 'chmod 0 "$PLACE/$NAME"'.replace("$NAME", `${bytes}left`);
  const closed = places.map((place) => close.replace("$PLACE", place));
  expect(await outputOf(...made, ...closed)).toBe("");
  expect(await outputOf(`ls -A ${places.join(" ")} | grep left; true`)).toBe("");
  const exchange = join(sett.folder, ".git/sett/exchange", sett.name, "one");
  expect((await readdir(exchange)).filter((name) => !name.endsWith(".pack"))).toEqual([]);
});

test("what is hidden in folders of the working copy goes, and tracked ones have their modes again", async () => {
  const dig =
    "cd /workspace/folder; mkdir -p sub/in; touch left sub/left sub/in/left; chmod 0500 sub/in; chmod 0300 sub";
  expect(await outputOf(dig, "chmod 0600 tracked; chmod 0300 /workspace/folder")).toBe("");
  const look =
    "cd /workspace; ls -A folder; stat -c '%a %n' folder folder/tracked; touch folder/new";
  expect(await outputOf(look)).toBe("tracked\n755 folder\n644 folder/tracked");
});

const bun = "BUN_BE_BUN=1 LD_LIBRARY_PATH=/cub /cub/cub run";

test("a process whose first thread has ended is ended with its grant", async () => {
  const start = `setsid env ${bun} /app/headless.ts > /dev/null 2>&1 &`;
  const look =
    "for s in /proc/[0-9]*/status; do grep -q '^State:.Z' $s && grep -q '^Threads:.[2-9]' $s && echo headless; done";
  const wait = `until test -s /workspace/headless && ( ${look} ) 2>/dev/null | grep -q headless; do sleep 0.05; done`;
  expect(await outputOf(start, wait, "cat /workspace/headless")).toBe("alive");
  expect(
    await outputOf("rm -f /workspace/headless; sleep 0.3; ls /workspace | grep headless; true"),
  ).toBe("");
});

test("no attribute, access control list or flag can be set that a folder would keep", async () => {
  const output = await outputOf(`${bun} /app/attributes.ts`);
  expect(output).toMatch(/^\/workspace( get)?\n\/git\/exchange\/one( get)?\n\/tmp( get)?$/);
});

test("programs that copy files with all that they have go on without attributes", async () => {
  const copy = [
    "set -e; cd /workspace; mkdir -p from/in; echo text > from/in/file; ln -s file from/in/link; chmod 0750 from/in",
    "cp -a from to; cp -a from /tmp/from; cp -pr from/in/file /tmp/file; cp --preserve=all -r from /dev/shm/from; mv /tmp/from other",
    "install -d -m 0700 made; install -m 0600 from/in/file made/file; sed -i s/text/other/ to/in/file; mkdir -m 0711 narrow",
    "if command -v tar > /dev/null; then tar -cf - from | (mkdir out && cd out && tar -xpf - && ls from/in); else ls other/in; fi",
    "stat -c '%a %n' to/in other/in made made/file narrow; cat to/in/file",
  ];
  expect(await outputOf(...copy)).toBe(
    "file\nlink\n750 to/in\n750 other/in\n700 made\n600 made/file\n711 narrow\nother",
  );
});

/** As root of this machine, which alone can make something that its owner cannot remove. */
const processOf = async () =>
  (await $`docker inspect --format ${"{{.State.Pid}}"} ${container()}`.text()).trim();
const canLock = async (path: string) =>
  (await $`chattr +i ${path}`.nothrow().quiet()).exitCode === 0;

test("where something cannot be removed no grant begins: the container starts again without it", async () => {
  const memory = `/proc/${await processOf()}/root/tmp`;
  const goal = sett.need(
    "forage",
    "--watch",
    "--goal",
    "touch /tmp/left /dev/shm/left; while ! test -e /dev/shm/go; do sleep 0.05; done",
  );
  await waitFor(
    "its work",
    async () => (await $`docker exec ${container()} test -e /tmp/left`.nothrow()).exitCode === 0,
  );
  const isLocked = await canLock(`${memory}/left`);
  await $`docker exec ${container()} touch /dev/shm/go`;
  await goal;
  if (!isLocked) return;
  expect(await outputOf(left)).toBe(clean);
  expect(
    (await $`docker inspect --format ${"{{.RestartCount}}"} ${container()}`.text()).trim(),
  ).toBe("1");
  expect(await $`docker logs ${container()} 2>&1`.text()).toContain(
    "What was left in the container cannot be removed:",
  );
});

test("an agent whose folder of the exchange cannot be emptied fails each grant, says so, and `sett doctor` names what is in it", async () => {
  const folder = join(sett.folder, ".git/sett/exchange", sett.name, "one");
  const health = async () =>
    await $`docker exec ${container()} /cub/cub --healthcheck`.nothrow().quiet().text();
  expect(await outputOf("true")).toBe("");
  expect(await health()).toBe("");
  await $`docker exec ${container()} touch /git/exchange/one/left`;
  if (!(await canLock(join(folder, "left")))) return;
  try {
    const goal = await sett.forage("true");
    const failure = async () =>
      (await sett.artefacts(goal)).find(({ structural_type }) => structural_type === "Failure");
    expect((await waitFor("the Failure", failure)).payload).toContain("/git/exchange/one/left");
    expect(await health()).toMatch(/^The agent's folder of the exchange cannot be emptied: .*left/);
    const { out } = await sett.sett("doctor", "--name", sett.name, "--json");
    const { findings }: { findings: Finding[] } = JSON.parse(out);
    const ofExchange = findings.filter(({ check }) => check === "exchange");
    expect(ofExchange).toMatchObject([
      { subject: "agent one", found: expect.stringContaining("was not published: left") },
    ]);
  } finally {
    await $`chattr -i ${join(folder, "left")}`;
  }
  expect(await outputOf("ls -A /git/exchange/one | grep left; true")).toBe("");
  expect(await health()).toBe("");
});
