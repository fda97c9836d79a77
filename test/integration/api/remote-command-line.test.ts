// The command line works with an instance elsewhere through its API: SETT_API and SETT_API_TOKEN
// instead of Redis and Docker.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import process from "node:process";
import { digestOf } from "../../../apps/api/access/tokens.ts";
import type { Logs } from "../../../apps/api/deps.ts";
import { openRepository } from "../../../apps/api/repository.ts";
import { aborted } from "../../../lib/async/sleep.ts";
import { statedIn } from "../../../lib/client/actions/sign.ts";
import { readGoal } from "../../../lib/client/facts/goal.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { ArtefactId, GoalId, LogicalId } from "../../../lib/model/ids.ts";
import { problemOfAct } from "../../../lib/proof/signed-act.ts";
import { readSigners } from "../../../lib/proof/ssh/allowed-signers.ts";
import { ApiScene, type TokenName } from "../../support/api/api-scene.ts";
import { connectEditor } from "../../support/cli/editor.ts";
import { runSett, startSett } from "../../support/cli/sett-process.ts";
import {
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
} from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { freePort } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

let scene: ApiScene;
let here: ReturnType<typeof sampleRepository>;

beforeAll(async () => {
  here = sampleRepository();
  scene = await ApiScene.start(
    {
      coder: {
        behaviour: {
          bid: ({ type }) => (type === "GoalDefined" ? "exclusive" : "ignore"),
          work: ({ payload }) =>
            payload.endsWith("?")
              ? { structural_type: "Question", type: "Question", payload }
              : { type: payload === "Report" ? "Report" : "Note", payload: `Done: ${payload}` },
        },
      },
      lead: { human: true, bids: [{ on: "Report", bid: "review" }] },
    },
    { deps: { repository: await openRepository(here.path, process.env) } },
  );
});

afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  here[Symbol.dispose]();
});

const env = (as: TokenName = "all") => ({ SETT_API: scene.url, SETT_API_TOKEN: scene.tokens[as] });
const sett = (words: string[], as: TokenName = "all") =>
  runSett(words, { cwd: here.path, env: env(as) });

async function post(text: string): Promise<GoalId> {
  const { code, out, err } = await sett(["forage", "--goal", text]);
  expect({ code, err }).toMatchObject({ code: 0 });
  return out.trim() as GoalId;
}

/** Nothing more happens without a person. */
async function rest(goal: GoalId): Promise<void> {
  await waitFor(
    "the goal to rest",
    async () => (await readGoal(scene.clan.board, goal)).status.state !== "running",
  );
}

async function actorOf(id: string): Promise<string | undefined> {
  const events = await scene.clan.board.readEvents("0", 10_000);
  return events.find(({ type, artefact_id }) => type === "artefact_created" && artefact_id === id)
    ?.actor;
}

