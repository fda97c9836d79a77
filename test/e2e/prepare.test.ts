// What agents need beside the files of a commit is made once for each lock file, and shared by all
// workers that begin with the same one (`workspace.prepare`). In real containers.
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { $ } from "bun";
import { isNight, nightly } from "../support/nightly.ts";
import { SettWorkspace } from "../support/sett/sett-workspace.ts";
import { untilLogged } from "../support/sett/until-logged.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

/** Installs "packages", one with a new id each time; says what it sees, and writes over files. */
const install = `#!/bin/sh
case "$(cat lock.json)" in
  *broken*) echo "no such package" >&2; exit 3 ;;
  *endless*) exec sleep 600 ;;
esac
git ls-remote http://host.docker.internal:$PORT/from-prepare > /dev/null 2>&1
seen=$(ls -A | tr '\\n' ' ')
mkdir -p node_modules/a src
head -c 8 /dev/urandom | od -An -tx1 | tr -d ' \\n' > node_modules/a/id
cp lock.json node_modules/a/lock
mkdir -p deep/packages && echo made > deep/packages/one; echo harmed > deep/key
{ echo "beside: $seen"; echo "secrets: $(ls -A /run/secrets 2>/dev/null)"; echo "redis: $REDIS_URL"; env | grep hush; } > node_modules/a/seen
echo harmed > README.md; echo harmed > src/code; ln -s /etc src/link; mkdir src/.git; echo "* text eol=crlf" > src/.gitattributes
`;

/** Says which packages there are, and how the workspace is beside them. */
const tool = [
  "git ls-remote http://host.docker.internal:$PORT/from-tool > /dev/null 2>&1;",
  'jq -n --arg id "$(cat node_modules/a/id)" --arg lock "$(cat node_modules/a/lock)"',
  '--arg seen "$(cat node_modules/a/seen)" --arg status "$(git status --porcelain)"',
  '--arg readme "$(cat README.md src/code)" --arg kinds "$(ls -A src; cat deep/key deep/packages/one)"',
  '\'{artefact_type: "Report", summary: "", artefact_payload: ([$id, $lock, $seen, $status, $readme, $kinds] | tojson)}\'',
].join(" ");

/** On a goal to raise the lock file it does so, in a commit. */
const code = `case "$(jq -r .target_artefact.payload)" in raise*) ;; *) jq -n '{artefact_type: "Nothing", artefact_payload: "", summary: "", structural_type: "Terminal"}'; exit ;; esac
echo '{"version": "raised"}' > lock.json; git commit --quiet -am raise
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: ""}'`;

const agent = (lines: readonly string[], command: string) =>
  ["    image: sett/agent-base:latest", "    strategy: fresh_per_call", ...lines]
    .concat(`    command: ["sh", "-c", ${JSON.stringify(command)}]`)
    .join("\n");

const paths: string[] = [];
const registry = Bun.serve({
  port: 0,
  hostname: "0.0.0.0",
  fetch: ({ url }) => {
    paths.push(new URL(url).pathname.split("/")[1] ?? "");
    return new Response("", { status: 404 });
  },
});
afterAll(() => registry.stop(true));

/** By night a test waits for the end of this time. */
const prepare = `prepare: { run: "./install.sh", key: [install.sh, lock.json, deep], timeout: ${isNight ? "15s" : "5m"}, network: { egress: ["host.docker.internal:${registry.port}"] } }`;
const environment = `    environment: { PORT: "${registry.port}" }`;
const bids = (goal: string) =>
  `    bids: [{ on: GoalDefined, bid: ${goal} }, { on: CodeCommit, bid: claim }, { on: "*", bid: ignore }]`;

const yml = `version: '1.0'
secrets:
  token: { environment: TEST_TOKEN }
agents:
  tester:
${agent([bids("claim"), environment, `    workspace: { ${prepare} }`, "    secrets: [token]"], tool)}
  linter:
${agent([bids("claim"), environment, `    workspace: { ${prepare} }`], tool)}
  coder:
${agent(["    bids: [{ on: GoalDefined, bid: exclusive }]", "    workspace: { mode: rw }"], code)}
`;

let sett: SettWorkspace;

beforeAll(async () => {
  sett = await SettWorkspace.create({
    "sett.yml": yml,
    "install.sh": install,
    "lock.json": '{"version": "first"}\n',
    "src/code": "code\n",
    "deep/key": "key\n",
    ".gitignore": "node_modules\n",
  });
  sett.env = { TEST_TOKEN: "hush-hush-hush" };
  await sett.commit("Add a sett");
  await sett.up();
});

afterAll(() => sett?.[Symbol.asyncDispose]());

type Report = { by: string; id: string; lock: string; rest: string[] };

const endless = "endless\n";

