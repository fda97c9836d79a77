// sett post: what a person has made goes into a goal, and agents bid on it, with the real program,
// orchestrator, cubs and Redis.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { bids, report, Sett } from "../../support/cli/sett.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { newArtefactId } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { Member } from "../../support/world/clan.ts";
import { untilStopped } from "../../support/world/tool.ts";

let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
});

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

const short = (id: string) => id.slice(0, 8);
const isType = (type: string, version?: number) => (one: Artefact) =>
  one.type === type && (version === undefined || one.version === version);

/** A writer of drafts, and a printer that makes a book of each. */
const publishers = (over: Record<string, Member> = {}): Record<string, Member> => ({
  writer: { ...bids({ on: "GoalDefined", bid: "exclusive" }), tool: () => report("Draft") },
  printer: {
    ...bids({ on: "Draft", bid: "exclusive" }),
    tool: ({ target_artefact }) => report("Book", { artefact_payload: target_artefact.payload }),
  },
  ...over,
});

async function posted(sett: Sett, ...words: string[]): Promise<Artefact> {
  const id = (await sett.need("post", ...words)).trim();
  const artefact = await sett.board.readArtefact(id as Artefact["id"]);
  if (artefact === undefined) throw new Error(`There is no artefact ${id}.`);
  return artefact;
}

/** Who posted it, as the log has it. */
async function actorOf({ board }: Sett, { id }: Artefact): Promise<string | undefined> {
  const events = await board.readEvents("0", 10_000);
  return events.find((one) => one.type === "artefact_created" && one.artefact_id === id)?.actor;
}

test("a new artefact is of the goal of its sources, by name on record, and agents bid on it", async () => {
  await using sett = await Sett.start(
    at,
    publishers({
      reader: {
        ...bids({ on: "Note", bid: "exclusive" }),
        tool: ({ target_artefact: { payload, produced_by_role } }) =>
          report("Read", { artefact_payload: `${payload} by ${produced_by_role}` }),
      },
    }),
  );
  const goal = await sett.goal();
  const draft = await sett.made(goal, isType("Draft"));
  const { code, out, err } = await sett.sett(
    "post",
    "Note",
    "--payload",
    "Two metres\nhigh",
    "--from",
    short(draft.id),
    "--from",
    goal.id,
  );
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringContaining(`Posted Note in goal ${short(goal.id)}.`),
  });
  expect(out).toMatch(/^[0-9a-f-]{36}\n$/);
  const read = await sett.made(goal, isType("Read"));
  expect(read.payload).toBe("Two metres\nhigh by user");
  const note = await sett.board.readArtefact(out.trim() as Artefact["id"]);
  expect(note).toMatchObject({
    ...{
      id: out.trim(),
      logical_id: out.trim(),
      version: 1,
      structural_type: "Standard",
      type: "Note",
    },
    ...{ payload: "Two metres\nhigh", source_artefacts: [draft.id, goal.id], goal_id: goal.id },
    ...{
      produced_by_role: "user",
      produced_by_agent: "",
      claim_id: "",
      metadata: { summary: "Two metres" },
    },
  });
  expect(note && (await actorOf(sett, note))).toBe("person:Ada Lovelace <ada@sett.invalid>");
  expect(await sett.need("watch", "--no-follow", "--goal", goal.id)).toMatch(
    /Ada Lovelace .*posts Note/,
  );
  const other = await posted(
    sett,
    "Note",
    "-p",
    "Mine",
    "--from",
    note?.id ?? "",
    "--as",
    "Grace Hopper",
  );
  expect(await actorOf(sett, other)).toBe("person:Grace Hopper");
});

test("the content comes from a file or from stdin, whole; --json describes what was posted", async () => {
  await using sett = await Sett.start(at, {});
  const goal = await sett.goal();
  const text = "Große Tür\n".repeat(200_000);
  await writeFile(join(at.folder, "draft.md"), text);
  const described = JSON.parse(
    await sett.need("post", "Draft", "--file", "draft.md", "--from", goal.id, "--json"),
  );
  expect(described).toMatchObject({
    type: "Draft",
    version: 1,
    goal_id: goal.id,
    source_artefacts: [goal.id],
  });
  expect(described).not.toHaveProperty("payload");
  expect((await sett.board.readArtefact(described.id))?.payload).toBe(text);
  for (const option of ["--file", "--payload"]) {
    const words = ["post", "Draft", option, "-", "--from", goal.id, "--name", sett.instance];
    const { code, out } = await runSett(words, { cwd: at.folder, env: at.env, stdin: "by a pipe" });
    expect(code).toBe(0);
    expect((await sett.board.readArtefact(out.trim() as Artefact["id"]))?.payload).toBe(
      "by a pipe",
    );
  }
});

