import { expect, test } from "bun:test";
import { isPerson } from "../../../../lib/core/is-person.ts";

const ada = { name: "ada", email: "ada@example.org" };

test.each([
  ["person:Ada Lovelace <ada@example.org>", true],
  ["person:Ada Lovelace <Ada@Example.org>", true],
  ["person:Ada Lovelace, by claude-code 2.1 <ada@example.org>", true],
  ["person:ada", true],
  ["person:ada, by an assistant", true],
  ["person:ada@example.org", true],
  ["person:ada <eve@example.org>", false],
  ["person:Ada Lovelace", false],
  ["person:eve, by ada", false],
  ["person:ada@example.org.evil.org", false],
  ["agent:ada@3f2a9c1b7d20", false],
  ["orchestrator:3", false],
  ["hand", false],
])("%s is ada: %p", (actor, expected) => {
  expect(isPerson(actor, ada)).toBe(expected);
});

test("a person without an address is known by name, and not by any address", () => {
  expect(isPerson("person:bob", { name: "bob" })).toBe(true);
  expect(isPerson("person:bob <bob@example.org>", { name: "bob" })).toBe(false);
});

test("letters of other scripts are not those of an address, however they look when small", () => {
  expect(
    isPerson("person:K <\u212Aate@example.org>", { name: "k", email: "kate@example.org" }),
  ).toBe(false);
});
