// Whatever goes wrong while a sett comes up: it says why, with the last words of the container that
// failed, and leaves nothing.
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { Finished } from "../support/cli/finished.ts";
import { settOnTerminal } from "../support/cli/pseudo-terminal.ts";
import { isNight, nightly } from "../support/nightly.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

const good = settYml({ echo: "    bids:\n      - { on: GoalDefined, bid: exclusive }\n" });
const here = { DOCKER_HOST: process.env.DOCKER_HOST ?? "", HOME: process.env.HOME ?? "" };
let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    ...scriptAgent(
      "echo",
      `cat > /dev/null; echo '{"artefact_type":"Echo","artefact_payload":"","summary":""}'`,
    ),
    "agents/last-words/Dockerfile": `FROM sett/agent-base:latest\nLABEL only=${crypto.randomUUID()}\nENTRYPOINT ["/bin/sh", "-c", "echo these are my last words; exit 7"]\n`,
    "agents/broken/Dockerfile": "FROM sett/agent-base:latest\nRUN echo before the end; exit 3\n",
    "sett.yml": good,
  });
  await $`docker build --quiet --tag ${`last-words-${sett.name}`} agents/last-words`
    .cwd(sett.folder)
    .quiet();
}, 300_000);

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
  await $`docker image rm --force ${`last-words-${sett.name}`}`.quiet().nothrow();
});

beforeEach(async () => {
  await sett.write({ "sett.yml": good });
});

async function expectNothingLeft(): Promise<void> {
  // The Engine takes away a moment later what a build that was called off had begun.
  const happened = async () => (await sett.leftOvers()).join(" ");
  await waitFor("nothing to be left", async () => (await happened()) === "", { happened });
  expect(await readdir(join(sett.folder, ".git"))).not.toContain("sett");
}

async function failedUp(yml: string): Promise<string> {
  await sett.write({ "sett.yml": yml });
  const { code, err } = await sett.sett("up", "--name", sett.name);
  expect(code).toBe(1);
  await expectNothingLeft();
  return err;
}

nightly("a part that ends is named with its exit code and its last words", async () => {
  const err = await failedUp(
    `${good}services:\n  orchestrator: { image: last-words-${sett.name} }\n`,
  );
  expect(err).toContain(`sett-${sett.name}-orchestrator`);
  expect(err).toContain("these are my last words");
  const image = `sett-${sett.name}-agent-echo:latest`;
  expect(err).toContain(`Nothing was left behind except the image ${image}`);
  expect(err).toContain(`sett down --volumes --name ${sett.name}`);
  expect(await $`docker image ls -q ${image}`.text()).not.toBe("");
  await sett.need("down", "--volumes", "--name", sett.name);
  expect(await $`docker image ls -q ${image}`.text()).toBe("");
});

test("an image that does not build shows the build's last lines", async () => {
  const err = await failedUp(settYml({ echo: "", broken: "" }));
  expect(err).toContain("before the end");
});

test("Ctrl-C and a closed terminal take everything back, whatever the moment", async () => {
  const codes = { SIGINT: 130, SIGHUP: 129 };
  const ends = [
    ["redis: starting", "SIGINT"],
    ...(isNight ? ([["redis: is ready", "SIGHUP"]] as const) : []),
    ["orchestrator: starting", "SIGHUP"],
  ] as const;
  for (const [sign, signal] of ends) {
    await using up = sett.start("up", "--name", sett.name);
    await up.untilErr(sign);
    up.signal(signal);
    expect(await up.exited).toBe(codes[signal]);
    expect(up.err()).toContain("nothing was left behind");
    await expectNothingLeft();
  }
}, 300_000);

nightly(
  "a closed terminal takes everything back, whatever the moment",
  async () => {
    for (const sign of ["redis", "orchestrator"]) {
      await using person = settOnTerminal(["up", "--name", sett.name], {
        cwd: sett.folder,
        env: { ...here },
        columns: 120,
      });
      await waitFor(`"${sign}"`, () => person.raw().includes(`${sign}`));
      person.close();
      expect(await person.exited).toBe(129);
      await expectNothingLeft();
    }
  },
  300_000,
);

nightly(
  "so does a reader of its messages that has gone, and so does a hangup without a terminal",
  async () => {
    const unread = Bun.spawn([settBinary, "up", "--name", sett.name], {
      cwd: sett.folder,
      stdout: "ignore",
      stderr: "pipe",
    });
    const reader = unread.stderr.getReader();
    for (let err = ""; !err.includes("redis: starting"); )
      err += new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();
    expect(await unread.exited).toBe(130);
    await expectNothingLeft();
    await using hungUp = sett.start("up", "--name", sett.name);
    await hungUp.untilErr("redis: starting");
    // A shell and a remote login may both report it.
    hungUp.signal("SIGHUP");
    hungUp.signal("SIGHUP");
    expect(await hungUp.exited).toBe(129);
    await expectNothingLeft();
  },
  300_000,
);