describe("a version of a person", () => {
  test("follows an agent's in its thread, ends the work on that one, and agents work on it", async () => {
    const hang = Promise.withResolvers<void>();
    const sample = publishers({
      printer: {
        ...bids({ on: "Draft", bid: "exclusive" }),
        tool: async ({ target_artefact: { version, payload } }) => {
          if (version === 1) await hang.promise;
          return report("Book", { artefact_payload: payload });
        },
      },
    });
    await using sett = await Sett.start(at, sample);
    const goal = await sett.goal();
    const first = await sett.made(goal, isType("Draft"));
    await sett.grant(first, "printer", "running");
    const second = await posted(
      sett,
      "Draft",
      "--payload",
      "Dear Grace,",
      "--version-of",
      short(first.id),
      "--from",
      goal.id,
    );
    expect(second).toMatchObject({
      ...{
        logical_id: first.logical_id,
        version: 2,
        source_artefacts: [first.id, goal.id],
        produced_by_agent: "",
      },
    });
    const { claim } = await sett.ended(first, "terminated");
    expect(claim.termination_reason).toBe("Version 2 was posted in its place.");
    hang.resolve();
    const book = await sett.made(goal, isType("Book"));
    expect(book).toMatchObject({ payload: "Dear Grace,", source_artefacts: [second.id] });
    await waitFor("the goal to settle", async () => (await sett.stateOf(goal)) === "settled");
  });

  nightly("takes the place of a rework that is under way", async () => {
    const sample = publishers({
      writer: {
        ...bids({ on: "GoalDefined", bid: "exclusive" }),
        tool: async ({ target_artefact: { type } }, signal) => {
          if (type === "GoalDefined") return report("Draft");
          return await untilStopped(signal);
        },
      },
      critic: {
        ...bids({ on: "Draft", bid: "review" }),
        tool: ({ target_artefact: { payload } }) =>
          report("Review", {
            structural_type: "Review",
            artefact_payload: payload === "draft" ? "Longer" : "{}",
          }),
      },
    });
    await using sett = await Sett.start(at, sample);
    const goal = await sett.goal();
    const first = await sett.made(goal, isType("Draft"));
    await sett.grant(first, "writer", "running", "rework:1");
    await posted(sett, "Draft", "--payload", "Much longer", "--version-of", first.id);
    await sett.ended(first, "terminated", "rework:1");
    expect(await sett.made(goal, isType("Book"))).toMatchObject({ payload: "Much longer" });
    await waitFor("the goal to settle", async () => (await sett.stateOf(goal)) === "settled");
  });

  nightly("supersedes the Failure of the work on the one before", async () => {
    const sample = publishers({
      printer: {
        ...bids({ on: "Draft", bid: "exclusive" }),
        tool: ({ target_artefact: { payload } }) =>
          payload === "draft" ? new Error("No ink") : report("Book"),
      },
    });
    await using sett = await Sett.start(at, sample);
    const goal = await sett.goal();
    const first = await sett.made(goal, isType("Draft"));
    await sett.ended(first, "terminated");
    expect(await sett.stateOf(goal)).toBe("failed");
    await posted(sett, "Draft", "--payload", "Short", "--version-of", first.id);
    await sett.made(goal, isType("Book"));
    await waitFor("the goal to settle", async () => (await sett.stateOf(goal)) === "settled");
    const [failure] = (await sett.artefactsOf(goal)).filter(
      (one) => one.structural_type === "Failure",
    );
    const again = await sett.sett("retry", failure?.id ?? "");
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining("Version 2 was posted in the place of what it was about."),
    });
  });

  nightly("that reviewers reject fails the goal, until the person posts the next one", async () => {
    const sample = publishers({
      critic: {
        ...bids({ on: "Draft", bid: "review" }),
        tool: ({ target_artefact: { payload } }) =>
          report("Review", {
            structural_type: "Review",
            artefact_payload: payload === "Bad" ? "Longer" : "{}",
          }),
      },
    });
    await using sett = await Sett.start(at, sample);
    const goal = await sett.goal();
    const first = await sett.made(goal, isType("Draft"));
    const bad = await posted(sett, "Draft", "--payload", "Bad", "--version-of", first.id);
    const failure = await sett.made(goal, isType("PostRejected"));
    expect(failure.payload).toContain("critic rejected version 2, which a person posted");
    await waitFor("the goal to fail", async () => (await sett.stateOf(goal)) === "failed");
    await posted(sett, "Draft", "--payload", "Good", "--version-of", bad.id);
    await waitFor("the goal to settle", async () => (await sett.stateOf(goal)) === "settled");
  });

  test("must follow the newest one, of its type, with another content", async () => {
    await using sett = await Sett.start(at, {});
    const goal = await sett.goal();
    const first = await posted(sett, "Draft", "--payload", "One", "--from", goal.id);
    const second = await posted(sett, "Draft", "--payload", "Two", "--version-of", first.id);
    const refusals: [string[], string, string][] = [
      [
        ["Draft", "--payload", "x", "--version-of", first.id],
        "version 2 has replaced it",
        `--version-of ${short(second.id)}`,
      ],
      [
        ["Book", "--payload", "x", "--version-of", second.id],
        "keeps that type",
        "Post it as Draft",
      ],
      [
        ["Draft", "--payload", "Two", "--version-of", second.id],
        "is what version 2 says already",
        "Change it first",
      ],
      [["Goal", "--payload", "x", "--version-of", goal.id], "is a goal", "forage --goal"],
    ];
    for (const [words, message, hint] of refusals) {
      const { code, out, err } = await sett.sett("post", ...words);
      expect({ code, out, err }).toEqual({
        code: 2,
        out: "",
        err: expect.stringContaining(message),
      });
      expect(err).toContain(hint);
    }
    expect(await sett.board.readThread(first.logical_id)).toEqual([first.id, second.id]);
  });
});

