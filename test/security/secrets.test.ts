// Secrets of agents: who gets them, and that nothing which the instance has written has one.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHash, generateKeyPairSync, randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import type { Artefact } from "../../lib/model/artefact.ts";
import { nightly } from "../support/nightly.ts";
import { untilWritten } from "../support/redis/redis-server.ts";
import { bidByName } from "../support/sett/obedient-agent.ts";
import { SettWorkspace, scriptAgent, settYml } from "../support/sett/sett-workspace.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

/**
 * Does what the goal says after its first word, and answers with what that has written; fails with
 * it if that ends with 9.
 */
const runner = `work=$(cat)
printf '%s' "$work" | jq -r .target_artefact.payload | sed '1s/^[a-z]*: //' > /tmp/goal.sh
bash /tmp/goal.sh < /dev/null > /tmp/out 2> /tmp/err
code=$?
cat /tmp/err >&2
if [ $code = 9 ]; then cat /tmp/out >&2; exit 9; fi
jq -n --rawfile text /tmp/out '{structural_type: "Terminal", artefact_type: "Done", artefact_payload: $text, summary: $text[:100]}'
`;

/** All values of the tests have it, so that a place can be searched for any of them. */
const mark = `of-the-tests-${randomUUID()}`;
const token = `tok "en"/1+2&é ${mark}`;
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-521" });
const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
const printed = `printed-${mark}`;

let folder: string;
let sett: SettWorkspace;
let provider: ReturnType<typeof Bun.serve>;
const questions: string[] = [];
let began: number;

beforeAll(async () => {
  began = Math.floor(Date.now() / 1000);
  folder = await mkdtemp(join(tmpdir(), "sett-secrets-"));
  await writeFile(join(folder, "key.pem"), key);
  await writeFile(join(folder, "printed"), `${printed}\n`);
  provider = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    fetch: async (request) => {
      questions.push(await request.text());
      const message = { role: "assistant", content: "Understood." };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      return Response.json({
        id: "a",
        object: "chat.completion",
        model: "m",
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage,
      });
    },
  });
  const agents = ["maker", "worker", "other"];
  const top = `secrets:
  token: { environment: SETT_TEST_TOKEN }
  key: { file: ${folder}/key.pem }
  printed: { command: ["cat", "${folder}/printed"] }
models:
  local: { provider: openai, base_url: "http://host.docker.internal:${provider.port}/v1", model: m, price: { input: 1, output: 1 } }
`;
  sett = await SettWorkspace.create({
    ...Object.assign({}, ...agents.map((agent) => scriptAgent(agent, runner))),
    "sett.yml": settYml(
      {
        maker: `${bidByName("maker")}    workspace: { mode: rw }\n    model: local\n    secrets: [key, { name: token, variable: TOKEN }]\n`,
        worker: `${bidByName("worker")}    strategy: fresh_per_call\n    secrets: [{ name: printed, variable: PRINTED }]\n`,
        other: bidByName("other"),
      },
      top,
    ),
  });
  sett.env = { SETT_TEST_TOKEN: token };
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(async () => {
  await sett?.[Symbol.asyncDispose]();
  await provider?.stop(true);
  await rm(folder, { recursive: true, force: true });
});

async function result(agent: string, script: string): Promise<Artefact> {
  const goal = await sett.forage(`${agent}: ${script}`);
  const isResult = ({ type, structural_type }: Artefact) =>
    type === "Done" || structural_type === "Failure";
  const happened = async () =>
    (await sett.sett("watch", "--no-follow", "--goal", goal, "--name", sett.name)).out;
  return await waitFor("the result", async () => (await sett.artefacts(goal)).find(isResult), {
    everyMs: 100,
    happened,
  });
}

async function outputOf(agent: string, script: string): Promise<string> {
  const { payload, type } = await result(agent, script);
  expect([type, type === "Done" ? "" : payload]).toEqual(["Done", ""]);
  return payload;
}

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

test("a command gets its secrets, as files that only it can read and in variables, and no others", async () => {
  const script = `sha256sum < /run/secrets/key | cut -c1-64; printf %s "$TOKEN" | sha256sum | cut -c1-64
    ls /run/secrets | xargs; stat -c '%a %u' /run/secrets/key | sed "s/ $(id -u)$/ me/"; echo $SETT_SECRETS_DIR`;
  expect(await outputOf("maker", script)).toBe(
    `${digest(key)}\n${digest(token)}\nkey token\n600 me\n/run/secrets\n`,
  );
});

test("a worker gets those of its agent", async () => {
  expect(
    await outputOf(
      "worker",
      `printf %s "$PRINTED" | sha256sum | cut -c1-64; ls /run/secrets | xargs`,
    ),
  ).toBe(`${digest(printed)}\nprinted\n`);
});

