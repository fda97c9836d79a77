// sett status on agents whose containers end again and again, as Docker reports it.
import { expect, test } from "bun:test";
import { tmpdir } from "node:os";
import process from "node:process";
import { redisUsersOf } from "../../../apps/cli/services/redis-users.ts";
import { prepareUsers } from "../../../lib/blackboard/redis/administration.ts";
import { connectBlackboard } from "../../../lib/blackboard/redis/connect.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { dockerInstance } from "../../support/docker/docker-instance.ts";
import { agentName, sampleAgent } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

const mebibyte = 1024 ** 2;
const ofOwner = "echo 'user default on >secret ~* &* +@all'";

test("an agent that is killed for lack of memory again and again is shown with its limit, its restarts and the remedy", async () => {
  await using sett = await dockerInstance();
  const { observe } = sett.runtime;
  const redis = await sett.run("", {
    name: sett.name("redis"),
    image: "redis:7-alpine",
    labels: sett.labels({ component: "redis" }),
    entrypoint: ["sh", "-c", `${ofOwner} > /tmp/users; exec redis-server --aclfile /tmp/users`],
    env: { REDISCLI_AUTH: "secret" },
    ports: [{ port: 6379 }],
  });
  const port = await waitFor(
    "its port",
    async () => (await observe.find(redis.id))?.ports[0]?.hostPort,
  );
  const { instance } = sett;
  const asOwner = { url: `redis://:secret@127.0.0.1:${port}`, instance, giveUpMs: 20_000 };
  const users = redisUsersOf({ agents: [], external: [] }, [], "secret");
  await prepareUsers({ ...asOwner, signal: AbortSignal.timeout(20_000) }, users);
  await using board = await connectBlackboard(asOwner);
  await board.registerAgents([sampleAgent("tester")], "person:Ada", { exact: true });
  // Keeps the end of what never ends.
  const greedy = await sett.run("tail -c 60000000 /dev/zero", {
    labels: sett.labels({ component: "agent", agent: agentName("tester"), role: "tester" }),
    restart: "unless-stopped",
    resources: { memoryBytes: 8 * mebibyte },
  });
  await waitFor("two restarts", async () => ((await observe.find(greedy.id))?.restarts ?? 0) >= 2);
  const env = {
    XDG_STATE_HOME: tmpdir(),
    ...(process.env.DOCKER_HOST && { DOCKER_HOST: process.env.DOCKER_HOST }),
  };
  const status = async (...words: string[]) =>
    (await runSett(["status", "--name", sett.instance, ...words], { cwd: tmpdir(), env })).out;
  const sentence = new RegExp(
    `^\`tester\` ran out of memory and was killed \\(limit 8M\\), and was restarted \\d+ times.*: ` +
      `raise its \`resources.limits.memory\` in sett.yml, then \`sett up --name ${sett.instance}\`$`,
    "m",
  );
  // While it runs for a moment there is no telling what it will end of.
  await waitFor("the sentence", async () => sentence.test(await status()), { everyMs: 200 });
  const { name, crashing } = await waitFor(
    "the same as data",
    async () => {
      const [tester] = JSON.parse(await status("--json")).agents;
      return tester.crashing?.out_of_memory === true && tester;
    },
    { everyMs: 200 },
  );
  expect({ name, crashing }).toMatchObject({
    name: "tester",
    crashing: { restarts: expect.any(Number), memory_limit: 8 * mebibyte },
  });
}, 120_000);