describe("a commit", () => {
  nightly("is kept, and is the next version of another one", async () => {
    await using sett = await Sett.start(at, {});
    const goal = await sett.goal();
    const one = await at.commit("door.txt", "blue\n");
    const first = await posted(sett, "CodeCommit", "--commit", "HEAD", "--from", goal.id);
    expect(first).toMatchObject({
      payload: one,
      metadata: { commit: one, summary: "Write door.txt" },
    });
    expect(await at.git("rev-parse", `refs/sett/${sett.instance}/${first.id}`)).toBe(one);
    const same = await sett.sett(
      "post",
      "CodeCommit",
      "--commit",
      "main",
      "--version-of",
      first.id,
    );
    expect(same).toMatchObject({
      code: 2,
      err: expect.stringContaining("Commit your change first"),
    });
    const two = await at.commit("door.txt", "green\n");
    const second = await posted(
      sett,
      "CodeCommit",
      "--commit",
      two.slice(0, 10),
      "--version-of",
      first.id,
    );
    expect(second).toMatchObject({ payload: two, version: 2, metadata: { commit: two } });
    expect(await sett.need("hoard", "--goal", goal.id)).toContain("Write door.txt");
    expect(await sett.need("unearth", second.id)).toContain("door.txt");
  });

  test("must be one of this repository, and a CodeCommit must be a commit", async () => {
    await using sett = await Sett.start(at, {});
    const goal = await sett.goal();
    const refusals: [string[], string][] = [
      [
        ["CodeCommit", "--commit", "nowhere", "--from", goal.id],
        "This repository has no commit `nowhere`.",
      ],
      [
        ["CodeCommit", "--commit", "HEAD:README.md", "--from", goal.id],
        "This repository has no commit `HEAD:README.md`.",
      ],
      [
        ["CodeCommit", "--commit=--all", "--from", goal.id],
        "This repository has no commit `--all`.",
      ],
      [
        ["CodeCommit", "--payload", "abc", "--from", goal.id],
        "A CodeCommit is a commit, and no text.",
      ],
    ];
    for (const [words, message] of refusals) {
      const { code, err } = await sett.sett("post", ...words);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
    }
    expect(await sett.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id]);
  });
});