nightly(
  "with nohup it outlives its terminal",
  async () => {
    const child = Bun.spawn(["nohup", settBinary, "up", "--name", sett.name], {
      cwd: sett.folder,
      stdout: "ignore",
      stderr: "pipe",
    });
    let err = "";
    const reading = (async () => {
      for await (const chunk of child.stderr) err += new TextDecoder().decode(chunk);
    })();
    await waitFor("redis to start", () => err.includes("redis: starting"));
    child.kill("SIGHUP");
    expect(await child.exited).toBe(0);
    await reading;
    await sett.need("down", "--volumes", "--name", sett.name, "--timeout", "1s");
  },
  300_000,
);

nightly(
  "a second Ctrl-C says what is left behind and how to remove it; Ctrl-C in down says what may still run and how to go on",
  async () => {
    const said = async (words: string[], signs: string[]) => {
      await using running = sett.start(...words);
      for (const sign of signs) {
        await running.untilErr(sign);
        running.signal("SIGINT");
      }
      expect(await running.exited).toBe(130);
      return running.err();
    };
    const up = await said(
      ["up", "--name", sett.name],
      ["orchestrator: starting", "Undoing what was done"],
    );
    expect(up).toContain(`sett down --volumes --name ${sett.name}`);
    await sett.sett("down", "--volumes", "--name", sett.name);
    await sett.up();
    const down = await said(["down", "--volumes"], ["stopping"]);
    expect(down).toContain(`parts of ${sett.name} may still run`);
    expect(down).toContain(`sett down --name ${sett.name} --volumes`);
    await sett.need("down", "--volumes", "--timeout", "1s");
    await expectNothingLeft();
    const nothing = await sett.sett("down");
    expect(nothing.code).toBe(0);
    expect(nothing.err).toContain("This repository has no sett, and no parts of one.");
    expect((await sett.sett("down", "--name", sett.name)).code).toBe(1);
  },
  300_000,
);

nightly(
  "a stranger's container on the network is named, and down goes on once it has left",
  async () => {
    await sett.up();
    const stranger = `stranger-${sett.name}`;
    await $`docker run --detach --name ${stranger} --network ${`sett-${sett.name}`} --entrypoint sleep sett/agent-base:latest 600`.quiet();
    try {
      const { code, err } = await sett.sett("down", "--volumes", "--timeout", "1s");
      expect(code).toBe(1);
      expect(err).toContain(`The network sett-${sett.name} is still used by ${stranger}.`);
      expect(err).toContain(`docker network disconnect sett-${sett.name} ${stranger}`);
    } finally {
      await $`docker rm --force ${stranger}`.quiet();
    }
    // It does not matter, either, what is left of an instance whose repository is gone.
    const gone = `gone-${sett.name}`;
    const labels = [
      `instance=${gone}`,
      "component=network",
      "version=0.1.0",
      `workspace=${sett.folder}-gone`,
    ].flatMap((label) => ["--label", `dev.sett.${label}`]);
    await $`docker network create ${labels} sett-${gone}`.quiet();
    try {
      await sett.need("down", "--volumes");
      await expectNothingLeft();
    } finally {
      await $`docker network rm sett-${gone}`.quiet();
    }
  },
  300_000,
);

nightly(
  "of two that come up at once under one name, one does, and the other finds it done or is refused",
  async () => {
    const both = await Promise.all([
      sett.sett("up", "--name", sett.name),
      sett.sett("up", "--name", sett.name),
    ]);
    const isRefused = ({ code, err }: Finished) =>
      code === 1 && err.includes(`is at work on ${sett.name}`);
    const isDone = ({ code, out }: Finished) => code === 0 && out.includes("nothing has changed");
    expect({ both, isOneEnough: both.some((one) => isRefused(one) || isDone(one)) }).toMatchObject({
      isOneEnough: true,
    });
    expect(both.some(({ code }) => code === 0)).toBe(true);
    expect((await sett.sett("status")).code).toBe(0);
  },
);

nightly("a failed start keeps the blackboard of an earlier time", async () => {
  await sett.up();
  await sett.need("down", "--name", sett.name, "--timeout", "1s");
  await sett.write({
    "sett.yml": `${good}services:\n  orchestrator: { image: last-words-${sett.name} }\n`,
  });
  expect((await sett.sett("up", "--name", sett.name)).code).toBe(1);
  expect(await sett.leftOvers()).toEqual(
    ["blackboard", "record"].map((one) => `sett-${sett.name}-${one}`),
  );
});

test("an up that was killed in the middle is completed by the next one, and removed by down", async () => {
  for (const sign of [...(isNight ? ["redis: starting"] : []), "orchestrator: starting"]) {
    await using killed = sett.start("up", "--name", sett.name);
    await killed.untilErr(sign);
    killed.signal("SIGKILL");
    await killed.exited;
    await waitFor("the lock of the one that was killed to end", async () => {
      const { code, err } = await sett.sett("up", "--name", sett.name);
      if (code !== 0 && !err.includes("is at work on")) throw new Error(err);
      return code === 0;
    });
    expect(JSON.parse(await sett.need("list", "--json"))).toContainEqual(
      expect.objectContaining({ name: sett.name, state: "running" }),
    );
    await sett.need("down", "--name", sett.name, "--volumes");
    await expectNothingLeft();
  }
}, 300_000);
