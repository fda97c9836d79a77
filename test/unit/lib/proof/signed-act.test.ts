import { describe, expect, test } from "bun:test";
import { problemOfAct } from "../../../../lib/proof/signed-act.ts";
import { readSigners } from "../../../../lib/proof/ssh/allowed-signers.ts";
import { actOf, type Statement, statedBy } from "../../../../lib/proof/statement.ts";
import { sampleAct, sampleActor, sampleReview } from "../../../support/proof/sample-act.ts";
import { sshSigner } from "../../../support/proof/ssh-signer.ts";

const made = sampleAct();
const { signer, order, marks } = made;
const problem = (found: ReturnType<typeof problemOfAct>) => found && `${found.code}: ${found.text}`;
const ofChanged = (change: Partial<Statement>) =>
  problem(problemOfAct(sampleAct(sampleReview, { signer, change }).marks, order));

describe("an act of a person", () => {
  test("is signed by exactly what is on record", () => {
    expect(problemOfAct(marks, order)).toBeUndefined();
    for (const meaning of ["review", "responsibility", "authorship"])
      expect(ofChanged({ meaning })).toBeUndefined();
  });

  test("is not signed by a statement about anything else, and each member is named", () => {
    const other: [keyof Statement, string][] = [
      ["act", "reject"],
      ["instance", "other"],
      ["id", "x"],
      ["goal", "x"],
      ["claim", ""],
      ["artefact", "x"],
      ["content", ""],
      ["commit", "x"],
      ["for", "tester"],
      ["reason", "Bad."],
      ["name", "Eve"],
      ["principal", "eve@example.org"],
    ];
    for (const [member, value] of other)
      expect(ofChanged({ [member]: value })).toBe(
        `statement: Its statement and the record differ in: ${member}.`,
      );
    expect(ofChanged({ meaning: "fun" })).toBe(
      "statement: Its statement has a meaning that Sett does not know.",
    );
    expect(ofChanged({ sett_statement: "2" })).toBe(
      "statement: Its statement is of another version.",
    );
  });

  test("is signed near the time at which it was written down", () => {
    const sooner =
      "statement: Its statement and the log differ in the time: by more than a day, or 5 minutes.";
    const after = (minutes: number) =>
      ofChanged({ at: new Date(made.at + minutes * 60_000).toISOString() });
    expect(after(-24 * 60)).toBeUndefined();
    expect(after(5)).toBeUndefined();
    expect(after(-24 * 60 - 1)).toBe(sooner);
    expect(after(6)).toBe(sooner);
    expect(ofChanged({ at: "2026-02-30T00:00:00.000Z" })).toBe(
      "statement: Its statement has no time.",
    );
  });

  test("is unsigned, or half signed, or signed in another form", () => {
    const { statement, signature } = marks;
    expect(problem(problemOfAct({}, order))).toBe("unsigned: Nothing is signed.");
    for (const half of [{ statement }, { signature }, { statement: 1, signature }])
      expect(problem(problemOfAct(half, order))).toBe(
        "statement: It has a statement or a signature, and not both as texts.",
      );
    const other = [
      `${statement} `,
      statement.replace(',"act"', ', "act"'),
      "{}",
      "[",
      statement.replace('"at"', '"by":"x","at"'),
    ];
    for (const one of other)
      expect(problem(problemOfAct({ statement: one, signature }, order))).toBe(
        "statement: Its statement has not the form of one.",
      );
    expect(problem(problemOfAct({ statement, signature: "x" }, order))).toBe(
      "sshsig: Its signature has not the form of SSHSIG.",
    );
    const elsewhere = signer.sign(statement, { namespace: "git" });
    expect(problem(problemOfAct({ statement, signature: elsewhere }, order))).toBe(
      "namespace: Its signature is of another namespace.",
    );
    expect(problem(problemOfAct({ statement, signature: signer.sign("other") }, order))).toBe(
      "sshsig: Its signature is not one of these bytes.",
    );
  });

  test("is signed by a key that was the person's own at that time", () => {
    const name = order.stated.principal;
    const said = (lines: string) =>
      problem(problemOfAct(marks, { ...order, signers: readSigners(lines).signers }));
    const unknown = "signer: No line of the signers has this key for this name.";
    const late = "validity: The key was not valid for this name at that time.";
    expect(said("")).toBe(unknown);
    expect(said(sshSigner().line(name))).toBe(unknown);
    expect(said(signer.line("eve@example.org"))).toBe(unknown);
    expect(said(signer.line(name, 'namespaces="git"'))).toBe(unknown);
    expect(said(signer.line(name, 'namespaces="git,statement@sett.dev"'))).toBeUndefined();
    expect(said(signer.line(name, 'valid-before="20261118232000Z"'))).toBeUndefined();
    expect(said(signer.line(name, 'valid-before="20261118231959Z"'))).toBe(late);
    expect(said(signer.line(name, 'valid-after="20261118232001Z"'))).toBe(late);
    const both = `${signer.line(name, 'valid-before="20260101Z"')}${signer.line(`x,${name}`)}`;
    expect(said(both)).toBeUndefined();
  });
});

describe("a statement", () => {
  test("says what the record of each act says", () => {
    const said = (record: typeof sampleReview, actor = sampleActor) => {
      const act = actOf(record);
      return act && statedBy(record, { act, actor, instance: "demo", content: "cd" });
    };
    const rejection = { ...sampleReview, payload: '{"reason":"Too slow"}' };
    expect(said(rejection)).toMatchObject({
      act: "reject",
      reason: "Too slow",
      content: "sha256:cd",
    });
    const answer = {
      ...sampleReview,
      structural_type: "Answer",
      type: "Answer",
      payload: "Green",
      produced_by_agent: "",
    };
    expect(said(answer, "person:ada")).toMatchObject({
      ...{ act: "answer", reason: "Green", for: "", name: "ada", principal: "ada" },
    });
    const goal = {
      ...{ ...sampleReview, structural_type: "Standard", type: "GoalDefined", payload: "Do it" },
      ...{ id: sampleReview.goal_id, produced_by_agent: "", claim_id: "", source_artefacts: [] },
      metadata: { commit: "12ab" },
    };
    expect(said(goal)).toMatchObject({
      ...{ act: "forage", reason: "Do it", commit: "12ab", artefact: "", content: "", claim: "" },
    });
    expect(said({ ...answer, type: "PersonSays" })).toBeUndefined();
    expect(said({ ...goal, type: "Note" })).toBeUndefined();
    expect(said({ ...goal, id: sampleReview.id })).toBeUndefined();
  });
});
