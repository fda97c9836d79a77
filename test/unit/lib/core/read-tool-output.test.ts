// A tool's stdout comes to results as the tool meant them, or to refusals that say what is wrong.
import { describe, expect, test } from "bun:test";
import { readToolOutput } from "../../../../lib/core/read-tool-output.ts";
import { maxPayloadBytes } from "../../../../lib/model/artefact.ts";
import type { Phase } from "../../../../lib/model/phase.ts";

const read = (stdout: string, phase: Phase = "exclusive") =>
  readToolOutput(new TextEncoder().encode(stdout), {
    phase,
    kind: "standard",
    target: "GoalDefined",
  });
const full = (more: object) =>
  JSON.stringify({ artefact_type: "Note", artefact_payload: "text", summary: "s", ...more });

function reasonOf(stdout: string | Uint8Array, phase: Phase = "exclusive"): string {
  const outcome =
    typeof stdout === "string"
      ? read(stdout, phase)
      : readToolOutput(stdout, { phase, kind: "standard", target: "GoalDefined" });
  if (outcome.ok) throw new Error("The output was accepted.");
  return outcome.reason;
}

function resultOf(stdout: string, phase: Phase = "exclusive") {
  const outcome = read(stdout, phase);
  if (!outcome.ok) throw new Error(outcome.reason);
  return outcome.result;
}

const payloadOf = (json: string) =>
  resultOf(`{"artefact_type":"Note","artefact_payload":${json},"summary":""}`).payload;

describe("a result", () => {
  test("its parts are taken as given, and Standard is the default", () => {
    expect(read(full({ metadata: { model: "m", tokens: 7 } }))).toEqual({
      ok: true,
      result: {
        structural_type: "Standard",
        type: "Note",
        payload: "text",
        summary: "s",
        metadata: { model: "m", tokens: 7 },
      },
    });
  });

  test("white space around the object does not matter", () => {
    expect(resultOf(`\r\n\t ${full({})} \n\n`).payload).toBe("text");
  });

  test("a whole surrogate pair is one character, in an object as well, however deep", () => {
    const deep = `${"[".repeat(500)}{"\\ud83e\\udda1":"\\uD83E\\uDDA1"}${"]".repeat(500)}`;
    expect(payloadOf(deep)).toBe(deep);
    expect(payloadOf(JSON.stringify("a regular expression has \\ud800"))).toBe(
      "a regular expression has \\ud800",
    );
  });

  test("a string payload is stored as it is, whatever it holds", () => {
    for (const text of ["", "{}", ' "quoted" ', "line\nline\u0000", "grün 🦡", "\ufeff", "null"])
      expect(payloadOf(JSON.stringify(text))).toBe(text);
  });

  test("any other JSON is stored compactly", () => {
    expect(payloadOf('{ "a" : [ 1 , "x  y" ,\n\ttrue ] , "b" : { } }')).toBe(
      '{"a":[1,"x  y",true],"b":{}}',
    );
    for (const json of ["null", "true", "42", "[]", "{}"]) expect(payloadOf(json)).toBe(json);
  });

  test("no digit of a number and no order of keys is lost", () => {
    for (const json of [
      "12345678901234567890",
      "1.0",
      "1e400",
      "-0",
      '{"10":1,"9":2,"__proto__":3}',
      '["\\ud83e\\udda1"]',
    ]) {
      expect(payloadOf(json)).toBe(json);
    }
  });

  test("the payload is found however its key is spelt, and the last one counts", () => {
    const twice =
      '{"artefact_payload":[1, 2],"artefact_type":"Note","summary":"artefact_payload","artefact\\u005fpayload":{"a": "]}"}}';
    expect(resultOf(twice).payload).toBe('{"a":"]}"}');
  });

  test("a tool may choose Question, Failure and Terminal", () => {
    for (const chosen of ["Standard", "Question", "Failure", "Terminal"] as const) {
      expect(resultOf(full({ structural_type: chosen })).structural_type).toBe(chosen);
    }
  });

  test("a Review where no review was granted sends back, and is refused where it approves", () => {
    for (const [phase, word] of [
      ["parallel", "claim"],
      ["exclusive", "exclusive"],
    ] as const) {
      expect(resultOf(full({ structural_type: "Review" }), phase).structural_type).toBe("Review");
      expect(reasonOf('{"structural_type":"Review","payload":{}}', phase)).toBe(
        `The tool printed a Review that approves, but its agent bid \`${word}\` and not \`review\`: its Review can only send the target back. Print what the work has made.`,
      );
    }
  });

  test("the short forms are a Question and a Review", () => {
    const about = "3f2b8c1e-7a64-4d0f-9a53-2f1f6f0c9d11";
    expect(
      resultOf(JSON.stringify({ structural_type: "Question", payload: "Why?", about })),
    ).toEqual({
      structural_type: "Question",
      type: "Question",
      payload: "Why?",
      metadata: {},
      about,
    } as never);
    expect(resultOf('{"structural_type":"Review","payload":{ }}', "review")).toEqual({
      structural_type: "Review",
      type: "Review",
      payload: "{}",
      metadata: {},
    });
  });

  test("a review grant's result is a Review unless it is a Question or Failure", () => {
    const inReview = (chosen?: string) =>
      resultOf(full({ structural_type: chosen }), "review").structural_type;
    expect(
      [undefined, "Standard", "Review", "Terminal", "Question", "Failure"].map(inReview),
    ).toEqual(["Review", "Review", "Review", "Review", "Question", "Failure"]);
  });

  test("a payload of exactly 16 MiB is allowed, counted in bytes", () => {
    expect(
      resultOf(full({ artefact_payload: "ä".repeat(maxPayloadBytes / 2) })).payload.length,
    ).toBe(maxPayloadBytes / 2);
    expect(reasonOf(full({ artefact_payload: `${"ä".repeat(maxPayloadBytes / 2)}x` }))).toBe(
      "The payload in the tool's output has 16777217 bytes; at most 16777216 (16 MiB) are allowed.",
    );
  });
});

