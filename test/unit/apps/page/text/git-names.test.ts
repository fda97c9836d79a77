import { expect, test } from "bun:test";
import { nameAfter, nameOfHead } from "../../../../../apps/page/text/git-names.ts";

test("a quoted name is shown as it is, but for one that would look like another", () => {
  const shown = (quoted: string) => [
    nameAfter("a/", `"a/${quoted}"`),
    nameOfHead(`"a/${quoted}" "b/${quoted}"`),
  ];
  expect(shown("caf\\303\\251")).toEqual(["café", "café"]);
  for (const quoted of ["caf\\351", "cafe\\314\\201", "a\\302\\240b", "a\\343\\200\\200b"])
    for (const name of shown(quoted)) expect(name).toContain(quoted);
});
