// An archive keeps the bytes of each record.
import { expect, test } from "bun:test";
import { recordMembers, recordOfLine } from "../../../../../apps/cli/archive/record-of-line.ts";
import { fieldsOfArtefact } from "../../../../../lib/blackboard/records/artefact-fields.ts";
import {
  recordOfBytes,
  recordOfFields,
} from "../../../../../lib/blackboard/records/artefact-record.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";

const salt = "00112233445566778899aabbccddeeff";
const artefact = sampleArtefact({ payload: "é\n", metadata: { summary: "s" } });
const fields = fieldsOfArtefact(artefact);
const base64 = (record: string | Uint8Array) => Buffer.from(record).toString("base64");

test("a line has the salt alone where the artefact gives the rest of the record", () => {
  const record = base64(recordOfFields(salt, fields));
  expect(recordMembers(artefact, record)).toEqual({ salt });
  expect(recordOfLine({ artefact, salt })).toBe(record);
});

test("it has the bytes where JSON was written by hand, or a payload is no UTF-8", () => {
  const spaced = base64(recordOfFields(salt, { ...fields, metadata: '{ "summary": "s" }' }));
  const bytes = Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [name, Buffer.from(text)]),
  ) as Record<keyof typeof fields, Buffer>;
  const raw = base64(recordOfBytes(salt, { ...bytes, payload: Buffer.from([0xff]) }));
  for (const record of [spaced, raw]) {
    const members = recordMembers(artefact, record);
    expect(members).toEqual({ record });
    expect(recordOfLine({ artefact, ...members })).toBe(record);
  }
});

test("of an artefact without a salt it has nothing more", () => {
  expect(recordMembers(artefact, base64(recordOfFields("", fields)))).toEqual({});
  expect(recordOfLine({ artefact })).toBe(base64(recordOfFields("", fields)));
});

test("one that was erased has no record, and its line says so", () => {
  const members = recordMembers(artefact, undefined);
  expect(members).toEqual({ erased: true });
  expect(recordOfLine({ artefact, ...members })).toBeUndefined();
});
