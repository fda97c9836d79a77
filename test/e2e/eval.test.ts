// `sett eval`: goals with checks, several settings, each in an instance of its own, and nothing
// left behind.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import type { EvalRun, SettingSummary } from "../../apps/cli/facts/eval-runs.ts";
import { finished } from "../support/cli/finished.ts";
import { nightly } from "../support/nightly.ts";
import { settBinary } from "../support/process/compiled.ts";
import { root } from "../support/root.ts";
import { ProcessSett } from "../support/sett/process-sett.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(300_000);

let at: ProcessSett;

/** Does what the goal says, and writes the word of the setting. */
const coder = `#!/bin/sh
set -e
work=$(cat)
goal=$(printf '%s' "$work" | jq -r .target_artefact.payload)
answer=$(printf '%s' "$work" | jq -r '[.additional_context[] | select(.structural_type == "Answer").payload] | last // empty')
case $goal in
  ask) if [ -z "$answer" ]; then echo '{"structural_type":"Question","payload":"Which colour?"}'; exit; fi ;;
  fail) echo 'no such tool' >&2; exit 4 ;;
  wait) exec sleep 600 ;;
  cheat) echo 'exit 0' > test.sh ;;
esac
printf '%s %s\\n' "$WORD" "$answer" > made.txt
git add -A
git commit --quiet --message "Make it" >&2
jq -n --arg commit "$(git rev-parse HEAD)" '{artefact_type: "CodeCommit", artefact_payload: $commit, summary: "Made it"}'
`;

const settings = `version: '1.0'
limits: { review_rounds: 2 }
agents:
  coder:
    build: ./agents/coder
    command: ["/app/run.sh"]
    bids: [{ on: GoalDefined, bid: exclusive }]
    workspace: { mode: rw }
    environment: { WORD: red }
  # It bids on all that comes, but for the order of the checks.
  critic:
    image: none:1
    command: ["sh", "-c", "if grep -q odd made.txt; then echo '{\\"structural_type\\":\\"Review\\",\\"payload\\":\\"odd\\"}'; else echo '{\\"structural_type\\":\\"Review\\",\\"payload\\":{}}'; fi"]
    bids: [{ on: GoalDefined, bid: ignore }, { on: "*", bid: review }]
notify: [{ url: "http://127.0.0.1:9/", secret: $NO_SUCH_VARIABLE }]
`;

const goals = `goals:
  colour:
    goal: make
    checks: ["grep red made.txt"]
  ask:
    goal: ask
    answers: [green]
    checks: ["grep green made.txt"]
`;

beforeAll(async () => {
  at = await ProcessSett.create(settings, {
    "agents/coder/run.sh": coder,
    "agents/coder/Dockerfile": "FROM no-such-image:1\n",
    "test.sh": "#!/bin/sh\ngrep blue made.txt\n",
    "eval.yml": goals,
  });
});

afterAll(() => at[Symbol.asyncDispose]());

type Printed = { folder: string; settings: SettingSummary[]; runs: EvalRun[] };

const evaluate = async (...words: string[]): Promise<{ code: number; err: string } & Printed> => {
  const { code, out, err } = await at.sett("eval", ...words, "--runtime", "process", "--json");
  if (out === "") throw new Error(err);
  return { code, err, ...JSON.parse(out) };
};

const of = (runs: readonly EvalRun[], goal: string) => runs.filter((run) => run.goal === goal);

/** Neither an instance, nor a process, nor a clone of the repository. */
const left = (repository = at.folder) => ({
  parts: readdirSync(join(at.state, "names")),
  processes: at.stillRunning(),
  clones: readdirSync(join(repository, ".git/sett/eval")),
});

const nothing = { parts: [], processes: [], clones: ["results"] };

