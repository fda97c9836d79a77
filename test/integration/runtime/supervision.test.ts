// Shows what only processes of this machine can get wrong: pids that are given out again,
// supervisors that die, children that hide.
import { expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { AgentName } from "../../../lib/model/ids.ts";
import { identify, isAlive, sendSignal } from "../../../lib/process/process-id.ts";
import { workspaceVolumeName } from "../../../lib/runtime/names.ts";
import { type ProcessState, readState } from "../../../lib/runtime/process/registry.ts";
import { processRuntime } from "../../../lib/runtime/process/runtime.ts";
import { canRunUnprivileged, runAsContainerUser } from "../../support/git/unprivileged.ts";
import { type ProcessInstance, processInstance } from "../../support/process/process-instance.ts";
import { root } from "../../support/root.ts";
import { waitFor } from "../../support/wait-for.ts";

const agent = AgentName.parse("coder");
/** Says its pid, and that of a child in a session of its own; what it is then waits. */
const withHiddenChild = "setsid sleep 300 & echo $$ $!; wait";

function stateOf(sett: ProcessInstance, id: string): ProcessState & { state: "running" } {
  const state = readState(join(sett.folder, "processes", id));
  if (state?.state !== "running") throw new Error(`${id} does not run: ${state?.state}`);
  return state;
}

async function firstLine(sett: ProcessInstance, id: string): Promise<string> {
  for await (const { line } of sett.runtime.observe.logs(id, { follow: true })) return line;
  throw new Error(`${id} has said nothing.`);
}

test("a process is not confused with another that has its number", async () => {
  const child = spawn("sleep", ["600"]);
  const id = identify(child.pid ?? 0);
  if (id === undefined) throw new Error("It does not run.");
  const another = { ...id, born: `${id.born}0` };
  expect(isAlive(id)).toBe(true);
  expect(isAlive(another)).toBe(false);
  expect(sendSignal(another, "SIGKILL")).toBe(false);
  expect(child.exitCode ?? child.signalCode).toBeNull();
  expect(sendSignal(id, "SIGKILL")).toBe(true);
  await once(child, "exit");
  expect(isAlive(id)).toBe(false);
});

test("a process that has ended, and is a zombie, counts as gone", async () => {
  // A shell that becomes a sleep reaps no child.
  const parent = spawn("sh", ["-c", "sleep 0.01 & echo $!; exec sleep 600"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [said] = await once(parent.stdout, "data");
  await waitFor("the child to end", () => identify(Number(String(said).trim())) === undefined);
  expect(existsSync(`/proc/${String(said).trim()}`)).toBe(true);
  parent.kill("SIGKILL");
});

test("a process outlives the process that started it, and its supervisor does too", async () => {
  await using sett = await processInstance();
  const { id } = await sett.run("sleep 600");
  const { supervisor, child } = stateOf(sett, id);
  const sessionOf = async (pid: number) =>
    (await Bun.file(`/proc/${pid}/stat`).text()).split(") ")[1]?.split(" ")[3];
  expect(await sessionOf(supervisor.pid)).toBe(String(supervisor.pid));
  expect(await sessionOf(child?.pid ?? 0)).toBe(String(child?.pid));
});

test("what a crash leaves behind is killed before the next start, however well it hides", async () => {
  await using sett = await processInstance();
  const { find, logs } = sett.runtime.observe;
  const { id } = await sett.run(withHiddenChild, { restart: "unless-stopped" });
  const [pid, hidden] = (await firstLine(sett, id)).split(" ").map(Number);
  const leftBehind = identify(hidden ?? 0);
  expect(leftBehind).toBeDefined();
  process.kill(pid ?? 0, "SIGKILL");
  await waitFor("the restart", async () => (await find(id))?.restarts === 1);
  expect(leftBehind && isAlive(leftBehind)).toBe(false);
  const lines = new Set<string>();
  for await (const { line } of logs(id, { follow: true })) if (lines.add(line).size === 2) break;
});

test("stopping takes along what was left behind", async () => {
  await using sett = await processInstance();
  const { id } = await sett.run(`trap 'exit 0' TERM; ${withHiddenChild}`);
  const hidden = identify(Number((await firstLine(sett, id)).split(" ")[1]));
  await sett.runtime.apply.stop(id, 10);
  expect(hidden && isAlive(hidden)).toBe(false);
});

test("a process whose supervisor was killed runs on, is shown as unsupervised, and can be stopped", async () => {
  await using sett = await processInstance();
  const { find } = sett.runtime.observe;
  const { stop } = sett.runtime.apply;
  const { id } = await sett.run("sleep 600", { restart: "unless-stopped" });
  const { supervisor, child } = stateOf(sett, id);
  sendSignal(supervisor, "SIGKILL");
  await waitFor("the supervisor to be gone", () => !isAlive(supervisor));
  expect(await find(id)).toMatchObject({ state: { state: "unsupervised" } });
  await stop(id, 10);
  expect(child && isAlive(child)).toBe(false);
  expect(await find(id)).toMatchObject({ state: { state: "exited", exitCode: 137 } });
});

test("a container of which no process is left, as after a restart of the machine, has exited, and can be started again", async () => {
  await using sett = await processInstance();
  const { find } = sett.runtime.observe;
  const { startAgain } = sett.runtime.apply;
  const { id } = await sett.run("sleep 600", { restart: "unless-stopped" });
  const { supervisor, child } = stateOf(sett, id);
  sendSignal(supervisor, "SIGKILL");
  if (child !== undefined) sendSignal(child, "SIGKILL");
  await waitFor("both to be gone", async () => (await find(id))?.state.state === "exited");
  await startAgain(id);
  expect(await find(id)).toMatchObject({ restarts: 0, state: { state: "running" } });
});

test("a supervisor that cannot begin is an error with its words, and the name is free again", async () => {
  await using sett = await processInstance();
  const broken = processRuntime(
    { folder: sett.folder, supervisor: ["sh", "-c", "echo no such luck >&2; exit 3"] },
    process.env,
  );
  const spec = {
    name: sett.name("redis"),
    image: "",
    labels: sett.labels({ component: "redis" }),
    entrypoint: ["true"],
    env: {},
    mounts: [],
    capabilities: "none" as const,
    restart: "no" as const,
  };
  const failure = await broken.apply.start(spec).catch((error) => error);
  expect(failure).toMatchObject({ code: "process-failed" });
  expect(failure.message).toContain("no such luck");
  expect(await readdir(join(sett.folder, "processes"))).toEqual([]);
  await sett.run("true", { name: sett.name("redis") });
});

test("a name that was left behind, without its process, is free", async () => {
  await using sett = await processInstance();
  const { id } = await sett.run("sleep 600", { name: sett.name("redis") });
  await sett.runtime.apply.stop(id, 1);
  await rm(join(sett.folder, "processes", id), { recursive: true });
  const next = await sett.run("sleep 600", { name: sett.name("redis") });
  expect(await sett.runtime.observe.find(sett.name("redis"))).toMatchObject({ id: next.id });
});

test("a variable and the folder that name a mount's target name its source instead; nothing else does", async () => {
  await using sett = await processInstance();
  const volume = workspaceVolumeName(sett.instance, agent);
  await sett.runtime.apply.makeVolume({
    name: volume,
    labels: sett.labels({ component: "workspace", agent }),
  });
  const { id } = await sett.run('pwd; echo "$SETT_WORKSPACE_DIR $LIKE_IT $SOURCES"', {
    env: { SETT_WORKSPACE_DIR: "/workspace", LIKE_IT: "/workspace/more", SOURCES: "/git" },
    workingDir: "/workspace",
    mounts: [
      { kind: "volume", volume, target: "/workspace", access: "rw" },
      { kind: "bind", path: "/usr/share", target: "/git", access: "ro" },
      { kind: "tmpfs", target: "/tmp", sizeBytes: 1 },
    ],
  });
  await sett.runtime.workers.wait(id);
  const lines: string[] = [];
  for await (const { line } of sett.runtime.observe.logs(id)) lines.push(line);
  const folder = join(sett.folder, "volumes", volume);
  expect(lines).toEqual([folder, `${folder} /workspace/more /usr/share`]);
});

test("a process has a folder for secrets that only its user can read, which stays while it starts again and goes with it", async () => {
  await using sett = await processInstance();
  const { id } = await sett.run(
    'cat "$KEYS/one" || { umask 077; echo key > "$KEYS/one"; echo "$KEYS"; exit 1; }; exec sleep 600',
    {
      env: { KEYS: "/keys" },
      restart: "unless-stopped",
      mounts: [{ kind: "secrets", target: "/keys", sizeBytes: 1 }],
    },
  );
  const lines = await waitFor("two runs", async () => {
    const found: string[] = [];
    for await (const { stream, line } of sett.runtime.observe.logs(id))
      if (stream === "stdout") found.push(line);
    return found.length === 2 ? found : undefined;
  });
  const [folder = "", key] = lines;
  expect(key).toBe("key");
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  await sett.runtime.apply.remove(id);
  await expect(stat(folder)).rejects.toThrow("no such file");
});

test("a process gets what every process gets, and nothing else from its parent's environment", async () => {
  await using sett = await processInstance();
  const { id } = await sett.run("env", { env: { GREETING: "hello = there" } });
  await sett.runtime.workers.wait(id);
  const lines: string[] = [];
  for await (const { line } of sett.runtime.observe.logs(id)) lines.push(line);
  expect(lines).toContain("GREETING=hello = there");
  const ofTheShell = ["PWD", "OLDPWD", "SHLVL", "_"];
  const names = lines
    .map((line) => line.split("=")[0] ?? "")
    .filter((name) => !ofTheShell.includes(name));
  expect(names.sort()).toEqual(["GREETING", "PATH", "SETT_PART"]);
});

test("what may hold a password can be read by its owner alone", async () => {
  await using sett = await processInstance();
  const { id } = await sett.run("sleep 600", { env: { REDISCLI_AUTH: "secret" } });
  const folder = join(sett.folder, "processes", id);
  for (const file of await readdir(folder))
    expect((await stat(join(folder, file))).mode & 0o077).toBe(0);
  expect((await stat(folder)).mode & 0o077).toBe(0);
});

test.if(canRunUnprivileged())(
  "a volume is removed in which a tool took away its own right to write, by names that are no UTF-8 too",
  () => {
    const sources = join(root, "lib/runtime/process");
    // As a user who needs the rights.
    const script = `
    import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
    import { Registry } from "${sources}/registry.ts";
    import { makeVolume, removeVolume } from "${sources}/volumes.ts";
    const registry = new Registry(mkdtempSync("/tmp/sett-processes-"));
    await makeVolume(registry, { name: "v", labels: { instance: "demo", workspace: "", version: "", component: "blackboard" } });
    mkdirSync(registry.volumeFolder("v") + "/deep");
    writeFileSync(registry.volumeFolder("v") + "/deep/file", "");
    const named = Buffer.concat([Buffer.from(registry.volumeFolder("v") + "/deep/"), Buffer.from([0xff, 0xfe])]);
    mkdirSync(named);
    writeFileSync(Buffer.concat([named, Buffer.from("/file")]), "");
    for (const folder of [named, registry.volumeFolder("v") + "/deep"]) chmodSync(folder, 0o500);
    await removeVolume(registry, "v");
    console.log(readdirSync(registry.root + "/volumes").length);
    rmSync(registry.root, { recursive: true });`;
    expect(runAsContainerUser(process.execPath, ["-e", script])).toBe("0");
  },
);

test("what a process says does not fill the disk: the end of its log is kept, and a follower misses nothing", async () => {
  await using sett = await processInstance();
  const go = join(sett.folder, "go");
  // 600 lines of 10 kB at a time, when they are asked for.
  const { id } = await sett.run(`pad=$(printf '%010000d' 0)
    for chunk in 1 2 3 4 5; do
      until [ -e ${go}$chunk ]; do sleep 0.02; done
      for line in $(seq 600); do echo "$chunk $line $pad"; done
    done`);
  const seen: string[] = [];
  await writeFile(`${go}1`, "");
  for await (const { line } of sett.runtime.observe.logs(id, { follow: true })) {
    const said = line.split(" ").slice(0, 2).join(" ");
    seen.push(said);
    if (said.endsWith(" 600")) await writeFile(`${go}${Number(said[0]) + 1}`, "");
  }
  const all = [1, 2, 3, 4, 5].flatMap((chunk) =>
    Array.from({ length: 600 }, (_, line) => `${chunk} ${line + 1}`),
  );
  expect(seen).toEqual(all);

  const folder = join(sett.folder, "processes", id);
  const files = (await readdir(folder)).filter((file) => file.startsWith("log"));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(22 * 1024 * 1024);
  const kept: string[] = [];
  for await (const { line } of sett.runtime.observe.logs(id))
    kept.push(line.split(" ").slice(0, 2).join(" "));
  expect(kept.length).toBeGreaterThan(1_000);
  expect(kept).toEqual(all.slice(-kept.length));
}, 600_000);
