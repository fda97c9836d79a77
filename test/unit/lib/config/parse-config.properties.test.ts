import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";
import { stringify } from "yaml";
import { parseConfig } from "../../../../lib/config/parse-config.ts";
import { formatProblem } from "../../../../lib/config/problems.ts";

const key = fc.constantFrom(
  ..."version agents a b role build image command bids bid_command on from bid after people approvals not_by email github groups on_missing_bid replicas strategy workspace mode paths".split(
    " ",
  ),
  ..."environment resources limits reservations cpus memory prompts claim timeout retries services redis << __proto__ toString".split(
    " ",
  ),
  ..."models record provider model key base_url price input output parallel limits budget usd tokens calls on_budget execution triggers cron webhook tag goal retention goals transcripts other_events replicas min max on_demand idle workers".split(
    " ",
  ),
);
const word = fc.constantFrom(
  "1.0",
  "run",
  "exclusive",
  "anthropic",
  "512M",
  "5m",
  `A=\${B}`,
  "$",
  "fresh_per_call",
  "",
  "-",
  "x",
  "*x",
  "&x",
  "!y",
  "null",
);
const scalar = fc.oneof(
  word,
  fc.string(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, depthSize: "medium" },
    scalar,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
  ),
}));
const agent = fc.dictionary(key, tree, { maxKeys: 10 });
const file = fc.record(
  {
    version: fc.constantFrom("1.0", 1),
    agents: fc.dictionary(fc.constantFrom("a", "b", "B"), agent),
    services: tree,
    models: fc.dictionary(key, tree),
  },
  { requiredKeys: [] },
);

/** Either a configuration or mistakes; every mistake names a line that the text has. */
function judge(text: string): void {
  const { config, mistakes } = parseConfig({
    text,
    file: "sett.yml",
    folder: "/work",
    host: { B: "b" },
  });
  expect(config === undefined).toBe(mistakes.length > 0);
  const lineCount = text.split("\n").length;
  for (const mistake of mistakes) {
    expect(mistake.line).toBeWithin(1, lineCount + 1);
    expect(mistake.sentence).not.toBe("");
    expect(formatProblem(mistake)).not.toMatch(/undefined|\[object|Invalid input/);
  }
}

// Other suites may keep both cores busy meanwhile.
setDefaultTimeout(120_000);

test("any document is a configuration or a list of mistakes, and never a crash", () => {
  fc.assert(
    fc.property(fc.oneof(file, tree), (data) => judge(stringify(data) ?? "")),
    { numRuns: 200 },
  );
});

test("any JSON is read as the YAML that it is", () => {
  fc.assert(fc.property(fc.json(), judge), { numRuns: 300 });
});

test("any text is a configuration or a list of mistakes", () => {
  const line = fc.tuple(
    fc.nat({ max: 8 }),
    fc.oneof(key, word, fc.string()),
    fc.constantFrom(":", ": ", " ", "- ", ": &x ", ": *x", ": |", ""),
    scalar,
  );
  const text = fc
    .array(line, { maxLength: 12 })
    .map((lines) =>
      lines
        .map(([indent, left, mark, right]) => `${" ".repeat(indent)}${left}${mark}${right}`)
        .join("\n"),
    );
  fc.assert(fc.property(fc.oneof(text, fc.string({ unit: "binary", maxLength: 60 })), judge), {
    numRuns: 200,
  });
});
