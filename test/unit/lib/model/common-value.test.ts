import { expect, test } from "bun:test";
import { commonValue } from "../../../../lib/model/common-value.ts";

test.each([
  ["Standard", "a word of the contract between Sett and commands"],
  ["artefact_type", "a word of the contract between Sett and commands"],
  ["target_artefact\n", "a word of the contract between Sett and commands"],
  ["artefact_", "a word of the contract between Sett and commands"],
  ["exclusive", "a word of the contract between Sett and commands"],
  ["20261125", "a date"],
  ["2026-11-25T10:00:00Z", "a date"],
  ["3.141592", "a number"],
  ["-12345678", "a number"],
  ["1764000000000", "a number"],
  ["/usr/local/bin", "a path"],
  ["~/.ssh/config", "a path"],
  ["src/main.ts", "a path"],
  ["password", "an ordinary word"],
  ["Building", "an ordinary word"],
  ["CodeReview", "an ordinary word"],
  ["release-notes", "an ordinary word"],
  ["tool_use", "an ordinary word"],
  ["25.11.2026", "a date"],
  ["192.168.0.1", "a number"],
])("%j is %s", (value, kind) => {
  expect(commonValue(value)).toBe(kind);
});

test.each([
  "hunter2hunter2",
  "ghp_abcdefghijk",
  "/9j4AAQSkZJRgABAQ",
  "correct horse battery staple",
  "4111111111111111222",
  "aaaaaaaa-bbbb-cccc",
  "Zb9-Qr2_Lm4x",
  "abcdefghijklmnopqrstuvwxyz",
])("%j is none of them", (value) => {
  expect(commonValue(value)).toBeUndefined();
});
