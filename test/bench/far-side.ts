// Measures what an Engine elsewhere, and reaching by TLS, cost beside an Engine's socket and
// sockets of the instance: in turn, on one machine, with the images there.
import { $ } from "bun";
import { startSshServer } from "../support/docker/ssh-server.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { median, rounded } from "./figures.ts";

const engine = process.env.DOCKER_HOST || "unix:///var/run/docker.sock";
const bids = "    bids:\n      - { on: GoalDefined, bid: exclusive }\n";
/** Says when it has begun, in nanoseconds since 1970. */
const tool = `at=$(date +%s%N)
jq -n --arg at "$at" '{artefact_type: "Begun", artefact_payload: $at, structural_type: "Terminal", summary: ""}'`;

type Sides = Record<"far" | "near", () => Promise<number>>;

/** `before`: a program \`sett\` of an earlier version, beside which this one is measured. */
export async function printFar(isQuick: boolean, before: string | undefined): Promise<void> {
  const rounds = isQuick ? 3 : 9;
  await printEngines(rounds);
  await printGoals(isQuick ? 20 : 200);
  if (before === undefined) return;
  await printPrograms(before, isQuick ? 20 : 60);
  await printUps(before, rounds);
}

async function printRow(name: string, floor: number, sides: Sides, rounds: number): Promise<void> {
  await sides.far();
  await sides.near();
  const [far, near]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    far.push(await sides.far());
    near.push(await sides.near());
  }
  const ratio = median(far.map((each, round) => each / (near[round] ?? Number.NaN)));
  const figures = `${rounded(ratio, 2)}  (${rounded(median(far), 1)} / ${rounded(median(near), 1)})`;
  console.log(`${name.padEnd(60)}${figures}, at most ${floor}`);
}

/** `up` and `doctor` through an sshd of this machine, beside its socket. */
async function printEngines(rounds: number): Promise<void> {
  await using sett = await SettWorkspace.create({
    ...scriptAgent("one", tool),
    "sett.yml": settYml({ one: bids }),
  });
  await sett.commit("Add a sett");
  await using ssh = await startSshServer(engine);
  const commandMs = async (env: Record<string, string>, ...words: string[]) => {
    sett.env = env;
    const began = performance.now();
    const { code, err } = await sett.sett(...words, "--name", sett.name);
    if (code !== 0) throw new Error(err);
    return performance.now() - began;
  };
  const down = async () => await sett.need("down", "--volumes", "--name", sett.name);
  const upMs = async (env: Record<string, string>) => {
    const tookMs = await commandMs(env, "up");
    await down();
    return tookMs;
  };
  const near = { DOCKER_HOST: engine };
  const ups = { far: () => upMs(ssh.env), near: () => upMs(near) };
  await printRow("up by ssh ÷ by the socket, ms", 1.5, ups, rounds);
  await sett.up();
  const doctor = {
    far: () => commandMs(ssh.env, "doctor"),
    near: () => commandMs(near, "doctor"),
  };
  await printRow("doctor by ssh ÷ by the socket, ms", 3, doctor, rounds);
}

/** From a goal's event to the first moment of its tool, with services by TLS and by sockets. */
async function printGoals(rounds: number): Promise<void> {
  const start = async (top: string) => {
    const sett = await SettWorkspace.create({
      ...scriptAgent("one", tool),
      "sett.yml": settYml({ one: bids }, top),
    });
    await sett.commit("Add a sett");
    await sett.up();
    return sett;
  };
  await using tls = await start("services: { reach: tls }\n");
  await using sockets = await start("");
  const toToolMs = async (sett: SettWorkspace) => {
    const goal = (await sett.need("forage", "--watch", "--goal", "Begin")).trim();
    const [posted] = await sett.events(goal);
    const begun = (await sett.artefacts(goal)).find(({ type }) => type === "Begun");
    return Number(begun?.payload) / 1e6 - Date.parse(posted?.time ?? "");
  };
  const sides = { far: () => toToolMs(tls), near: () => toToolMs(sockets) };
  await printRow("goal → tool by TLS ÷ by sockets, ms", 1.15, sides, rounds);
}

async function printPrograms(before: string, rounds: number): Promise<void> {
  const now = new URL("../../bin/sett", import.meta.url).pathname;
  const versionMs = (program: string) => async () => {
    const began = performance.now();
    await $`${program} --version`.quiet();
    return performance.now() - began;
  };
  const sides = { far: versionMs(now), near: versionMs(before) };
  await printRow("sett --version ÷ before, ms", 1.05, sides, rounds);
  const peakKb = (program: string) => async () => {
    const child = Bun.spawn([program, "--version"], { stdout: "ignore" });
    await child.exited;
    return (child.resourceUsage()?.maxRSS ?? 0) / 1_024;
  };
  const memory = { far: peakKb(now), near: peakKb(before) };
  await printRow("sett --version, memory ÷ before, KB", 1.05, memory, rounds);
  const bytes = (program: string) => async () => Bun.file(program).size / 1e6;
  await printRow("the program ÷ before, MB", 1.03, { far: bytes(now), near: bytes(before) }, 1);
}

/** Both run with sockets, on an Engine of this machine that has the images of both. */
async function printUps(before: string, rounds: number): Promise<void> {
  await using sett = await SettWorkspace.create({
    ...scriptAgent("one", tool),
    "sett.yml": settYml({ one: bids }),
  });
  await sett.commit("Add a sett");
  const upMs = (binary: string | undefined) => async () => {
    sett.binary = binary;
    const began = performance.now();
    const { code, err } = await sett.sett("up", "--name", sett.name);
    const tookMs = performance.now() - began;
    if (code !== 0) throw new Error(err);
    await sett.sett("down", "--volumes", "--name", sett.name);
    return tookMs;
  };
  const sides = { far: upMs(undefined), near: upMs(before) };
  await printRow("up with sockets ÷ before, ms", 1.05, sides, rounds);
}
