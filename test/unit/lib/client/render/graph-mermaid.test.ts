// Text of agents cannot break the Mermaid text of a graph, and is shown as it was written.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { lookAlikes, mermaidText } from "../../../../../lib/client/render/graph-mermaid.ts";

import {
  anyGraph,
  goal,
  graphOf,
  hostile,
  labelsOf,
  posted,
} from "../../../../support/records/hostile-labels.ts";
import { derived, nextVersion } from "../../../../support/records/lineage.ts";
import { newArtefactId } from "../../../../support/records/sample.ts";

describe("Mermaid", () => {
  /**
   * Text between its own marks: no sign of ASCII but the comma, entities, and a lower line inside
   * of a word.
   */
  const plain = String.raw`(?:[^\x00-\x2b\x2d-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f\n]| |#\d+;|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}]))*`;
  const node = new RegExp(
    String.raw`^ {2}a\d+[([{>/\\]{1,2}"<b>(${plain})</b>((?:<br/>${plain})*)"[)\]}/\\]{1,2}:::\w+$`,
    "u",
  );
  const other =
    /^(?:flowchart TB| {2}a\d+ (?:-->|-\.->|== "next version" ==>) a\d+| {2}classDef \w+ [\w#:,-]+(?: 4)?|)$/;
  const trueSigns = new Map(Object.entries(lookAlikes).map(([sign, alike]) => [alike, sign]));
  const withTrueSigns = (text: string) =>
    [...text].map((sign) => trueSigns.get(sign) ?? sign).join("");

  /** Returns what a viewer shows, sign for sign. */
  function shown(label: string): string {
    const text = label
      .replaceAll("<br/>", "\n")
      .replace(/#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    return withTrueSigns(text);
  }

  test("has one line for each node, with nothing in its label that Mermaid or Markdown reads as its own", () => {
    fc.assert(
      fc.property(anyGraph, (drawn) => {
        const lines = mermaidText(drawn).split("\n");
        const labels = lines.flatMap((line) => {
          const [, title, rest] = node.exec(line) ?? [];
          if (title === undefined || rest === undefined) expect(line).toMatch(other);
          return title === undefined ? [] : [shown(`${title}${rest}`)];
        });
        expect(labels).toEqual(labelsOf(drawn).map(withTrueSigns));
      }),
    );
  });

  test("adds nothing that cannot be seen", () => {
    const text = mermaidText(graphOf(hostile.slice(0, -3).map(posted)));
    expect(text).not.toMatch(/[\p{Cf}\p{Mn}]/u);
  });

  test.each([
    ["$$x$$ costs 3 $", "＄＄x＄＄ costs 3 #36;"],
    ["fa:fa-car a:b", "fa∶fa#45;car a#58;b"],
    ["C:\\new\\map", "C#58;⧵new#92;map"],
    ["ﬂ°°60¶ß", "ﬂº°60⁋ß"],
  ])(
    "writes %s so that it is no formula, icon, line break or entity of its own",
    (words, written) => {
      expect(mermaidText(graphOf([{ ...posted("x"), metadata: { summary: words } }]))).toContain(
        `<br/>${written}<br/>`.slice(0, -5),
      );
    },
  );

  test("keeps words that it would read as its own, and all kinds of artefacts apart", () => {
    const kinds = (
      ["Standard", "Review", "Question", "Answer", "Failure", "Terminal"] as const
    ).map((structural_type) => derived([goal], { structural_type, type: "end" }));
    const lines = mermaidText(graphOf(kinds)).split("\n");
    const shapes = lines
      .slice(1, 8)
      .map((line) => line.replace(/".*"/, "").replace(/^ {2}a\d+/, ""));
    expect(shapes.sort()).toEqual(
      [
        "([]):::goal",
        "[]:::standard",
        ">]:::feedback",
        "[//]:::question",
        "[\\\\]:::answer",
        "{{}}:::failure",
        "[[]]:::terminal",
      ].sort(),
    );
  });

  test("draws versions thick and what comes from elsewhere dashed", () => {
    const gone = newArtefactId();
    const first = derived([goal], { source_artefacts: [goal.id, gone] });
    const text = mermaidText(graphOf([first, nextVersion(first)]));
    for (const edge of ["  a1 --> a2\n", "  a4 -.-> a2\n", '  a2 == "next version" ==> a3\n'])
      expect(text).toContain(edge);
    expect(text).toMatch(/a4\(".*"\):::stub/);
  });
});