describe("an output that is no JSON object", () => {
  const table: [what: string, stdout: string | Uint8Array, reason: RegExp][] = [
    [
      "no output",
      "",
      /^The tool wrote nothing to stdout; exactly one JSON object is expected there\.$/,
    ],
    ["white space", " \n\t\r\n", /^The tool wrote nothing but white space to stdout/],
    [
      "text",
      "hello, I did it\n",
      /^The tool's stdout is not JSON: it begins with "hello, I did it"\. Log to stderr/,
    ],
    [
      "a log line before the object",
      `Compiling…\n${full({})}`,
      /is not JSON: it begins with "Compiling…\\n\{/,
    ],
    [
      "a number-like log line",
      `2026-01-01 start\n${full({})}`,
      /begins with "2026-01-01|after the first value comes "-01-01/,
    ],
    [
      "text after the object",
      `${full({})}\nDone.`,
      /wrote more than JSON to stdout: after the first value comes "Done\."/,
    ],
    [
      "half a JSON",
      full({}).slice(0, 40),
      /^The JSON on the tool's stdout is incomplete: it ends with ".*artefact_payl/,
    ],
    ["an unfinished string", '{"artefact_type":"No', /is incomplete/],
    [
      "two objects",
      `${full({})}\n${full({})}`,
      /several JSON values to stdout \(the second begins with "\{\\"artefact_type/,
    ],
    ["two objects side by side", "{}{}", /several JSON values/],
    ["two scalars", '1 "x"', /several JSON values/],
    ["a trailing comma", '{"artefact_type":"Note",}', /is not valid JSON \(.+\): it begins with/],
    ["single quotes", "{'artefact_type':'Note'}", /is not valid JSON/],
    ["a line break in a string", '{"artefact_type":"a\nb"}', /is not valid JSON/],
    ["an array", "[{}]", /is JSON, but it is an array and not an object/],
    ["a string", '"done"', /is JSON, but it is a string and not/],
    ["a number", "42", /but it is a number and not/],
    ["null", "null", /but it is null and not/],
    ["invalid UTF-8", new Uint8Array([0x7b, 0xff, 0x7d]), /is not valid UTF-8/],
    ["a cut UTF-8 character", new Uint8Array([0x22, 0xc3]), /is not valid UTF-8/],
    ["a byte order mark", `\ufeff${full({})}`, /begins with a byte order mark \(of UTF-8\)/],
    ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), /byte order mark \(of UTF-16\)/],
    ["a NUL", "\0", /is not JSON: it begins with "\\u0000"/],
    ["a closing bracket", "}", /is not JSON/],
  ];
  test.each(table)("%s is refused with its own reason", (_, stdout, reason) => {
    expect(reasonOf(stdout)).toMatch(reason);
  });

  test("a hundred thousand opening brackets are refused, not a crash", () => {
    expect(reasonOf("[".repeat(100_000))).toContain("is incomplete");
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    expect(payloadOf(deep)).toBe(deep);
    expect(
      reasonOf(
        `{"artefact_type":"Note","artefact_payload":1,"summary":"","metadata":{"deep":${deep}}}`,
      ),
    ).toContain("nested too deeply");
  });

  test("so many brackets that parsing them would fill the memory are refused unparsed", () => {
    expect(reasonOf("[".repeat(300_000))).toBe(
      "The JSON on the tool's stdout is nested more than 200000 levels deep.",
    );
    expect(reasonOf(`[${"[],".repeat(2_500_000)}`)).toBe(
      "The JSON on the tool's stdout has more than 5000000 values.",
    );
  });
});

