// Shows what is in folders of the exchange that no cub has published there.
import { expect, test } from "bun:test";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentHoldings } from "../../../lib/git/exchange/agent-holdings.ts";
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
  linkSync(at("clean", `${hash("a")}.pack`), at("clean", `${hash("d")}.pack`));
  const [clean, found, ...more] = agentHoldings(exchange.path);
  expect(more).toEqual([]);
  expect(clean).toEqual({ agent: "clean", path: at("clean"), unpublished: [], bytes: 4 });
  const unpublished = [`${hash("c")}.pack`, "link", "run.sh", "\ufffd"];
  expect({ ...found, unpublished: found?.unpublished.toSorted() }).toEqual({
    ...{ agent: "messy", path: at("messy"), unpublished, bytes: 4 },
  });
});

test("a pack that is being written was not left, until git would have ended long ago", () => {
  using exchange = temporaryFolder();
  mkdirSync(join(exchange.path, "one"));
  writeFileSync(join(exchange.path, "one", `.${hash("b")}`), "");
  expect(agentHoldings(exchange.path)).toMatchObject([{ agent: "one", unpublished: [] }]);
  const later = Date.now() + 121 * 60_000;
  expect(agentHoldings(exchange.path, later)).toMatchObject([
    { agent: "one", unpublished: [`.${hash("b")}`] },
  ]);
});

test("without an exchange nothing is left, and what is no folder is named", () => {
  using folder = temporaryFolder();
  expect(agentHoldings(join(folder.path, "nothing"))).toEqual([]);
  writeFileSync(join(folder.path, "one"), "");
  expect(agentHoldings(folder.path)).toMatchObject([
    { agent: "one", unpublished: [], problem: expect.stringContaining("is no folder") },
  ]);
});
