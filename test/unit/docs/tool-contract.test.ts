// The page about the tool contract lists what the programs go by.
import { expect, test } from "bun:test";
import { ownTypes } from "../../../lib/model/own-types.ts";
import { readPage, sectionOf } from "../../support/docs/pages.ts";

const page = readPage("docs/reference/tool-contract.md");

test("the page names every type of Sett's own, and no other one", () => {
  const [list = ""] =
    /cannot be seen\):(.*?)\. /s.exec(sectionOf(page, "### Types of Sett's own")) ?? [];
  expect([...list.matchAll(/`(\w+)`/g)].map(([, type]) => type).toSorted()).toEqual(
    ownTypes.toSorted(),
  );
});