nightly("no command can change them, for itself or for those after it", async () => {
  const script =
    "rm -f /run/secrets/key; echo x > /run/secrets/key; echo x > /run/secrets/own; mv /run/secrets /tmp/; ls /run/secrets";
  expect(await outputOf("maker", `(${script}) 2> /dev/null | xargs`)).toBe("key token\n");
});

test("an agent that names none finds none", async () => {
  const places = "/proc/*/environ /run /tmp /workspace /git /etc /var /home";
  expect(
    await outputOf(
      "other",
      `ls /run/secrets; grep -rlaF 'of-the-tests-' ${places} 2> /dev/null | grep -v goal.sh; true`,
    ),
  ).toBe("");
});

test("what a command prints has none of them: as they are, or in the encodings of common programs", async () => {
  const script = `cat /run/secrets/key; echo "$TOKEN"; jq -n --arg a "$TOKEN" '$a'; jq -rn --arg a "$TOKEN" '$a|@uri'
    base64 /run/secrets/token; printf 'user:%s' "$TOKEN" | base64 -w0; echo; od -An -tx1 /run/secrets/token | tr -d ' \\n'; env | grep TOKEN`;
  const output = await outputOf("maker", script);
  expect(output).not.toContain(mark);
  expect(output.match(/\[secret token\]/g)).toHaveLength(7);
  expect(output).toContain("[secret key]");
});

test("a Failure has none of them", async () => {
  const failure = await result(
    "maker",
    `cat /run/secrets/*; echo "401: $TOKEN is no token"; exit 9`,
  );
  expect(failure.type).toBe("ToolExecutionFailure");
  expect(failure.payload).toContain("401: [secret token] is no token");
  const kept = await sett.need("unearth", failure.id, "--streams");
  expect(kept).toContain("401: [secret token] is no token");
  expect(kept).not.toContain(mark);
});

test("a commit that has one is not published, also where a later one removes it", async () => {
  const commit = "git add -A; git commit -qm Change";
  const failure = await result(
    "maker",
    `cp /run/secrets/token a.txt; ${commit}; rm a.txt; ${commit}`,
  );
  expect(JSON.parse(failure.payload).reason).toContain(
    "has the value of the secret `token` in the file `a.txt`, so nothing was published",
  );
  const key = await result("maker", `head -4 /run/secrets/key | base64 > a.bin; ${commit}`);
  expect(JSON.parse(key.payload).reason).toContain(
    "has the value of the secret `key` in the file `a.bin`",
  );
  expect((await result("maker", `echo fine > a.txt; ${commit}`)).metadata).toHaveProperty("commit");
});

nightly(
  "the configuration of a working copy starts nothing when its commit is searched",
  async () => {
    const program = `#!/bin/sh\ntouch /git/exchange/maker/started; ( while :; do sleep 1; done ) </dev/null >/dev/null 2>&1 &\n`;
    const signed = "gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n abc\\n -----END PGP SIGNATURE-----";
    const commit = [
      `printf '${program.replaceAll("\n", "\\n")}' > .git/check; chmod +x .git/check`,
      "git config log.showSignature true; git config gpg.program /workspace/.git/check",
      "echo b > b.txt; git add b.txt; tree=$(git write-tree); by='a <a@example.invalid> 1700000000 +0000'",
      `printf "tree $tree\\nparent $(git rev-parse HEAD)\\nauthor $by\\ncommitter $by\\n${signed}\\n\\nx\\n" > .git/c`,
      "git update-ref --no-deref HEAD $(git hash-object -t commit -w --literally .git/c)",
    ];
    const done = await result("maker", commit.join("\n"));
    expect([done.type, Object.keys(done.metadata)]).toEqual([
      "Done",
      expect.arrayContaining(["commit"]),
    ]);
    expect(await outputOf("maker", "ls /git/exchange/maker | grep -c started; true")).toBe("0\n");
  },
);

test("a model gets none of them, and the transcript has none", async () => {
  const body = `JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "My token: " + process.env.TOKEN }] })`;
  const ask = `const r = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers: { authorization: "Bearer " + process.env.OPENAI_API_KEY, "content-type": "application/json" }, body: ${body} }); console.log(r.status, (await r.json()).choices[0].message.content)`;
  expect(
    await outputOf(
      "maker",
      `cat > /tmp/ask.ts <<'END'\n${ask}\nEND\nBUN_BE_BUN=1 /cub/cub run /tmp/ask.ts`,
    ),
  ).toBe("200 Understood.\n");
  expect(questions.join()).toContain("My token: [secret token]");
});