describe("with SETT_API", () => {
  test("forage posts a goal at this repository's HEAD, in the name of the token, and follows it to its end", async () => {
    const { code, out, err } = await sett(["forage", "--goal", "Paint the door", "--watch"]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("is settled") });
    const goal = out.trim();
    expect(await actorOf(goal)).toBe("person:all");
    const stored = await scene.clan.board.readArtefact(goal as ArtefactId);
    expect(String(stored?.metadata.commit)).toBe(git(here.path, "rev-parse", "HEAD"));
  });

  test("forage brings the commit that only its own clone has, without the rest of its history", async () => {
    await post("Write a note");
    const clone = join(here.root, "clone");
    git(here.root, "clone", "--quiet", here.path, clone);
    const commit = commitFiles(clone, { "far.txt": "from afar\n" }, "Far");
    const forage = async (as: TokenName) =>
      await runSett(["forage", "--goal", "Write a note"], { cwd: clone, env: env(as) });
    expect(await forage("reader")).toMatchObject({
      code: 1,
      err: expect.stringContaining("the right `forage`"),
    });
    const other = join(here.root, "other");
    git(here.root, "init", "--quiet", other);
    const foreign = commitFiles(other, { "own.txt": "of another project\n" }, "Other");
    const wrong = await runSett(["forage", "--goal", "Write"], { cwd: other, env: env("forager") });
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining("knows no commit of this repository's history"),
    });
    const { code, out, err } = await forage("forager");
    expect({ code, err }).toMatchObject({ code: 0 });
    const goal = out.trim() as GoalId;
    const stored = await scene.clan.board.readArtefact(goal as never);
    expect(stored?.metadata.commit).toBe(commit);
    // Agents see it, and the repository is as it was, until its person fetches.
    const { instance } = scene.clan.board;
    const repository = await HostRepository.open(here.path, { env: hostEnv });
    expect(await repository.exchange(instance).brought.seen([commit])).toEqual([commit]);
    expect(await repository.hasCommit(commit)).toBe(false);
    expect(git(here.path, "for-each-ref", `refs/sett/${instance}/${goal}`)).toBe("");
    expect(await repository.fetchCommits(instance, [])).toMatchObject({ broken: [] });
    expect(git(here.path, "rev-parse", `refs/sett/${instance}/${goal}`)).toBe(commit);
    expect(git(here.path, "fsck", "--connectivity-only", "--no-dangling")).toBe("");
    expect(await forage("forager")).toMatchObject({ code: 0 });
    const events = await scene.clan.board.readEvents("0", 10_000);
    const brought = events.filter(({ data }) =>
      [commit, foreign].some((one) => data?.path === `/v1/board/commits/${one}`),
    );
    expect(brought.map(({ actor, data }) => [String(actor), data?.status])).toEqual([
      ["person:forager", 201],
    ]);
  });

  nightly("tell says it in the name of the token, whichever name the request has", async () => {
    const goal = await post("Which colour?");
    await waitFor(
      "the question",
      async () => (await scene.clan.board.listOpenQuestions()).length > 0,
    );
    const { code, out } = await sett(["tell", goal, "Be quick"]);
    expect(code).toBe(0);
    const id = out.trim();
    expect(await actorOf(id)).toBe("person:all");
    const remark = await scene.clan.board.readArtefact(id as ArtefactId);
    expect(remark).toMatchObject({
      type: "PersonSays",
      payload: "Be quick",
      metadata: { by: "all" },
    });
    const [claim] = [...(await scene.clan.board.claimsOfArtefact(goal as never)).values()];
    const body = { text: "Only here", claim };
    const answer = await scene.post(`/v1/goals/${goal}/tell`, body, { as: "all" });
    expect(answer).toMatchObject({
      status: 201,
      body: { type: "PersonSays", metadata: { by: "all" } },
    });
    expect((await scene.post(`/v1/goals/${goal}/tell`, body, { as: "reader" })).status).toBe(403);
    const other = await post("Write a note");
    const stated = { source_artefacts: [other], metadata: { by: "Ada" } };
    const forged = { ...remark, id: crypto.randomUUID(), ...stated };
    const made = { ...forged, logical_id: forged.id };
    for (const [name, args] of [
      ["tell", [{ words: made, actor: "person:Ada" }]],
      ["createArtefact", [{ ...made, structural_type: "Standard" }, "person:Ada"]],
    ] as const) {
      await scene.post(`/v1/board/${name}`, args, { as: "all" });
      const stored = await scene.clan.board.readArtefact(made.id as never);
      if (name === "tell") expect(stored?.metadata).toMatchObject({ by: "all" });
    }
    const events = await scene.clan.board.readEvents("0", 10_000);
    expect(events.filter(({ actor }) => actor === "person:Ada")).toEqual([]);
    const tellings = events.filter(({ data }) => data?.path === "/v1/board/tell");
    expect(tellings.map(({ goal_id }) => String(goal_id))).toEqual([goal, goal]);
    expect((await sett(["cancel", goal])).code).toBe(0);
    const late = await sett(["tell", goal, "Too late"]);
    expect(late).toMatchObject({
      code: 1,
      err: expect.stringContaining("no work goes on that could hear it"),
    });
  });

  test("hoard, unearth, graph, status and watch show what the blackboard has", async () => {
    const goal = await post("Write a note");
    await rest(goal);
    const hoard = await sett(["hoard", "--goal", goal, "--json"]);
    expect(JSON.parse(hoard.out).map(({ type }: { type: string }) => type)).toEqual([
      "GoalDefined",
      "Note",
    ]);
    expect((await sett(["unearth", JSON.parse(hoard.out)[1].id, "--payload"])).out).toBe(
      "Done: Write a note",
    );
    expect((await sett(["graph", goal])).out).toContain("Note");
    expect(
      JSON.parse((await sett(["status", "--json", "--goal", goal])).out).goals[0],
    ).toMatchObject({
      id: goal,
      state: "settled",
    });
    expect((await sett(["watch", "--no-follow", "--goal", goal])).out).toMatch(/posts Note/);
  });

  test("questions are listed and answered, and results approved and rejected, in the name of the token", async () => {
    const goal = await post("Which door?");
    await rest(goal);
    const [question] = JSON.parse((await sett(["questions", "--goal", goal, "--json"])).out);
    expect(question).toMatchObject({ kind: "question", text: "Which door?" });
    const { code, out, err } = await sett(["answer", question.id, "The green one"]);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(await actorOf(out.trim())).toBe("person:all");

    const report = await post("Report");
    await rest(report);
    const [approval] = JSON.parse((await sett(["questions", "--goal", report, "--json"])).out);
    const rejected = await sett(["reject", approval.id, "--reason", "Say more", "--json"]);
    expect({ code: rejected.code, err: rejected.err }).toMatchObject({ code: 0 });
    const review = await scene.clan.board.readArtefact(JSON.parse(rejected.out).id);
    expect(review).toMatchObject({
      structural_type: "Review",
      produced_by_agent: "lead",
      metadata: { by: "all" },
    });
  });

  nightly("what a person signs is stored by the API as it was signed", async () => {
    const key = join(here.root, "key");
    const made = Bun.spawnSync(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key]);
    expect(made.exitCode).toBe(0);
    const { signers } = readSigners(`all ${await Bun.file(`${key}.pub`).text()}`);
    const { board } = scene.clan;
    const problem = async (id: string, about?: string) => {
      const artefact = await board.readArtefact(id as ArtefactId);
      if (artefact === undefined) throw new Error("it is not stored");
      const actor = (await actorOf(id)) as "person:all";
      const read =
        about === undefined ? undefined : await board.readWithDigest(about as ArtefactId);
      const order = { artefact, actor, instance: board.instance, content: read?.sha256 ?? "" };
      const stated = statedIn(order);
      if (stated === undefined) throw new Error("it is no act");
      const at = Date.parse(artefact.created_at);
      const { statement, signature } = artefact.metadata;
      return problemOfAct({ statement, signature }, { stated, signers, at });
    };
    const signed = async (...words: string[]) => {
      const { code, out, err } = await sett([...words, "--sign-with", key]);
      expect({ code, err }).toMatchObject({ code: 0 });
      return out.trim();
    };
    const goal = await signed("forage", "--goal", "Which key?");
    expect(await problem(goal)).toBeUndefined();
    await rest(goal as GoalId);
    const [question] = JSON.parse((await sett(["questions", "--goal", goal, "--json"])).out);
    expect(await problem(await signed("answer", question.id, "This"), question.id)).toBeUndefined();
    const report = await post("Report");
    await rest(report);
    const [approval] = JSON.parse((await sett(["questions", "--goal", report, "--json"])).out);
    const review = await signed("approve", approval.id, "--reason", "Good");
    expect(await problem(review, approval.id)).toBeUndefined();
  });

  nightly("post puts a text and a commit into a goal, in the name of the token", async () => {
    const goal = await post("Write a note");
    await rest(goal);
    const noted = await sett(["post", "Remark", "--payload", "Two metres", "--from", goal]);
    expect({ code: noted.code, err: noted.err }).toMatchObject({ code: 0 });
    expect(await actorOf(noted.out.trim())).toBe("person:all");
    const first = ["post", "CodeCommit", "--commit", "HEAD", "--from", goal, "--json"];
    const committed = JSON.parse((await sett(first)).out);
    const head = git(here.path, "rev-parse", "HEAD");
    expect(committed).toMatchObject({ type: "CodeCommit", metadata: { commit: head } });
    const next = ["post", "Remark", "--payload", "Three", "--version-of", noted.out.trim()];
    expect(await sett(next)).toMatchObject({ code: 0 });
    const thread = await scene.clan.board.readThread(noted.out.trim() as LogicalId);
    expect(thread).toHaveLength(2);
    const again = await sett([...next.slice(0, 3), "Four", ...next.slice(4)]);
    expect(again).toMatchObject({ code: 2, err: expect.stringContaining("has replaced it") });
    const refused = await sett(["post", "Remark", "--payload", "No", "--from", goal], "forager");
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining("the right `post`"),
    });
  });

  nightly("cancel, pause and resume wait until the orchestrator has acted", async () => {
    const goal = await post("Shall we?");
    await rest(goal);
    expect(await sett(["cancel", goal])).toMatchObject({
      code: 0,
      err: expect.stringContaining("was cancelled"),
    });
    expect(await sett(["pause"])).toMatchObject({ code: 0 });
    expect(await sett(["resume"])).toMatchObject({ code: 0 });
  });

  test("a token does what it may, and no more", async () => {
    const { code, err } = await sett(["forage", "--goal", "Not mine"], "reader");
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(/^sett: This needs the right `forage`/),
    });
    expect(await sett(["hoard"], "reader")).toMatchObject({ code: 0 });
    expect(await sett(["pause"], "forager")).toMatchObject({
      code: 1,
      err: expect.stringContaining("right `control`"),
    });
  });

  test("says what is wrong with the address, the token, and what is not done from afar", async () => {
    const at = (over: Record<string, string>, ...words: string[]) =>
      runSett(words, { cwd: here.path, env: { ...env(), ...over } });
    expect(await at({ SETT_API: "ftp://x" }, "hoard")).toMatchObject({
      code: 2,
      err: expect.stringContaining("SETT_API is malformed"),
    });
    expect(await at({ SETT_API_TOKEN: "" }, "hoard")).toMatchObject({
      code: 2,
      err: expect.stringContaining("SETT_API_TOKEN is not"),
    });
    expect(await at({ SETT_API_TOKEN: "wrong" }, "hoard")).toMatchObject({
      code: 1,
      err: expect.stringContaining("token is not known"),
    });
    expect(await at({ SETT_API: "http://127.0.0.1:1" }, "hoard")).toMatchObject({
      code: 1,
      err: expect.stringContaining("does not answer"),
    });
    expect(await at({}, "hoard", "--name", "other")).toMatchObject({
      code: 1,
      err: expect.stringContaining("not of other"),
    });
    for (const words of [
      ["prune", "--before", "1d"],
      ["up"],
      ["down"],
      ["ui", "--no-open"],
      ["agent-env", "coder"],
    ])
      expect(await at({}, ...words)).toMatchObject({
        code: 2,
        err: expect.stringContaining(`sett: \`sett ${words[0]}\` cannot be done through the API`),
      });
    expect(await at({}, "pause", "--as", "Eve")).toMatchObject({
      code: 2,
      err: expect.stringContaining("in whose name you act"),
    });
  });

  test("a call that is not of its form, or in another's name, is refused", async () => {
    const goal = await post("Forge this");
    const artefact = await scene.clan.board.readArtefact(goal as unknown as ArtefactId);
    const forged = { ...artefact, id: crypto.randomUUID(), produced_by_agent: "coder" };
    expect(await scene.post("/v1/board/createArtefact", [forged, "person:eve"])).toMatchObject({
      status: 422,
    });
    expect(
      await scene.post("/v1/board/registerAgents", [[], "person:eve", { exact: true }]),
    ).toMatchObject({ status: 404 });
    expect(await scene.post("/v1/board/constructor", [])).toMatchObject({ status: 404 });
    expect(await scene.post("/v1/board/readHeads", ["all"])).toMatchObject({
      status: 422,
      body: { detail: "The arguments of readHeads are wrong: number 1 must be a list." },
    });
    for (const place of ["zzz", "1-99999999999999999999"])
      expect(await scene.post("/v1/board/readEvents", [place, 10])).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining("number 1 must be `0` or an event's id") },
      });
    const old = {
      ...artefact,
      id: crypto.randomUUID(),
      created_at: "1999-01-01T00:00:00.000Z",
      source_artefacts: [goal],
    };
    const back = {
      ...old,
      goal_id: old.id,
      logical_id: old.id,
      metadata: { ...artefact?.metadata, trigger: "nightly" },
    };
    expect(await scene.post("/v1/board/createArtefact", [back, "person:eve"])).toMatchObject({
      status: 200,
    });
    const stored = await scene.clan.board.readArtefact(back.id as ArtefactId);
    expect(stored).toMatchObject({ source_artefacts: [], metadata: { summary: "Forge this" } });
    expect([stored?.created_at.slice(0, 4), stored?.metadata.trigger]).not.toContain("1999");
    expect(stored?.metadata).not.toHaveProperty("trigger");
    const elsewhere = [{ type: "cancel_requested", goal_id: crypto.randomUUID() }, "person:eve"];
    expect(await scene.post("/v1/board/logEvent", elsewhere)).toMatchObject({ status: 422 });
    expect(
      await scene.post("/v1/board/logEvent", [{ type: "goal_ended", goal_id: goal }, "person:eve"]),
    ).toMatchObject({
      status: 422,
    });
    expect(await scene.post("/v1/board/countGoals", [], { as: "stranger" })).toMatchObject({
      status: 401,
    });
    const events = await scene.clan.board.readEvents("0", 10_000);
    const goals = events.flatMap(({ type, data, goal_id }) =>
      type === "api_called" && data?.path === "/v1/board/createArtefact"
        ? [[goal_id, data.status]]
        : [],
    );
    expect(goals.slice(-3)).toEqual([
      [goal, 200],
      [undefined, 422],
      [back.goal_id, 200],
    ]);
    expect(events.filter(({ actor }) => actor === "person:eve")).toEqual([]);
    expect(
      events.filter(
        ({ type, data }) => type === "api_called" && String(data?.path).includes("readHeads"),
      ),
    ).toEqual([]);
  });

  nightly(
    "an assistant acts beside the name of the token, with the tools that its token allows",
    async () => {
      const toolsOf = async (as: TokenName, ...options: string[]) => {
        await using editor = await connectEditor({ cwd: here.path, env: env(as), options });
        return (await editor.client.listTools()).tools.map(({ name }) => name);
      };
      expect(await toolsOf("reader")).not.toContain("post_goal");
      expect(await toolsOf("forager", "--may", "all")).toContain("post_goal");
      expect(await toolsOf("forager", "--may", "all")).not.toContain("cancel_goal");
      expect(await toolsOf("all")).not.toContain("cancel_goal");
      // Each tool reads, and this token may not.
      expect(await toolsOf("writer")).toEqual([]);
      await using editor = await connectEditor({
        cwd: here.path,
        env: env(),
        options: ["--may", "all"],
      });
      const stated = await editor.call("post_goal", { text: "Which window?", wait_seconds: 30 });
      const goal = String(stated.data.goal_id);
      expect(await actorOf(goal)).toBe("person:all, by test-editor 1.2");
      expect(await editor.call("cancel_goal", { goal })).toMatchObject({ isError: false });
      const events = await scene.clan.board.readEvents("0", 10_000);
      expect(
        events.find(({ type, goal_id }) => type === "goal_ended" && goal_id === goal)?.data,
      ).toMatchObject({
        by: "person:all, by test-editor 1.2",
      });
    },
  );

  nightly("watch follows the log as it grows", async () => {
    const goal = await post("Watch me");
    await using watching = startSett(["watch", "--goal", goal], { cwd: here.path, env: env() });
    await watching.untilOut("posts Note");
    watching.signal("SIGINT");
    expect(await watching.exited).toBe(130);
  });
});