test("each setting has a row, each run is on record, and nothing is left", async () => {
  const word = "coder.environment.WORD";
  const before = await at.git("status", "--porcelain");
  const {
    code,
    settings: rows,
    runs,
    folder,
  } = await evaluate(
    ...["eval.yml", "--with", `${word}=red,blue`, "--parallel", "2", "--runs", "2"],
  );
  expect({ code, rows }).toMatchObject({
    code: 1,
    rows: [
      { setting: `${word}=red`, runs: 4, passed: 4, rounds: 1, questions: 2 },
      { setting: `${word}=blue`, runs: 4, passed: 2, rounds: 1, questions: 2 },
    ],
  });
  expect(of(runs, "colour").map(({ run, outcome, reason }) => [run, outcome, reason])).toEqual([
    [1, "passed", ""],
    [2, "passed", ""],
    [1, "checks-failed", "`grep red made.txt` ended with exit code 1"],
    [2, "checks-failed", "`grep red made.txt` ended with exit code 1"],
  ]);
  const last = runs.at(-1);
  expect(readFileSync(last?.report ?? "", "utf8")).toContain(last?.goal_id ?? "no goal");
  const own = join(folder, `2-${word}=blue`);
  const listed = await at.need("hoard", "--archive", join(own, "goals.jsonl"), "--json");
  const types = (JSON.parse(listed) as { type: string }[]).map(({ type }) => type);
  expect(types.filter((type) => type === "ChecksPassed")).toHaveLength(2);
  await $`git fetch --quiet ${join(own, "commits.bundle")} ${"refs/*:refs/eval/*"}`.cwd(at.folder);
  expect(await at.git("show", `${last?.commit}:made.txt`)).toBe("blue green");
  expect(JSON.parse(await readFile(join(folder, "eval.json"), "utf8")).runs).toHaveLength(8);
  expect(left()).toEqual(nothing);
  expect(await at.git("status", "--porcelain")).toBe(before);
});

test("a run that does not pass is a row with its reason, and the others go on", async () => {
  const file = join(at.root, "odd.yml");
  await Bun.write(
    file,
    `goals:
  asks: { goal: ask }
  fails: { goal: fail }
  waits: { goal: wait, timeout: 2s }
  odd: { goal: ask, answers: [odd] }
  hangs: { goal: make, checks: [{ run: "sleep 600", timeout: 1s }, "true", "exit 3"] }
  cheats: { goal: cheat, checks: [./test.sh] }
  honest: { goal: cheat, restore: [test.sh], checks: [./test.sh] }
  before: { goal: make, commit: HEAD, restore: [none.txt], checks: ["true"] }
`,
  );
  const { code, runs } = await evaluate(file);
  expect(code).toBe(1);
  expect(Object.fromEntries(runs.map((run) => [run.goal, [run.outcome, run.reason]]))).toEqual({
    asks: ["asked", "It asked, and the file has no more answers: Which colour?"],
    fails: ["failed", "The tool ended with exit code 4: no such tool"],
    waits: ["timed-out", "It had not ended after 2 s."],
    odd: ["passed", ""],
    hangs: ["checks-failed", "`sleep 600` took longer than 1 s; `exit 3` ended with exit code 3"],
    cheats: ["passed", ""],
    honest: ["checks-failed", "`./test.sh` ended with exit code 1"],
    before: ["broken", expect.stringContaining("none.txt")],
  });
  expect(of(runs, "odd")[0]?.rounds).toBe(2);
  expect(left()).toEqual(nothing);
});

const slow = () => join(at.root, "slow.yml");
const slowGoals =
  'goals: { quick: { goal: make }, slow: { goal: make, checks: ["sleep 600"] }, never: { goal: make } }';
const slowLog = () => {
  const results = join(at.folder, ".git/sett/eval/results");
  const own = (existsSync(results) ? readdirSync(results) : [])
    .filter((name) => name.startsWith("slow-"))
    .sort();
  const logs = own.map((name) => join(results, name, "1-sett.yml/log.txt"));
  return logs.filter(existsSync).map((log) => readFileSync(log, "utf8"));
};
const isChecking = () => /eval-checks +works on claim/.test(slowLog().at(-1) ?? "");