nightly(
  "what cannot be posted is refused with the next step, and leaves nothing behind",
  async () => {
    const owner: Member = { human: true, ...bids({ on: "GoalDefined", bid: "review" }) };
    await using sett = await Sett.start(at, { owner });
    const [goal, other] = [await sett.goal("One"), await sett.goal("Two")];
    await sett.grant(other, "owner", "waiting");
    await sett.need("cancel", other.id);
    const [open, another] = [await sett.goal("Three"), newArtefactId()];
    await writeFile(join(at.folder, "picture.png"), new Uint8Array([0x89, 0xff, 0xfe]));
    const from = ["--from", goal.id];
    const refusals: [string[], number, string, string][] = [
      [["Note", "--payload", "x"], 2, "Nothing says which goal it belongs to.", "--from ID"],
      [
        ["Note", ...from],
        2,
        "Nothing says what is posted.",
        "--payload TEXT, --file FILE or --commit COMMIT",
      ],
      [
        ["Note", "--payload", "x", "--commit", "HEAD", ...from],
        2,
        "--payload and --commit exclude each other.",
        "Give one",
      ],
      [["Note", "--payload", " ", ...from], 2, "The content is empty.", "--payload"],
      [
        ["Note", "--payload", "x", "--from", another],
        1,
        `There is no artefact ${another}.`,
        "hoard",
      ],
      [["Note", "--payload", "x", "--from", "abc"], 2, "an id has at least 6 characters", "hoard"],
      [
        ["Note", "--payload", "x", ...from, "--from", open.id],
        2,
        `belongs to goal ${short(goal.id)}, and`,
        "of one goal",
      ],
      [["Note", "--payload", "x", "--from", other.id], 1, "was ended (cancelled)", "forage --goal"],
      [["Note", "--file", "nothing.md", ...from], 2, "There is no file nothing.md.", "--file"],
      [["Note", "--file", ".", ...from], 2, ". is a folder.", "--file"],
      [
        ["Note", "--file", "picture.png", ...from],
        2,
        "The content in picture.png is not UTF-8 text.",
        "--commit",
      ],
      [
        ["GoalDefined", "--payload", "x", ...from],
        2,
        "the type GoalDefined, which is Sett's own",
        "forage --goal",
      ],
      [["Review", "--payload", "{}", ...from], 2, "a Review", "sett approve ID"],
      [["Answer", "--payload", "x", ...from], 2, "an Answer", "sett answer ID"],
      [["Failure", "--payload", "x", ...from], 2, "a Failure", "another word"],
      [["Terminal", "--payload", "x", ...from], 2, "a Terminal", "another word"],
      [
        ["AttemptLost", "--payload", "x", ...from],
        2,
        "the type AttemptLost, which is Sett's own",
        "another word",
      ],
      [
        ["GоalDefined", "--payload", "x", ...from],
        2,
        "a type that looks like GoalDefined",
        "another word",
      ],
      [
        ["x".repeat(201), "--payload", "x", ...from],
        2,
        "a type of more than 200 characters",
        "another word",
      ],
      [["", "--payload", "x", ...from], 2, "a type without a character", "another word"],
    ];
    for (const [words, exitCode, message, hint] of refusals) {
      const { code, out, err } = await sett.sett("post", ...words);
      expect({ words, code, out, err }).toEqual({
        words,
        code: exitCode,
        out: "",
        err: expect.stringContaining(message),
      });
      expect(err).toContain(hint);
    }
    for (const { goal_id } of [goal, other, open])
      expect(await sett.board.listArtefactsOfGoal(goal_id)).toHaveLength(1);
  },
);

nightly("one that cannot be stored says so, and during a pause when work begins", async () => {
  await using sett = await Sett.start(at, {});
  const goal = await sett.goal();
  await sett.need("pause");
  const { code, err } = await sett.sett("post", "Note", "--payload", "x", "--from", goal.id);
  expect({ code, err }).toEqual({
    code: 0,
    err: expect.stringMatching(/work on it begins when the instance is resumed/),
  });
});
