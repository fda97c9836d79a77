// A `sett up` or `sett down` one of whose requests to the Engine fails: it ends, says why, and
// leaves nothing half-made.
//
// Here each way to fail happens once. With SETT_EACH_REQUEST each request fails in each way.
import { expect, setDefaultTimeout, test } from "bun:test";
import process from "node:process";
import { $ } from "bun";
import { exitCodes } from "../../lib/model/errors.ts";
import { InstanceName } from "../../lib/model/ids.ts";
import { dockerRuntime } from "../../lib/runtime/docker/runtime.ts";
import {
  type EngineProxy,
  type Fault,
  faults,
  startEngineProxy,
} from "../support/docker/engine-proxy.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

const isWhole = process.env.SETT_EACH_REQUEST === "1";

setDefaultTimeout(isWhole ? 4 * 3_600_000 : 600_000);

/**
 * The Engine may take so long for most requests. Beside other tests it needs seconds for an answer
 * that no fault delays; at night, where each request is held once, waiting is what would cost most.
 */
const patience = isWhole ? "5s" : "20s";
/**
 * Beyond what the slowest kind of request may take; most of it is for a machine that is busy with
 * other tests.
 */
const limitMs = 120_000;

class Scene implements AsyncDisposable {
  readonly proxy: EngineProxy;
  readonly sett: SettWorkspace;

  private constructor(proxy: EngineProxy, sett: SettWorkspace) {
    this.proxy = proxy;
    this.sett = sett;
  }