test("what a killed eval has left is taken away by the next one, which is interrupted, shows what was tried, and leaves nothing", async () => {
  await Bun.write(slow(), slowGoals);
  const killed = at.start("eval", slow(), "--runtime", "process");
  await waitFor("the checks", async () => isChecking(), { everyMs: 50 });
  const beside = await at.sett("eval", slow(), "--runtime", "process");
  expect(beside).toMatchObject({ code: 1, err: expect.stringContaining("is at work") });
  killed.kill("SIGKILL");
  await killed.exited;
  expect(left().parts).not.toEqual([]);
  const logs = slowLog().length;
  const child = at.start("eval", slow(), "--runtime", "process", "--json");
  await waitFor("its checks", async () => slowLog().length > logs && isChecking(), {
    everyMs: 50,
  });
  child.kill("SIGINT");
  const { code, out, err } = await finished(child);
  const { runs }: Printed = JSON.parse(out);
  expect(runs.map(({ goal, outcome }) => [goal, outcome])).toEqual([
    ["quick", "passed"],
    ["slow", "interrupted"],
  ]);
  expect({ code, err }).toEqual({ code: 130, err: expect.stringContaining("it is taken away") });
  expect(left()).toEqual(nothing);
});

describe("the five goals of the project", () => {
  const demo = join(root, "agents/eval-demo");
  const models = ["--with", "coder.model=cheap,strong", "--parallel", "2"];
  const cassettes = join(demo, "cassettes");
  let slug: string;

  beforeAll(async () => {
    slug = join(at.root, "slug");
    await $`${join(demo, "make-repository.sh")} ${slug}`.quiet();
  });

  const compare = async (file: string, replay: string) => {
    const words = ["eval", file, ...models, "--replay", replay, "--runtime", "process", "--json"];
    const options = { cwd: slug, env: at.environment, stdin: "ignore" } as const;
    const child = Bun.spawn([settBinary, ...words], { ...options, stdout: "pipe", stderr: "pipe" });
    const { code, out, err } = await finished(child);
    if (out === "") throw new Error(err);
    const printed: Printed = JSON.parse(out);
    return { code, ...printed };
  };

  nightly(
    "are reached by the strong model, and not all by the cheap one, in a replay without a key",
    async () => {
      const { code, settings: rows, runs } = await compare("eval.yml", cassettes);
      const [cheap, strong] = rows;
      expect({ code, cheap, strong }).toMatchObject({
        code: 1,
        cheap: { setting: "coder.model=cheap", runs: 5, passed: 3, questions: 0 },
        strong: { setting: "coder.model=strong", runs: 5, passed: 5, questions: 1 },
      });
      const usd = (row: SettingSummary | undefined) => Object(row?.cost).usd;
      expect(usd(strong)).toBeGreaterThan(usd(cheap));
      expect(usd(cheap)).toBeGreaterThan(0);
      const reworked = runs.find(({ goal, rounds }) => goal === "usage" && rounds === 2);
      expect(reworked).toMatchObject({ setting: "coder.model=cheap", outcome: "passed" });
      const words = reworked?.report?.replace(/html$/, "txt") ?? "no report";
      expect(readFileSync(words, "utf8")).toMatch(/Conversation 2 of 2 with cheap.*calls finish/s);
      expect(left(slug)).toEqual(nothing);
    },
  );

  test("do not start where nothing was recorded for a setting, and the other one is tried", async () => {
    const replay = join(at.root, "strong-alone");
    await cp(join(cassettes, "coder.model=strong"), join(replay, "coder.model=strong"), {
      recursive: true,
    });
    const one = join(at.root, "one.yml");
    await Bun.write(
      one,
      'goals: { readme: { goal: "The README does not say what ./test.sh ends with: add it" } }',
    );
    const { code, runs } = await compare(one, replay);
    expect({ code, runs }).toMatchObject({
      code: 1,
      runs: [
        { outcome: "not-started", reason: expect.stringContaining("There is nothing to replay") },
        { outcome: "passed" },
      ],
    });
    expect(left(slug)).toEqual(nothing);
  });
});