nightly("another value needs no restart", async () => {
  const started = async () =>
    await $`docker inspect --format ${"{{.Id}} {{.State.StartedAt}}"} ${["maker", "worker"].map((agent) => `sett-${sett.name}-agent-${agent}`)}`.text();
  const before = await started();
  await writeFile(join(folder, "printed"), `${printed}-changed`);
  expect(await sett.need("up", "--name", sett.name)).toContain("nothing has changed");
  expect(
    await outputOf("worker", `printf %s "$PRINTED" | sha256sum | cut -c1-64; echo $PRINTED`),
  ).toBe(`${digest(`${printed}-changed`)}\n[secret printed]\n`);
  expect(await started()).toBe(before);
});

test("a restart of an agent loses none; after one of the machine its work waits until `up` brings them", async () => {
  const container = (part: string) => `sett-${sett.name}-${part}`;
  await $`docker restart -t 1 ${container("agent-maker")}`.quiet();
  expect(await outputOf("maker", "ls /run/secrets | xargs")).toBe("key token\n");
  await $`docker stop -t 1 ${container("agent-maker")} ${container("keeper")}`.quiet();
  await $`docker start ${container("keeper")} ${container("agent-maker")}`.quiet();
  const goal = await sett.forage("maker: ls /run/secrets | xargs");
  const health = () =>
    $`docker exec ${container("agent-maker")} /cub/cub --healthcheck`.quiet().nothrow();
  await waitFor("an unhealthy agent", async () => (await health()).exitCode !== 0, {
    everyMs: 100,
  });
  await waitFor(
    "its log",
    async () => (await sett.need("logs", "maker")).includes("Waiting for secrets"),
    { everyMs: 100 },
  );
  const status = async () => await sett.need("status");
  await waitFor(
    "the reason",
    async () => (await status()).includes("its secrets are missing, which `sett up"),
    { everyMs: 200 },
  );
  await sett.up();
  const done = async () => (await sett.artefacts(goal)).find(({ type }) => type === "Done");
  expect((await waitFor("the result", done, { everyMs: 100 })).payload).toBe("key token\n");
  expect((await health()).exitCode).toBe(0);
});

test("nothing that the instance has written has one, in any encoding", async () => {
  const container = (part: string) => `sett-${sett.name}-${part}`;
  const label = `label=dev.sett.instance=${sett.name}`;
  await untilWritten(["docker", "exec", container("redis"), "redis-cli"]);
  const containers = (await $`docker ps -aq --filter ${label}`.text()).trim().split("\n");
  const volumes = (await $`docker volume ls -q --filter ${label}`.text()).trim().split("\n");
  const parts = [
    "redis",
    "orchestrator",
    "gateway",
    "starter",
    "keeper",
    "maker",
    "worker",
    "other",
  ];
  const git = join(sett.folder, ".git/sett");
  const places = {
    inspect:
      await $`docker inspect ${containers}; docker volume inspect ${volumes}; docker image inspect ${container("agent-maker")}`
        .nothrow()
        .text(),
    events:
      await $`docker events --since ${began} --until ${Math.ceil(Date.now() / 1000)} --filter ${label}`.text(),
    redis:
      await $`docker exec ${container("redis")} sh -c ${"cat /data/appendonlydir/* /data/*.rdb"}`
        .nothrow()
        .text(),
    logs: (await Promise.all(parts.map((part) => sett.need("logs", part)))).join("\n"),
    record:
      await $`docker cp ${`${container("gateway")}:/record`} - | tar -xO --wildcards ${"*.gz"} | zcat`.text(),
    files: await $`grep -rhaF "" ${git}`.text(),
    objects:
      await $`for pack in $(find ${git} -name ${"*.pack"}); do git unpack-objects -q < $pack; done; git cat-file --batch --batch-all-objects`
        .cwd(sett.folder)
        .nothrow()
        .text(),
    up: JSON.stringify(await sett.sett("up", "--name", sett.name, "--debug")),
    status: await sett.need("status", "--json"),
  };
  const values = [token, mark, ...key.split("\n").slice(1, -3), printed];
  const encoded = values.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    Buffer.from(value).toString("hex"),
    ...[0, 1, 2].map((before) =>
      Buffer.from(`${"x".repeat(before)}${value}`)
        .toString("base64")
        .slice(before + 1, -4),
    ),
  ]);
  for (const [place, text] of Object.entries(places)) {
    expect([place, text.length > 0, encoded.filter((value) => text.includes(value))]).toEqual([
      place,
      true,
      [],
    ]);
  }
  // The searches would have found them.
  expect(places.redis + places.logs).toContain("[secret token]");
  expect(places.record).toContain("My token: [secret token]");
  expect(places.objects).toContain("fine");
});
