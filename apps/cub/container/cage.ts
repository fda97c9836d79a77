// The proof that a container confines the agent's commands. The cub tries what should be refused
// before it takes work, which costs a start a few milliseconds beside connecting.
import { connect } from "node:net";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { sleep as pause } from "../../../lib/async/sleep.ts";
import { type Git, tryGit } from "../../../lib/git/run/run-git.ts";
import type { Cage } from "../../../lib/model/cage.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import { type Excess, lowerOwnLimits } from "../../../lib/process/own-limits.ts";
import { closeToOthers, hasWayTo } from "../../../lib/process/process-one.ts";

/** A network is closed a moment after a container has started, where another program does so. */
const patienceMs = 1_000;
/** That of a cluster does so within seconds of a pod's start, and later on a busy node. */
const policyMs = 5_000;
const tryEveryMs = 25;
const lookEveryMs = 500;

/** A file of process 1 that everybody may read shows that the look itself works. */
const open = "status";
const closed = ["environ", "mem", "maps", "auxv"];

/**
 * Addresses for documentation, which no machine has, and where clouds tell a machine its
 * credentials.
 */
const outside = new Map<string, readonly number[]>([
  ["192.0.2.1", [192, 0, 2, 1]],
  ["169.254.169.254", [169, 254, 169, 254]],
  ["2001:db8::1", [0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), 1]],
]);

type Environment = Readonly<Record<string, string | undefined>>;

export class CageProof {
  readonly #cage: Cage;
  readonly #git: Git;
  readonly #environment: Environment;
  readonly #isForgotten: boolean;
  #problem: string | undefined = "It has not been tried yet.";

  /**
   * `git`: a program of the same user that looks at the cub from outside. `environment`: the whole
   * one of the cub. `isForgotten`: nothing of the cub's password is in its arguments.
   */
  constructor(cage: Cage, git: Git, environment: Environment, isForgotten = true) {
    this.#cage = cage;
    this.#git = git;
    this.#environment = environment;
    this.#isForgotten = isForgotten;
  }

  /** A sentence about what does not hold; undefined where commands are confined. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Resolves once another call of `prove` has found nothing, or with `stop`. */
  async untilProven(stop: AbortSignal, onLook: () => void): Promise<void> {
    while (this.#problem !== undefined && !stop.aborted) {
      onLook();
      await pause(lookEveryMs, stop);
    }
  }

  /** Tries all of it. Never rejects. */
  async prove(): Promise<void> {
    try {
      await closeToOthers();
      const { network, limits } = this.#cage;
      const [excess, ...found] = await Promise.all([
        lowerOwnLimits({ ...limits, coreBytes: 0 }),
        whatOthersRead(this.#git, process.pid),
        network === "none" ? whatIsReached() : undefined,
        network === "policies" ? whatPoliciesLeave(this.#environment) : undefined,
      ]);
      const shown = this.#isForgotten
        ? undefined
        : "A command could read what the cub was started with.";
      this.#problem =
        shown ?? found.find((each) => each !== undefined) ?? excess.map(sentenceOf)[0];
    } catch (error) {
      this.#problem = `It cannot be tried whether the container confines commands: ${messageOf(error)}`;
    }
  }
}

/** Has another process of this user open files of the process. */
export async function whatOthersRead(git: Git, pid: number): Promise<string | undefined> {
  const folder = `/proc/${pid}`;
  const args = ["grep", "--no-index", "--files-without-match", "-e", "", "--", open, ...closed];
  const { stdout, stderr } = await tryGit(git, { args, cwd: folder });
  const read = stdout.split("\n").filter((line) => line !== "");
  if (!read.includes(open)) throw new Error(stderr.trim() || `nothing of ${folder} can be read`);
  const [first] = read.filter((name) => name !== open);
  return first && `A command could look into the cub: another process has read ${folder}/${first}.`;
}

/** Without its compiler, which an option of its engine switches off, Bun calls no libc. */
const noLibc =
  "the cub cannot ask the kernel for a way to a network. Does the image, or `environment` in sett.yml, set a variable `BUN_JSC_…`?";

async function whatIsReached(): Promise<string | undefined> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    const reached: string[] = [];
    for (const [address, bytes] of outside) {
      const hasWay = await hasWayTo(bytes);
      if (hasWay === undefined) throw new Error(noLibc);
      if (hasWay) reached.push(address);
    }
    if (reached.length === 0) return undefined;
    if (performance.now() >= endMs)
      return `A command could reach a network, which its agent does not have: there is a way to ${reached[0]}.`;
    await sleep(tryEveryMs);
  }
}

/** A packet that a policy drops has no answer, and in a cluster all else has one at once. */
const answerMs = 500;

/**
 * Policies refuse the API server to agents, and it is where any pod of any cluster finds it.
 * `env`: what a cluster gives each pod. Exported for its test.
 */
export async function whatPoliciesLeave(
  env: Environment,
  limitMs = policyMs,
): Promise<string | undefined> {
  const { KUBERNETES_SERVICE_HOST: host = "", KUBERNETES_SERVICE_PORT: port = "" } = env;
  if (host === "" || port === "") throw new Error("no variable names the cluster's API server");
  const endMs = performance.now() + limitMs;
  while (await answers({ host, port: Number(port) })) {
    if (performance.now() >= endMs)
      return "A command could reach the cluster's API server: no network plug-in enforces policies. `accept_open_network: true` below `kubernetes` in sett.yml accepts that.";
    await sleep(tryEveryMs);
  }
  return undefined;
}

/** Whether a connection is accepted there. */
async function answers(place: { host: string; port: number }): Promise<boolean> {
  const socket = connect({ ...place, timeout: answerMs });
  try {
    return await new Promise((resolve) => {
      socket.once("connect", () => resolve(true));
      socket.once("timeout", () => resolve(false));
      // A policy may reject what others drop, as a refused connection too.
      socket.once("error", () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

function sentenceOf({ name, allowed, inForce }: Excess): string {
  const now = Number.isFinite(inForce) ? inForce : "unlimited";
  return `The limit of a command's ${name} is ${now}, and should be ${allowed}.`;
}
