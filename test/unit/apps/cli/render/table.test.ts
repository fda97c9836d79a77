import { describe, expect, test } from "bun:test";
import { table } from "../../../../../apps/cli/render/table.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";

const plain = createStyle(false);
const coloured = createStyle(true);

describe("a table", () => {
  const rows = [
    [{ text: "é", paint: coloured.red }, { text: "a long story" }],
    [{ text: "wide" }, { text: "" }],
  ];

  test("is written in columns, whatever is coloured", () => {
    const lines = table(["A", "STORY"], rows, plain, undefined);
    expect(lines).toEqual(["A     STORY", `${coloured.red("é")}     a long story`, "wide"]);
  });

  test("is cut to the terminal in its last column only", () => {
    const [, first] = table(["A", "STORY"], rows, plain, 14);
    expect(first).toEndWith("a long …");
  });

  test("is broken between words where other columns are too wide, and fits into the terminal", () => {
    const agents = ["changelog", "licences", "packager", "reviewer", "secrets", "tester"].join(
      ", ",
    );
    const row = ["demo", "running", agents, "29s", "/home/ada/doors/front/left"].map((text) => ({
      text,
    }));
    const lines = table(["NAME", "STATE", "AGENTS", "AGE", "WORKSPACE"], [row], plain, 60);
    expect(lines).toEqual([
      "NAME  STATE    AGENTS                  AGE  WORKSPACE",
      "demo  running  changelog, licences,    29s  /home/ada/doors…",
      "               packager, reviewer,",
      "               secrets, tester",
    ]);
  });

  test("counts the columns that a terminal gives to what it writes", () => {
    const lines = table(
      ["TYPE", "BY"],
      [
        [{ text: "報告" }, { text: "é" }],
        [{ text: "e\u0301" }, { text: "ok" }],
      ],
      plain,
      40,
    );
    expect(lines).toEqual(["TYPE  BY", "報告  é", "e\u0301     ok"]);
  });
});
