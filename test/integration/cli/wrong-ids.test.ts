// Shows what commands that take an id say to one that is of no use to them: the exit code does not
// depend on the command.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { StructuralType } from "../../../lib/model/artefact.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { sampleArtefact } from "../../support/records/sample.ts";

const goal = sampleArtefact();
const made = (structural_type: StructuralType, type: string) =>
  sampleArtefact({
    structural_type,
    type,
    goal_id: goal.goal_id,
    source_artefacts: [goal.id],
    produced_by_agent: "coder",
  });
const draft = made("Standard", "Draft");
const review = made("Review", "Review");
let at: Workspace;

beforeAll(async () => {
  at = await Workspace.create();
  await using board = await at.board();
  for (const artefact of [goal, draft, review]) await board.createArtefact(artefact, "person:Ada");
}, 120_000);

afterAll(async () => {
  await at[Symbol.asyncDispose]();
});

/** With an artefact of a kind that is not theirs; undefined: they take any. */
const commands = [
  [["answer", "ID", "Red"], draft],
  [["approve", "ID"], review],
  [["cancel", "ID"], draft],
  [["graph", "ID"], draft],
  [["hoard", "ID"], undefined],
  [["hoard", "--goal", "ID"], draft],
  [["questions", "--goal", "ID"], draft],
  [["questions", "--wait", "--goal", "ID"], draft],
  [["reject", "ID", "--reason", "No"], review],
  [["retry", "ID"], draft],
  [["status", "--goal", "ID"], draft],
  [["unearth", "ID"], undefined],
  [["watch", "--goal", "ID"], draft],
  [["watch", "--no-follow", "--goal", "ID"], draft],
] as const;

function run(words: readonly string[], id: string) {
  return at.sett(...words.map((word) => (word === "ID" ? id : word)));
}

describe.each(commands)("sett %j", (words, ofOtherKind) => {
  if (ofOtherKind !== undefined) {
    test("is wrong use where the id is of something of another kind", async () => {
      const { code, out, err } = await run(words, ofOtherKind.id.slice(0, 8));
      expect({ code, out, err }).toEqual({
        code: 2,
        out: "",
        err: expect.stringMatching(
          new RegExp(
            `^sett: ${ofOtherKind.id.slice(0, 8)} is not .*: it is ${ofOtherKind.type} \\(`,
          ),
        ),
      });
    }, 120_000);
  }

  test("fails where there is nothing of that id", async () => {
    const { code, out, err } = await run(words, crypto.randomUUID());
    expect({ code, out, err }).toEqual({
      code: 1,
      out: "",
      err: expect.stringContaining("There is no "),
    });
  }, 120_000);

  test("is wrong use where it is no id", async () => {
    const { code, out, err } = await run(words, "12345");
    expect({ code, out, err }).toEqual({
      code: 2,
      out: "",
      err: expect.stringContaining("`12345` is not the id of a"),
    });
  }, 120_000);
});

test("a goal whose artefact was removed is still found in the log, by a short id too", async () => {
  const vanished = sampleArtefact();
  await using board = await at.board();
  await board.createArtefact(vanished, "person:Ada");
  await at.redis.cli("DEL", `sett:${board.instance}:artifact:${vanished.id}`);
  for (const id of [vanished.id, vanished.id.slice(0, 8)]) {
    const { code, out } = await at.sett("watch", "--no-follow", "-o", "jsonl", "--goal", id);
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining(`"artefact_id":"${vanished.id}"`),
    });
  }
}, 120_000);
