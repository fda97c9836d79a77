import { expect, test } from "bun:test";
import fc from "fast-check";
import { isPathMatch, pathPatternOf, withoutSurplus } from "../../../../lib/core/match-path.ts";

const matches = (pattern: string, path: string, mayBeBelow = false) =>
  isPathMatch(pathPatternOf(withoutSurplus(pattern)), path.split("/"), { mayBeBelow });

test.each([
  ["infra/**", ["infra/a", "infra/deep/a.tf"], ["infra", "infrared/a", "x/infra/a"]],
  ["infra/", ["infra/a", "infra/deep/a"], ["infra", "Infra/a"]],
  ["infra", ["infra", "infra/a"], ["infra2", "x/infra"]],
  ["*.tf", ["main.tf", "deep/down/main.tf", "x.tf/inner"], ["main.tfvars"]],
  ["a/*.tf", ["a/main.tf"], ["a/b/main.tf", "main.tf"]],
  ["**/prod/**", ["prod/a", "a/prod/b"], ["prod", "a/product/b"]],
  ["a?c", ["abc", "x/abc", "a[c"], ["ac", "abbc"]],
  ["***/a", ["a", "x/y/a"], ["b"]],
])("%s", (pattern, inside, outside) => {
  for (const path of inside) expect([path, matches(pattern, path)]).toEqual([path, true]);
  for (const path of outside) expect([path, matches(pattern, path)]).toEqual([path, false]);
});

test("what may be below a submodule counts, and nothing beside it", () => {
  for (const pattern of ["infra/**", "infra", "infra/", "infra/mod/main.tf", "*.tf", "**/x"])
    expect([pattern, matches(pattern, "infra/mod", true)]).toEqual([pattern, true]);
  for (const pattern of ["infra/other/**", "docs/**", "infra/mo"])
    expect([pattern, matches(pattern, "infra/mod", true)]).toEqual([pattern, false]);
});

test("no name of a file makes a match slow", () => {
  const begun = process.cpuUsage().user;
  expect(matches(`${"*a".repeat(400)}b`, "a".repeat(4_000))).toBe(false);
  expect(matches(`${"**/a/".repeat(80)}b`, "a/".repeat(500))).toBe(false);
  expect(process.cpuUsage().user - begun).toBeLessThan(2_000_000);
});

test("a path matches itself, and the folders that it is in", () => {
  const name = fc.string({ minLength: 1 }).filter((text) => !/[*?/]/.test(text) && text !== "");
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.nat(4), (parts, at) => {
      const folder = parts.slice(0, Math.max(1, at)).join("/");
      expect(matches(folder, parts.join("/"))).toBe(true);
    }),
  );
});