/** The reports of a goal, once there are so many. */
async function reportsOf(goal: string, count: number): Promise<Report[]> {
  const found = await waitFor(
    `${count} reports`,
    async () => {
      const all = await sett.artefacts(goal);
      const failure = all.find(({ structural_type }) => structural_type === "Failure");
      if (failure !== undefined) throw new Error(failure.payload);
      const reports = all.filter(({ type }) => type === "Report");
      return reports.length === count && reports;
    },
    { everyMs: 200 },
  );
  return found.map(({ payload, produced_by_agent: by }) => {
    const [id = "", lock = "", ...rest] = JSON.parse(payload);
    return { by, id, lock, rest };
  });
}

const preparedIn = async (goal: string) =>
  (await sett.events(goal)).filter(({ type }) => type === "workspace_prepared");

const oneIn = (reports: readonly Report[]) => {
  expect(new Set(reports.map(({ id }) => id)).size).toBe(1);
  return reports[0]?.id ?? "";
};

test("it is made once for all agents and grants with the same lock file, and a commit that changes that gets its own", async () => {
  const goal = await sett.forage("look");
  const first = await reportsOf(goal, 2);
  const id = oneIn(first);
  expect(id).toMatch(/^[0-9a-f]{16}$/);
  // Nothing of the agent's secrets or its way to Redis was there, and tracked files are as before.
  const rest = [
    "beside: deep install.sh lock.json \nsecrets: \nredis: ",
    "?? deep/packages/\n?? src/.gitattributes\n?? src/link",
    "# A repository\ncode",
    ".gitattributes\ncode\nlink\nkey\nmade",
  ];
  for (const report of first) expect(report.rest).toEqual(rest);
  // It reaches what its own `network` names, and the agent does not.
  expect(new Set(paths)).toEqual(new Set(["from-prepare"]));
  const [event, ...more] = await preparedIn(goal);
  expect(more).toEqual([]);
  const by = event?.agent ?? "";
  expect(["tester", "linter"]).toContain(by);
  expect(event).toMatchObject({
    data: {
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      files: 7,
      duration_ms: expect.any(Number),
    },
  });
  await untilLogged(sett, by, ['"run":"./install.sh"']);
  expect(await sett.need("watch", "--no-follow", "--goal", goal)).toContain("has prepared");

  // The commit of an agent, which the repository does not have, begins with the files of before.
  await sett.write({ "README.md": "# Another\n" });
  await sett.commit("Change what is no key");
  const raise = await sett.forage("raise");
  const byLock = Object.groupBy(await reportsOf(raise, 4), ({ lock }) => lock);
  expect(oneIn(byLock['{"version": "first"}'] ?? [])).toBe(id);
  const raised = byLock['{"version": "raised"}'] ?? [];
  expect(raised).toHaveLength(2);
  expect(oneIn(raised)).not.toBe(id);
  expect(await preparedIn(raise)).toHaveLength(1);
});

nightly("so does a lock file that a person has changed", async () => {
  const before = oneIn(await reportsOf(await sett.forage("look again"), 2));
  await sett.write({ "lock.json": '{"version": "second"}\n' });
  await sett.commit("Change the lock file");
  const other = await reportsOf(await sett.forage("look at it"), 2);
  expect(oneIn(other)).not.toBe(before);
  expect(other.map(({ lock }) => lock)).toEqual(Array(2).fill('{"version": "second"}'));
});

nightly("where it cannot be made, the Failure says why, and where its output is", async () => {
  const failureWith = async (lock: string | undefined) => {
    if (lock === undefined) await sett.git("rm", "--quiet", "lock.json");
    else await sett.write({ "lock.json": lock });
    await sett.commit("Change the lock file");
    const goal = await sett.forage("look");
    if (lock === endless)
      await waitFor("it to be shown", async () => (await sett.need("status")).includes("prepares"));
    const failed = await waitFor("a Failure", async () =>
      (await sett.artefacts(goal)).find(({ structural_type }) => structural_type === "Failure"),
    );
    return String(JSON.parse(failed.payload).reason);
  };
  const broken = await failureWith("broken\n");
  expect(broken).toContain("`./install.sh` ended with exit code 3: no such package");
  expect(broken).toMatch(/`sett logs (?:tester|linter)` has its output/);
  expect(await failureWith(endless)).toContain(
    "ran longer than `workspace.prepare.timeout`, which is 15 s",
  );
  expect(await failureWith(undefined)).toContain(
    "does not have `lock.json`, which `workspace.prepare.key` names",
  );
});

nightly("nothing of it is left when the instance is gone", async () => {
  const layers =
    await $`docker volume ls -q --filter label=dev.sett.instance=${sett.name} --filter label=dev.sett.component=layer`.text();
  expect(layers).toContain(".layer.");
  await sett.need("down", "--volumes");
  expect(await sett.leftOvers()).toEqual([]);
});