describe("an output that breaks the contract", () => {
  test("all mismatches are listed at once", () => {
    expect(reasonOf('{"artifact_type":"Note","summary":7}')).toBe(
      "The tool's output does not match the contract: `artefact_type` is missing; `artefact_payload` is missing; " +
        "`summary` must be text, not a number; " +
        'unknown key "artifact_type" (the known keys are artefact_type, artefact_payload, summary, structural_type, metadata, about, artefacts).',
    );
  });

  test("an empty object is refused with what is missing", () => {
    expect(reasonOf("{}")).toContain(
      "`artefact_type` is missing; `artefact_payload` is missing; `summary` is missing",
    );
  });

  test.each([
    ["an empty type", { artefact_type: "" }, "`artefact_type` must not be empty"],
    [
      "a type of 201 characters",
      { artefact_type: "x".repeat(201) },
      "must have at most 200 characters",
    ],
    [
      "an unknown structural type",
      { structural_type: "Standart" },
      "must be Standard, Review, Question, Answer, Failure or Terminal",
    ],
    ["an Answer", { structural_type: "Answer" }, "its target is not a Question"],
    [
      "an empty Question",
      { structural_type: "Question", artefact_payload: " \n" },
      "The tool's Question is empty.",
    ],
    [
      "a commit of the tool's own",
      { metadata: { commit: "abc" } },
      "`metadata` must not have the key `commit`",
    ],
    [
      "a summary in metadata",
      { metadata: { summary: "abc" } },
      "`metadata` must not have the key `summary`",
    ],
    ["metadata that is no object", { metadata: [1] }, "`metadata` must be an object, not a list"],
    [
      "about of a result that asks nothing",
      { about: "3f2b8c1e-7a64-4d0f-9a53-2f1f6f0c9d11" },
      "Only a Question can be `about`",
    ],
    ["about that is no id", { structural_type: "Question", about: "x" }, "`about` must be a UUID"],
    [
      "half a surrogate pair as payload",
      { artefact_payload: "\ud800" },
      "The payload in the tool's output has half a surrogate pair",
    ],
    [
      "half a surrogate pair in a member of an object",
      { artefact_payload: { door: [{ colour: "\ud800" }] } },
      "The payload in the tool's output has half a surrogate pair",
    ],
    [
      "half a surrogate pair in the name of a member",
      { structural_type: "Question", artefact_payload: { "\udc00": 1 } },
      "The payload in the tool's output has half a surrogate pair",
    ],
    [
      "half a surrogate pair as type",
      { artefact_type: "a\udc00" },
      "`artefact_type` has half a surrogate pair",
    ],
    ["too much metadata", { metadata: { log: "x".repeat(2_000_000) } }, "(1 MiB) are allowed"],
  ])("%s is refused", (_, more, reason) => {
    expect(reasonOf(full(more))).toContain(reason);
  });

  test("a short form without its payload, or with a typing error, is refused", () => {
    expect(reasonOf('{"structural_type":"Review","paylod":1}')).toMatch(
      /`payload` is missing; unknown key "paylod" \(the known keys are structural_type, payload/,
    );
  });

  test("ten thousand unknown keys do not make a reason of a megabyte", () => {
    const keys = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`key-${index}`, 1]),
    );
    expect(reasonOf(full(keys)).length).toBeLessThan(2500);
  });
});