  static async open(): Promise<Scene> {
    const sett = await SettWorkspace.create({
      ...scriptAgent(
        "echo",
        `cat > /dev/null; echo '{"artefact_type":"Echo","artefact_payload":"","summary":""}'`,
      ),
      "sett.yml": settYml({ echo: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n" }),
    });
    await sett.commit("Add a sett");
    const proxy = await startEngineProxy();
    sett.env = { DOCKER_HOST: `unix://${proxy.path}`, SETT_DOCKER_TIMEOUT: patience };
    return new Scene(proxy, sett);
  }

  /**
   * One `sett up` that meets the fault. Throws where it does not end in time, says nothing, or
   * leaves something.
   */
  async meet(fault: Fault, nth: number, kind?: RegExp): Promise<"up" | "kept" | "left" | "undone"> {
    this.proxy.failOn(nth, fault, kind);
    const began = performance.now();
    const { code, err } = await this.sett.sett("up", "--name", this.sett.name);
    const isInTime = performance.now() - began < limitMs;
    this.proxy.failOn(0, fault);
    const seen = { fault, nth, kind: String(kind), err, code, isInTime };
    // All that `up` promises is done: what fails afterwards leaves a sett that works.
    const isKept = code === 1 && err.includes(`${this.sett.name} is up, but `);
    // An Engine that answers too late lets nothing be undone, and `up` says what does it later.
    const isLeft = /Not everything could be undone: The Docker Engine did not answer within/.test(
      err,
    );
    if (code === 0 || isKept || isLeft) await this.calmly(() => this.down());
    if (code !== 0 && !isKept)
      // A copy, since the comparison puts the pattern in the place of the text.
      expect({ ...seen }).toMatchObject({
        code: 1,
        // A build that the Engine refuses is as one of its Dockerfile, and the image is named.
        err: expect.stringMatching(
          /^sett: (?:.*(?:Docker|Engine).*[.:]|The image .* could not be built: .*)\n(?:.*\n)*? {2}→ \w/m,
        ),
      });
    expect(seen).toMatchObject({ isInTime: true });
    expect({ ...seen, left: await this.left() }).toMatchObject({ left: [] });
    return code === 0 ? "up" : isKept ? "kept" : isLeft ? "left" : "undone";
  }

  /**
   * One `sett down` that meets the fault, and the next one, which meets none and finishes. Throws
   * where the first does not end in time, or says nothing.
   */
  async meetOnTheWayDown(fault: Fault, nth: number): Promise<"down" | "again"> {
    await this.calmly(() => this.sett.up());
    this.proxy.failOn(nth, fault);
    const began = performance.now();
    const { code, err } = await this.sett.sett("down", "--name", this.sett.name, "--volumes");
    const isInTime = performance.now() - began < limitMs;
    this.proxy.failOn(0, fault);
    const seen = { fault, nth, err, code, isInTime };
    expect({ ...seen }).toMatchObject({ isInTime: true });
    if (code !== 0)
      expect({ ...seen }).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^sett: .*(?:Docker|Engine|proxy).*\n(?:.*\n)*? {2}→ \S/m),
      });
    // A request that is only slow is answered.
    if (fault === "delay") expect(seen).toMatchObject({ code: 0 });
    if (code !== 0) await this.calmly(() => this.down());
    expect({ ...seen, left: await this.left() }).toMatchObject({ left: [] });
    return code === 0 ? "down" : "again";
  }

  /**
   * What stays. The Engine removes a container by itself once it has ended, which may take a moment
   * after the connection of a lock, or after the last word of `up`.
   */
  async left(): Promise<string[]> {
    const named = async () =>
      (await $`docker ps --all --quiet --filter name=sett-${this.sett.name}.lock`.text()).trim();
    await waitFor("the end of the lock", async () => (await named()) === "");
    let left: string[] = [];
    await waitFor("the end of what the Engine removes", async () => {
      left = await this.sett.leftOvers();
      return left.length === 0;
    }).catch(() => undefined);
    return left;
  }

  /** The requests of a `sett up` and a `sett down` that meet no fault, in order, without names. */
  async kinds(): Promise<{ up: string[]; down: string[] }> {
    this.proxy.allowOnly([/./]);
    const { requests } = this.proxy;
    requests.length = 0;
    return await this.calmly(async () => {
      await this.sett.up();
      const up = requests.map(({ line }) => kindOf(line));
      requests.length = 0;
      await this.down();
      return { up, down: requests.map(({ line }) => kindOf(line)) };
    });
  }

  async down(): Promise<void> {
    await this.sett.need("down", "--name", this.sett.name, "--volumes", "--timeout", "1s");
  }

  /** Where no fault is met, the Engine of a busy machine may take its time. */
  async calmly<Value>(run: () => Promise<Value>): Promise<Value> {
    delete this.sett.env.SETT_DOCKER_TIMEOUT;
    const value = await run();
    this.sett.env.SETT_DOCKER_TIMEOUT = patience;
    return value;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.proxy.failOn(0, "error");
    await this.sett[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

/** `GET /images/…/json`. Containers are created for different ends, which their names tell. */
function kindOf(line: string): string {
  const [, end = ""] =
    /\/containers\/create\?name=\S*?(\.lock|\.idle-|-redis|-orchestrator|-agent-)\w*$/.exec(line) ??
    [];
  const [request = ""] = line.split("?");
  const path = request.replace(
    /\/(containers|images|volumes|networks)\/(?!create$|json$|[^/]+\/create$)(.+?)(\/(?:json|start|attach|archive))?$/,
    "/$1/…$3",
  );
  return end === "" ? path : `${path}?name=…${end}`;
}

function patternOf(kind: string): RegExp {
  const escaped = kind.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("…", "\\S+");
  return new RegExp(`^${escaped}${kind.includes("?") ? "\\w*" : "(?:\\?|$)"}`);
}

type Way = "meet" | "meetOnTheWayDown";

/** Has each request fail in each way, and returns what was not as it should be. */
async function sweep(scene: Scene, way: Way, kinds: readonly string[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const fault of [...faults, "delay", "stuck"] as const)
    for (const [before, kind] of kinds.entries()) {
      const nth = before + 1;
      const outcome = await scene[way](fault, nth).catch(async (error: unknown) => {
        await scene.sett.sett("down", "--name", scene.sett.name, "--volumes", "--timeout", "1s");
        wrong.push(`${fault} ${nth} ${kind}: ${Bun.stripANSI(String(error))}`);
        return "wrong";
      });
      console.log(fault, nth, kind, outcome);
    }
  return wrong;
}

test("an `up` a request of which fails ends in time, says why, and leaves nothing", async () => {
  await using scene = await Scene.open();
  const { up: kinds } = await scene.kinds();
  // All that is wrong is known at the end of the night, and not the first alone.
  if (isWhole) return expect(await sweep(scene, "meet", kinds)).toEqual([]);
  // Each fault at another moment: at the first there is little to undo, at the last nearly all.
  const outcomes: string[] = [];
  for (const [index, fault] of faults.entries()) {
    const nth = Math.ceil(((index + 1) * kinds.length) / (faults.length + 1));
    outcomes.push(await scene.meet(fault, nth));
  }
  expect(outcomes).toContain("undone");
});

test(
  "a `down` a request of which fails ends in time, says why, and the next one leaves nothing",
  async () => {
    await using scene = await Scene.open();
    const { down: kinds } = await scene.kinds();
    if (isWhole) return expect(await sweep(scene, "meetOnTheWayDown", kinds)).toEqual([]);
    const all = [...faults, "delay", "stuck"] as const;
    const outcomes: string[] = [];
    for (const [index, fault] of all.entries())
      outcomes.push(
        await scene.meetOnTheWayDown(
          fault,
          Math.ceil(((index + 1) * kinds.length) / (all.length + 1)),
        ),
      );
    expect(outcomes).toContain("again");
  },
  isWhole ? 4 * 3_600_000 : 1_200_000,
);

test("SIGTERM ends an `up` that waits for the Engine, and it leaves nothing", async () => {
  await using scene = await Scene.open();
  const { sett, proxy } = scene;
  // Longer than this test: only the signal can end the waiting.
  sett.env.SETT_DOCKER_TIMEOUT = "1h";
  for (const [kind, nth] of [
    ["POST /networks/create", 1],
    // After that of the lock it is the one of Redis.
    ["POST /containers/…/start", 2],
  ] as const) {
    proxy.failOn(nth, "hold", patternOf(kind));
    await using up = sett.start("up", "--name", sett.name);
    await proxy.failed();
    const began = performance.now();
    up.signal("SIGTERM");
    const code = await up.exited;
    const isInTime = performance.now() - began < limitMs;
    expect({ kind, code, err: up.err(), isInTime }).toMatchObject({
      code: 143,
      err: expect.stringContaining("Interrupted"),
      isInTime: true,
    });
    expect(await scene.left()).toEqual([]);
  }
});

test("an `up` whose Engine gets stuck ends, says what to do, and `down` removes what it has left", async () => {
  await using scene = await Scene.open();
  const { sett, proxy } = scene;
  // At the start of Redis there is much to undo, and each step of it would wait.
  proxy.failOn(2, "stuck", patternOf("POST /containers/…/start"));
  const began = performance.now();
  const { code, err } = await sett.sett("up", "--name", sett.name);
  const isInTime = performance.now() - began < limitMs;
  proxy.failOn(0, "error");
  expect({ code, err, isInTime }).toMatchObject({
    ...{ code: 1, isInTime: true },
    err: expect.stringMatching(
      /Not everything could be undone: The Docker Engine did not answer within[\s\S]*→ sett down --name/,
    ),
  });
  expect((await sett.leftOvers()).length).toBeGreaterThan(0);
  await sett.need("down", "--name", sett.name, "--volumes");
  expect(await scene.left()).toEqual([]);
});

test("an `up` or `down` whose lock's connection was cut goes on with it, and stops where another has taken it", async () => {
  await using scene = await Scene.open();
  const { sett, proxy } = scene;
  sett.env.SETT_DOCKER_TIMEOUT = "1h";
  const instance = InstanceName.parse(sett.name);
  const others = await dockerRuntime({ env: process.env });
  for (const [command, kind, nth] of [
    ["up", /^POST \/containers\/[^/]+\/start/, 2],
    ["down", /^POST \/containers\/[^/]+\/stop/, 1],
  ] as const) {
    proxy.failOn(nth, "hold", kind);
    await using running = sett.start(command, "--name", sett.name);
    await proxy.failed();
    proxy.allowOnly([]);
    expect(proxy.cutStreams()).toBe(1);
    const taken = await waitFor("the lock to be free", async () => {
      const lock = await others.apply.lock(instance, "Bob");
      return lock.outcome === "held" && lock;
    });
    await using _bob = taken;
    proxy.allowOnly([/./]);
    const code = await running.exited;
    expect({ command, code, err: running.err() }).toMatchObject({
      code: exitCodes.failed,
      err: expect.stringContaining("and another command has it now, by Bob."),
    });
    // It is the other's now.
    expect((await sett.leftOvers()).length).toBeGreaterThan(0);
    await taken[Symbol.asyncDispose]();

    proxy.failOn(nth, "delay", kind);
    await using again = sett.start(command, "--name", sett.name);
    await proxy.failed();
    expect(proxy.cutStreams()).toBe(1);
    expect(await again.exited).toBe(0);
  }
});

test("an image that was built without an answer is the instance's own for the next `up`", async () => {
  await using scene = await Scene.open();
  const { sett, proxy } = scene;
  const tag = `sett-${sett.name}-agent-echo:latest`;
  proxy.failOn(1, "lose", /^POST \/build/);
  expect(await sett.sett("up", "--name", sett.name)).toMatchObject({ code: 1 });
  proxy.failOn(0, "lose");
  await waitFor(
    "the image",
    async () => (await $`docker image inspect ${tag}`.quiet().nothrow()).exitCode === 0,
  );
  await sett.up();
});
