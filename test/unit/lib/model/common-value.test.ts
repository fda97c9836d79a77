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
  ["11/25/26", "a number"],
  ["1,234,567", "a number"],
  ["+49 170 1234567", "a number"],
  ["12.345678%", "a number"],
  ["us-east-1", "an ordinary word"],
  ["ubuntu-22.04", "an ordinary word"],
  ["gpt-4o-mini", "an ordinary word"],
  ["PRODUCTION", "an ordinary word"],
  ["API_KEY_NAME", "an ordinary word"],
  ["überprüfen", "an ordinary word"],
  ["パスワード", "an ordinary word"],
  ["https://api.example.org", "an address"],
  ["http://localhost:8080/", "an address"],
  ["registry.example.org", "an address"],
  ["db.internal:5432", "an address"],
  ["ada.lovelace+ci@mail.example.org", "an address"],
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
  "hunter22",
  "sk-live-1234",
  "https://hooks.example.org/services/T0/B0/x",
  "https://ada:hunter2@example.org",
  "admin:12345",
  "JBSWY3DPEHPK3PXP",
  "aGVsbG8.d29ybGQ",
])("%j is none of them", (value) => {
  expect(commonValue(value)).toBeUndefined();
});
