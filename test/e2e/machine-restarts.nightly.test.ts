// A machine whose power is cut while an agent works: what comes back by itself, what waits and says
// so, and what `sett up --unattended` brings.
import { expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { finished, needed } from "../support/cli/finished.ts";
import {
  canStartEngine,
  type FreshEngine,
  startFreshEngine,
} from "../support/docker/fresh-engine.ts";
import { settBinary } from "../support/process/compiled.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(900_000);

const images = ["cub", "redis", "orchestrator", "gateway", "agent-base"].map(
  (name) => `sett/${name}`,
);

const printed = (type: string) =>
  `printf '{"artefact_type": "${type}", "artefact_payload": "ok", "summary": "Done"}'`;
const script = (text: string) => ["sh", "-c", text];

const config = {
  version: "1.0",
  secrets: { token: { environment: "SETT_TEST_TOKEN" } },
  models: {
    strong: {
      ...{ provider: "anthropic", model: "any", key: "$" + "{SETT_TEST_KEY}" },
      base_url: "http://host.docker.internal:9",
    },
  },
  agents: {
    builder: {
      image: "sett/agent-base:latest",
      command: script(`case $(cat) in *"until the end"*) sleep 10000;; esac; ${printed("Report")}`),
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
    },
    signer: {
      image: "sett/agent-base:latest",
      command: script(`cat > /dev/null; ${printed("Signed")}`),
      strategy: "fresh_per_call",
      secrets: ["token"],
      bids: [{ on: "Report", bid: "exclusive" }],
    },
    thinker: {
      image: "sett/agent-base:latest",
      model: "strong",
      prompts: { execution: "Think." },
      bids: [{ on: "Question", bid: "exclusive" }],
    },
  },
};

async function settOn(engine: FreshEngine) {
  const sett = await SettWorkspace.create({ "sett.yml": JSON.stringify(config) });
  await $`docker save ${images.map((name) => `${name}:latest`)} | docker --host ${engine.host} load`.quiet();
  const version = (await sett.need("--version")).trim();
  for (const name of images)
    await $`docker --host ${engine.host} tag ${name}:latest ${name}:${version}`;
  const env = {
    DOCKER_HOST: engine.host,
    ...{ SETT_TEST_TOKEN: "vR8-xq3_Lk0wZt71mBfYp5nHs2cJd9uG", SETT_TEST_KEY: "sk-any-0123456789" },
  };
  const need = async (...words: string[]) =>
    needed(
      words,
      await finished(
        Bun.spawn([...engine.within(), settBinary, ...words], {
          ...{ cwd: sett.folder, env: { ...process.env, ...env } },
          ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
        }),
      ),
    );
  const goal = async (text: string) => (await need("forage", "--goal", text)).trim();
  const goals = async (): Promise<Record<string, unknown>[]> =>
    JSON.parse(await need("status", "--json")).goals;
  const until = (what: string, isIt: (status: string) => boolean) =>
    waitFor(what, async () => {
      const status = await need("status").catch(() => "");
      return isIt(status) && status;
    });
  return { sett, need, goal, goals, until };
}

test.skipIf(!canStartEngine)(
  "after a power cut an instance comes back by itself, says what it waits for, and goes on when that is there",
  async () => {
    await using engine = await startFreshEngine();
    const { sett, need, goal, goals, until } = await settOn(engine);
    try {
      await need("up", "--name", sett.name);
      const cut = await goal("Work until the end");
      await until("the work", (status) => status.includes("at work"));
      const queued = await goal("Wait for your turn");
      await engine.restartMachine();

      // The gateway may be the last to say what it lacks.
      const awaited = [
        "its secrets are missing, which `sett up` brings",
        "The gateway does not have the key of the model strong",
      ];
      await until("what it waits for", (status) => awaited.every((each) => status.includes(each)));
      expect(await need("list")).toMatch(/ running +docker/);
      const lost = JSON.parse(await need("hoard", "--json", "--goal", cut));
      expect(lost).toContainEqual(expect.objectContaining({ type: "AttemptLost" }));

      await need("up", "--name", sett.name, "--unattended");
      await until("the end", (status) => !status.includes("waits for"));
      const states = (await goals()).map(({ id, state }) => [id, state]);
      expect(states).toEqual([
        [cut, "failed"],
        [queued, "settled"],
      ]);
      expect(await need("status")).not.toContain("The gateway does not have the key");
    } finally {
      await need("down", "--volumes", "--force", "--timeout", "1s").catch(() => undefined);
      await sett[Symbol.asyncDispose]();
    }
  },
);
