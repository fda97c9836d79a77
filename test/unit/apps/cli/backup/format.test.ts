import { expect, test } from "bun:test";
import { isKnownName } from "../../../../../apps/cli/backup/format.ts";

test("the sealed log is in a back-up with what others have seen of it, and nothing beside it", () => {
  const names = ["key", "checkpoint", "entries/000", "tile/0/x001/234", "anchors/sealed/17"];
  expect(names.filter((name) => !isKnownName(`proof/${name}`))).toEqual([]);
  const others = ["checkpoint.draft", "anchors/sealed/17.draft", "anchors/../key", "../key"];
  expect(others.filter((name) => isKnownName(`proof/${name}`))).toEqual([]);
});