/** Has written so many lines, and is silent. */
class GrowingLog implements Logs {
  readonly lines: string[] = [];
  async *read(
    _name: string,
    { tail, follow, signal }: { tail: number; follow: boolean; signal: AbortSignal },
  ) {
    if (!follow) return;
    const before = this.lines.length;
    yield* this.lines.slice(-tail);
    await waitFor("the next line", () => signal.aborted || this.lines.length > before);
    if (!signal.aborted) yield* this.lines.slice(before);
    await aborted(signal);
  }
}

test("logs --follow goes on where it was when the API starts again", async () => {
  const log = new GrowingLog();
  log.lines.push("one", "two");
  const port = await freePort();
  const token = "t".repeat(32);
  const tokens = [{ name: "all", sha256: digestOf(token).toString("hex"), may: ["read" as const] }];
  const start = () =>
    ApiScene.start({}, { orchestrator: false, port, deps: { tokens, logs: log } });
  const first = await start();
  const remote = { SETT_API: first.url, SETT_API_TOKEN: token };
  await using following = startSett(["logs", "coder", "--follow"], { cwd: here.path, env: remote });
  await following.untilOut("two\n");
  await first[Symbol.asyncDispose]();
  await following.untilErr("The API does not answer. Waiting until it does");
  log.lines.push("three");
  await using _second = await start();
  await following.untilErr("The API answers again.");
  await following.untilOut("three\n");
  log.lines.push("four");
  await following.untilOut("four\n");
  expect(following.out()).toBe("one\ntwo\nthree\nfour\n");
  following.signal("SIGINT");
  expect(await following.exited).toBe(130);
});
