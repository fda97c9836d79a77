// The record of an artefact is the same bytes from text and from what Redis has.
import { expect, test } from "bun:test";
import { Buffer } from "node:buffer";
import {
  type ArtefactFields,
  artefactFieldNames,
} from "../../../../../lib/blackboard/records/artefact-field-names.ts";
import { fieldsOfArtefact } from "../../../../../lib/blackboard/records/artefact-fields.ts";
import {
  digestOfRecord,
  newSeal,
  recordOfBytes,
  recordOfFields,
  saltIn,
} from "../../../../../lib/blackboard/records/artefact-record.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";

const salt = "00112233445566778899aabbccddeeff";

/** As Redis has them: text that is not well formed is sent as U+FFFD. */
function bytesOf(fields: ArtefactFields): Record<keyof ArtefactFields, Buffer> {
  const bytes = artefactFieldNames.map((name) => [name, Buffer.from(fields[name])]);
  return Object.fromEntries(bytes) as Record<keyof ArtefactFields, Buffer>;
}

test.each([
  "",
  'a "quoted" \\ line\r\n\t\b\f\u0000\u001f\u007f',
  "é ÿ \u0080 \u2028 🦡 日本",
  "half of a pair: \ud83e, and the other: \udda1",
])("of %j text and bytes make the same record", (payload) => {
  const fields = fieldsOfArtefact(sampleArtefact({ payload, metadata: { summary: payload } }));
  const text = recordOfFields(salt, fields);
  expect(recordOfBytes(salt, bytesOf(fields)).toString("hex")).toBe(
    Buffer.from(text).toString("hex"),
  );
  expect(JSON.parse(text)).toEqual({ salt, ...fields, payload: payload.toWellFormed() });
  expect(saltIn(Buffer.from(text))).toBe(salt);
});

test("its members have the order of the page, and no spaces between them", () => {
  const fields = fieldsOfArtefact(sampleArtefact({ payload: "x" }));
  const pairs = ["salt", ...artefactFieldNames].map((name) => {
    const value = name === "salt" ? salt : fields[name as keyof ArtefactFields];
    return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  });
  expect(recordOfFields(salt, fields)).toBe(`{${pairs.join(",")}}`);
});

test("a payload that is no UTF-8 is in it byte for byte", () => {
  const fields = bytesOf(fieldsOfArtefact(sampleArtefact()));
  const record = recordOfBytes(salt, { ...fields, payload: Buffer.from([0xff, 0x22, 0xc3, 0x0a]) });
  const expected = Buffer.concat([
    Buffer.from('"payload":"'),
    Buffer.from([0xff, 0x5c, 0x22, 0xc3, 0x5c, 0x6e, 0x22]),
  ]);
  expect(record.includes(expected)).toBe(true);
});

test("the same content gets another digest each time that it is stored", () => {
  const fields = fieldsOfArtefact(sampleArtefact());
  const [one, other] = [newSeal(fields), newSeal(fields)];
  expect(one.salt).toMatch(/^[0-9a-f]{32}$/);
  expect(one.sha256).toBe(digestOfRecord(recordOfFields(one.salt, fields)));
  expect(one.sha256).not.toBe(other.sha256);
});
