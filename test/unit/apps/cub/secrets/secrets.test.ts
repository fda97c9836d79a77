// Which values are masked when `sett up` brings others.
import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Secrets } from "../../../../../apps/cub/secrets/secrets.ts";
import { temporaryFolder } from "../../../../support/git/sample-repository.ts";

const [first, second, third] = ["first-value-1", "second-value-2", "third-value-3"];

function secretsIn(folder: string) {
  const write = (value: string) => writeFileSync(join(folder, "token"), value);
  write(first);
  const secrets = new Secrets(folder, { token: null });
  const masked = () =>
    [first, second, third].filter((value) => secrets.masker().text(value) !== value);
  return { secrets, write, masked };
}

test("a value that was replaced is masked until no run is under way that got it, and then no longer", () => {
  using folder = temporaryFolder();
  const { secrets, write, masked } = secretsIn(folder.path);
  const one = secrets.hold();
  write(second);
  const other = secrets.hold();
  expect(masked()).toEqual([first, second]);
  write(third);
  expect(masked()).toEqual([first, second, third]);
  one[Symbol.dispose]();
  expect(masked()).toEqual([second, third]);
  other[Symbol.dispose]();
  expect(masked()).toEqual([third]);
});

test("a value that was replaced while nothing runs is forgotten at once", () => {
  using folder = temporaryFolder();
  const { write, masked } = secretsIn(folder.path);
  expect(masked()).toEqual([first]);
  write(second);
  expect(masked()).toEqual([second]);
});

test("a value whose file is gone is masked for the run that got it", () => {
  using folder = temporaryFolder();
  const { secrets, write, masked } = secretsIn(folder.path);
  const run = secrets.hold();
  rmSync(join(folder.path, "token"));
  expect(masked()).toEqual([first]);
  write(first);
  expect(masked()).toEqual([first]);
  run[Symbol.dispose]();
  expect(masked()).toEqual([first]);
});
