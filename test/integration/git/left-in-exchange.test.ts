// What is in folders of the exchange that no cub has published there.
import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leftInExchange } from "../../../lib/git/left-in-exchange.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";

const hash = (digit: string) => digit.repeat(40);

test("what is no pack of a commit is left, whatever it is and however it is named", () => {
  using exchange = temporaryFolder();
  const at = (...path: string[]) => join(exchange.path, ...path);
  for (const agent of ["clean", "messy"]) mkdirSync(at(agent));
  for (const agent of ["clean", "messy"]) writeFileSync(at(agent, `${hash("a")}.pack`), "PACK");
  writeFileSync(at("messy", "run.sh"), "");
  mkdirSync(at("messy", `${hash("c")}.pack`));
  symlinkSync("/etc", at("messy", "link"));
  writeFileSync(Buffer.concat([Buffer.from(`${at("messy")}/`), Buffer.from([0xff])]), "");
  const [found, ...more] = leftInExchange(exchange.path);
  expect(more).toEqual([]);
  const names = [`${hash("c")}.pack`, "link", "run.sh", "\ufffd"];
  expect({ ...found, names: found?.names.toSorted() }).toEqual({ agent: "messy", path: at("messy"), names });
});

test("a pack that is being written was not left, until git would have ended long ago", () => {
  using exchange = temporaryFolder();
  mkdirSync(join(exchange.path, "one"));
  writeFileSync(join(exchange.path, "one", `.${hash("b")}`), "");
  expect(leftInExchange(exchange.path)).toEqual([]);
  expect(leftInExchange(exchange.path, Date.now() + 16 * 60_000)).toMatchObject([{ agent: "one", names: [`.${hash("b")}`] }]);
});

test("without an exchange nothing is left, and what is no folder is named", () => {
  using folder = temporaryFolder();
  expect(leftInExchange(join(folder.path, "nothing"))).toEqual([]);
  writeFileSync(join(folder.path, "one"), "");
  expect(leftInExchange(folder.path)).toMatchObject([
    { agent: "one", names: [], problem: expect.stringContaining("is no folder") },
  ]);
});
