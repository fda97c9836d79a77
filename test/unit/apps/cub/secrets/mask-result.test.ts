// The structure of an answer is that which the tool has printed, whatever the values of secrets
// are.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { maskedReason, maskedResult } from "../../../../../apps/cub/secrets/mask-result.ts";
import { maskerOf } from "../../../../../apps/cub/secrets/masker.ts";
import { readToolOutput } from "../../../../../lib/core/read-tool-output.ts";
import type { ToolResult } from "../../../../../lib/model/tool-contract.ts";

const masker = (...values: string[]) =>
  maskerOf(values.map((value, at) => [`s${at}`, Buffer.from(value)]));

function answerOf(printed: unknown): ToolResult {
  const read = readToolOutput(Buffer.from(JSON.stringify(printed)), {
    phase: "exclusive",
    kind: "standard",
    target: "GoalDefined",
  });
  if (!read.ok) throw new Error(read.reason);
  return read.result;
}

const answer = {
  structural_type: "Standard",
  artefact_type: "StandardReport",
  artefact_payload: {
    structural_type: "Standard",
    at: 20261125,
    pi: 2.502907,
    text: "Standard 20261125",
  },
  summary: "A Standard report of 20261125",
  metadata: { artefact_type: "of 2026-11-25", "20261125": 20261125 },
};

describe("a secret that is an ordinary word or number", () => {
  test("is masked in texts, and changes no key, type or number", () => {
    const masked = maskedResult(
      answerOf(answer),
      masker("Standard", "artefact_type", "20261125", "2.502907", "2026-11-25"),
    );
    expect(masked).toEqual({
      ok: true,
      result: {
        structural_type: "Standard",
        type: "StandardReport",
        payload:
          '{"structural_type":"[secret s0]","at":20261125,"pi":2.502907,"text":"[secret s0] [secret s2]"}',
        summary: "A [secret s0] report of [secret s2]",
        metadata: { artefact_type: "of [secret s4]", "20261125": 20261125 },
      },
      masked: [
        "the secret `s0` in `payload.structural_type`",
        "the secrets `s0`, `s2` in `payload.text`",
        "the secret `s4` in `metadata.artefact_type`",
        "the secrets `s0`, `s2` in `summary`",
      ],
    });
  });

  test("changes no hash of a commit that has it by chance", () => {
    const hash = `20261125${"a".repeat(32)}`;
    const result = answerOf({ artefact_type: "CodeCommit", artefact_payload: hash, summary: "" });
    expect(maskedResult(result, masker("20261125"))).toMatchObject({
      ok: true,
      result: { payload: hash },
    });
    expect(maskedResult(result, masker(hash))).toMatchObject({
      ok: true,
      result: { payload: "[secret s0]" },
    });
  });

  test("a type with a value that no tool writes by accident is refused, with the secret's name", () => {
    const result = answerOf({
      artefact_type: "Of-hunter2hunter2",
      artefact_payload: "",
      summary: "",
    });
    expect(maskedResult(result, masker("hunter2hunter2"))).toMatchObject({
      ok: false,
      reason: expect.stringContaining("`artefact_type` has the value of the secret `s0` in it"),
    });
  });

  test("Sett's own words in a reason stay, and what it quotes is masked", () => {
    const reason = 'must be Standard, Review or Failure: it begins with "Standard text".';
    expect(maskedReason(reason, masker("Standard"))).toBe(
      'must be Standard, Review or Failure: it begins with "[secret s0] text".',
    );
  });
});

test("whatever words and figures of an answer the secrets are, its structure stays", () => {
  const words = [...JSON.stringify(answer).matchAll(/[\w.-]{4,}/g)].map(([word]) => word);
  const value = fc.oneof(
    fc.constantFrom(...words),
    fc
      .tuple(fc.constantFrom(...words), fc.nat(8))
      .map(([word, length]) => word.slice(0, 4 + length)),
    fc.stringMatching(/^\d{8,12}$/),
  );
  const shapeOf = (json: unknown): unknown =>
    typeof json === "string"
      ? "text"
      : typeof json !== "object" || json === null
        ? json
        : Object.entries(json).map(([key, each]) => [key, shapeOf(each)]);
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), (values) => {
      const before = answerOf(answer);
      const masked = maskedResult(before, masker(...values));
      if (!masked.ok) throw new Error(masked.reason);
      const { structural_type, type, payload, metadata } = masked.result;
      expect([structural_type, type, shapeOf(metadata)]).toEqual([
        "Standard",
        "StandardReport",
        shapeOf(before.metadata),
      ]);
      expect(shapeOf(JSON.parse(payload))).toEqual(shapeOf(JSON.parse(before.payload)));
    }),
    { numRuns: 200 },
  );
});
