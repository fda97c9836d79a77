// A `sett shell`, and a `sett up` of a changed sett.yml, one of whose requests to the Engine fails:
// each ends, says why, and leaves a sett that works, with nothing half-made beside it.
//
// Here each way to fail happens once. With SETT_EACH_REQUEST each request fails in each way.
import { expect, setDefaultTimeout } from "bun:test";
import process from "node:process";
import { $ } from "bun";
import { type Finished, finished } from "../support/cli/finished.ts";
import { type EngineProxy, faults, startEngineProxy } from "../support/docker/engine-proxy.ts";
import { nightly } from "../support/nightly.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

const isWhole = process.env.SETT_EACH_REQUEST === "1";

setDefaultTimeout(isWhole ? 4 * 3_600_000 : 900_000);

/** The times are those of engine-faults.nightly.test.ts. */
const patience = isWhole ? "5s" : "20s";

const rule = "    bids:\n      - { on: GoalDefined, bid: exclusive }\n";
const plain = settYml({ echo: rule });
/** The change replaces the agent and the orchestrator, and adds an agent. */
const changed = settYml(
  { echo: `${rule}    environment: { COLOUR: red }\n`, more: rule.replace("GoalDefined", "Rare") },
  "limits: { bid_deadline: 50s }\n",
);
const script = `cat > /dev/null; echo '{"artefact_type":"Echo","artefact_payload":"","summary":""}'`;

class Running implements AsyncDisposable {
  readonly sett: SettWorkspace;
  readonly proxy: EngineProxy;

  private constructor(sett: SettWorkspace, proxy: EngineProxy) {
    this.sett = sett;
    this.proxy = proxy;
  }

  static async open(): Promise<Running> {
    const files = { ...scriptAgent("echo", script), ...scriptAgent("more", script) };
    const sett = await SettWorkspace.create({ ...files, "sett.yml": plain });
    await sett.up();
    return new Running(sett, await startEngineProxy());
  }

  /** Runs a command whose requests to the Engine pass the proxy. */
  async run(words: readonly string[], stdin: Blob | "ignore" = "ignore"): Promise<Finished> {
    const DOCKER_HOST = `unix://${this.proxy.path}`;
    const child = Bun.spawn([settBinary, ...words], {
      ...{ cwd: this.sett.folder, stdin, stdout: "pipe", stderr: "pipe" },
      env: { ...process.env, DOCKER_HOST, SETT_DOCKER_TIMEOUT: patience },
    });
    return await finished(child);
  }

  /** Returns the number of requests of a command that meets no fault. */
  async requestsOf(run: () => Promise<Finished>): Promise<number> {
    this.proxy.allowOnly([/./]);
    this.proxy.requests.length = 0;
    const { code, err } = await run();
    expect({ code, err }).toMatchObject({ code: 0 });
    return this.proxy.requests.length;
  }

  /**
   * The containers with their states, the volumes and the networks of the instance, and the
   * containers by which an image is looked into.
   */
  async there(): Promise<string[]> {
    const texts = await Promise.all([
      $`docker ps --all --format ${"{{.Names}} {{.State}}"}`.text(),
      $`docker volume ls --format ${"{{.Name}}"}`.text(),
      $`docker network ls --format ${"{{.Name}}"}`.text(),
    ]);
    const isOwn = (line: string) =>
      line.includes(`sett-${this.sett.name}`) || line.startsWith("sett-look-");
    return texts.flatMap((text) => text.split("\n").filter(isOwn)).toSorted();
  }

  /** What the Engine removes by itself may be there for a moment. Returns what is there at last. */
  async thereAtLast(isDone: (there: readonly string[]) => boolean): Promise<string[]> {
    let there: string[] = [];
    const look = async () => {
      there = await this.there();
      return isDone(there);
    };
    await waitFor("what should be there", look).catch(() => undefined);
    return there;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sett[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
  }
}

/** Each fault at another moment, or at each. */
function trials(requests: number): { fault: (typeof faults)[number]; nth: number }[] {
  return faults.flatMap((fault, at) =>
    isWhole
      ? Array.from({ length: requests }, (_, before) => ({ fault, nth: before + 1 }))
      : [{ fault, nth: Math.ceil(((at + 1) * requests) / (faults.length + 1)) }],
  );
}

const saysWhy = expect.stringMatching(/^sett: .+\n(?:.*\n)*? {2}→ \w/m);

nightly(
  "a shell a request of which fails leaves nothing of itself, and the sett as it was",
  async () => {
    await using running = await Running.open();
    const { sett, proxy } = running;
    const goal = await sett.forage("hello");
    const echo = await waitFor("the result", async () =>
      (await sett.artefacts(goal)).find(({ type }) => type === "Echo"),
    );
    const shell = () => running.run(["shell", echo.id], new Blob(["echo seen in there\n"]));
    const requests = await running.requestsOf(shell);
    const before = await running.there();
    for (const { fault, nth } of trials(requests)) {
      proxy.failOn(nth, fault);
      const { code, out, err } = await shell();
      proxy.failOn(0, fault);
      const seen = { fault, nth, code, out, err };
      if (code === 0) expect(seen).toMatchObject({ out: "seen in there\n" });
      else expect({ ...seen }).toMatchObject({ err: saysWhy });
      const there = await running.thereAtLast((names) => Bun.deepEquals(names, before));
      expect({ ...seen, there }).toMatchObject({ there: before });
    }
  },
);

nightly(
  "an `up` of a changed sett.yml a request of which fails leaves the sett before or after it, whole",
  async () => {
    await using running = await Running.open();
    const { sett, proxy } = running;
    const up = () => running.run(["up", "--name", sett.name]);
    const before = await running.there();
    await sett.write({ "sett.yml": changed });
    const requests = await running.requestsOf(up);
    const after = await running.there();
    expect(after).not.toEqual(before);
    for (const { fault, nth } of trials(requests)) {
      // The images of both are there, which the sett keeps.
      await sett.write({ "sett.yml": plain });
      await sett.up();
      await sett.write({ "sett.yml": changed });
      proxy.failOn(nth, fault);
      const { code, err } = await up();
      proxy.failOn(0, fault);
      // What comes last may fail once all that `up` promises is done, and leave what it replaces.
      const isUp = code === 0 || err.includes(`${sett.name} is up, but `);
      const wanted = isUp ? after : before;
      if (code !== 0) expect({ fault, nth, code, err }).toMatchObject({ err: saysWhy });
      const fits = (names: readonly string[]) =>
        isUp && code !== 0
          ? wanted.every((name) => names.includes(name))
          : Bun.deepEquals(names, wanted);
      const there = await running.thereAtLast(fits);
      const isFit = fits(there);
      expect({ fault, nth, code, err, there, wanted, isFit }).toMatchObject({ isFit: true });
    }
  },
);
