import { expect, test } from "bun:test";
import { isPlain } from "../../../../../lib/blackboard/memory/outline.ts";
import {
  type ArtefactFields,
  artefactFieldNames,
  fieldsOfArtefact,
  parseArtefact,
} from "../../../../../lib/blackboard/records/artefact-fields.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";
import { newArtefactId, newClaimId, sampleArtefact } from "../../../../support/records/sample.ts";

const [one, other] = [newArtefactId(), newArtefactId()];
const sample = sampleArtefact({
  goal_id: sampleArtefact().goal_id,
  source_artefacts: [one, other],
  claim_id: newClaimId(),
  metadata: { summary: "Said", commit: CommitHash.parse("0".repeat(64)) },
});
const plain = fieldsOfArtefact(sample);

/** Right and wrong texts of any field. */
const texts = [
  ...[
    "",
    " ",
    "{",
    "{}",
    "[]",
    "[1]",
    "null",
    "1",
    "0",
    "01",
    "-1",
    "1.0",
    "999999999",
    "1000000000",
    "x".repeat(200),
  ],
  ...[
    "x".repeat(201),
    "€".repeat(67),
    "{}x",
    '{"summary":1}',
    '{"summary":null}',
    '{"summary":""}',
    '{"commit":"HEAD"}',
  ],
  ...[
    '{"commit":null}',
    `{"commit":"${"A".repeat(40)}"}`,
    '{"a":[{}]}',
    `["${one}"]`,
    `["${one}",]`,
    `["${one}", "${other}"]`,
  ],
  ...[
    `["${one}""${other}"]`,
    one,
    one.toUpperCase(),
    `${one} `,
    `["${one.toUpperCase()}"]`,
    "Standard",
    "Review",
    "standard",
  ],
  ...[
    "2026-01-01T00:00:00.000Z",
    "2026-01-01T00:00:00Z",
    "2026-02-28T23:59:59.999Z",
    "2028-02-29T00:00:00.000Z",
  ],
  ...[
    "2026-02-29T00:00:00.000Z",
    "2026-13-01T00:00:00.000Z",
    "2026-00-01T00:00:00.000Z",
    "2026-04-31T00:00:00.000Z",
  ],
  ...[
    "2026-01-00T00:00:00.000Z",
    "2026-01-01T24:00:00.000Z",
    "2026-01-01T00:60:00.000Z",
    "2026-01-01T00:00:60.000Z",
  ],
];

// Only two of the structural types come so far.
test.each(artefactFieldNames.filter((name) => name !== "structural_type"))(
  "whatever %s is, what is plain can be read",
  (name) => {
    const kept = texts
      .map((text): ArtefactFields => ({ ...plain, [name]: text }))
      .filter((fields) => isPlain(sample.id, sample.goal_id, fields));
    for (const fields of kept)
      expect(parseArtefact(fields, fields.payload)).toHaveProperty("artefact");
  },
);

test("what our programs write is plain", () => {
  for (const over of [
    {},
    { source_artefacts: [] },
    { claim_id: "" as const },
    { metadata: {} },
    { version: 999_999_999 },
  ])
    expect(isPlain(sample.id, sample.goal_id, fieldsOfArtefact({ ...sample, ...over }))).toBe(true);
});
