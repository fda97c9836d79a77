// What agents write cannot break the text of a graph, and comes out of it again as it went in.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { dotText } from "../../../../../apps/cli/render/graph-dot.ts";
import { lookAlikes, mermaidText } from "../../../../../apps/cli/render/graph-mermaid.ts";
import { labelOf } from "../../../../../apps/cli/render/graph-node.ts";
import { artefactGraph, type GraphFacts, type ReviewedHead } from "../../../../../lib/core/artefact-graph.ts";
import type { Grant } from "../../../../../lib/model/claim.ts";
import { derived, nextVersion } from "../../../../support/records/lineage.ts";
import { agentName, newArtefactId, sampleClaim } from "../../../../support/records/sample.ts";

const goal = derived([], { metadata: { summary: "Paint the door" } });

const graphOf = (artefacts: readonly ReviewedHead[], more: Partial<GraphFacts> = {}) =>
  artefactGraph({ goal: goal.goal_id, artefacts: [goal, ...artefacts], outside: [], claims: [], ...more });

/** Its title, then its lines; of the newest artefact, or of the first node of another goal. */
function label(artefacts: readonly ReviewedHead[], more: Partial<GraphFacts> = {}): string[] {
  const node = graphOf(artefacts, more).nodes.at(-1);
  if (node === undefined) throw new Error("The graph is empty.");
  const { title, lines } = labelOf(node);
  return [title, ...lines];
}

describe("a node", () => {
  const by = { produced_by_agent: "coder", produced_by_role: "coder" };
  const code = derived([goal], { ...by, type: "CodeCommit", metadata: { summary: "Green\nnow" } });
  const review = derived([code], { ...by, structural_type: "Review", type: "Review", metadata: { summary: "approves" } });

  test("says what it is, its short id, who made it, and its summary", () => {
    expect(label([code])).toEqual(["CodeCommit", `${code.id.slice(0, 8)} by coder`, "Green now"]);
    expect(label([])).toEqual(["GoalDefined", `${goal.id.slice(0, 8)} by user`, "Paint the door"]);
    expect(label([{ ...code, produced_by_role: "painter" }])[1]).toEndWith("by coder (painter)");
    expect(label([{ ...code, metadata: { summary: "x".repeat(300) } }])[2]).toHaveLength(100);
  });

  test("tells its version and its structural type where they are not the usual ones, and a review's verdict", () => {
    expect(label([code, nextVersion(code)])[0]).toBe("CodeCommit v2");
    expect(label([{ ...code, structural_type: "Failure", type: "NoWay" }])[0]).toBe("NoWay (Failure)");
    expect(label([{ ...code, structural_type: "Question", type: "Question" }])[0]).toBe("Question");
    expect(label([code, { ...review, verdict: "approval" }])).toEqual(["Review: approves", `${review.id.slice(0, 8)} by coder`]);
    expect(label([code, { ...review, verdict: "feedback", metadata: { summary: "Red" } }]).slice(0, 3)).toEqual([
      "Review: feedback",
      `${review.id.slice(0, 8)} by coder`,
      "Red",
    ]);
  });

  test("tells how each claim about it stands", () => {
    const grant: Grant = {
      agent: agentName("coder"),
      phase: "parallel",
      attempt: 1,
      state: "queued",
      queued_at: code.created_at,
    };
    const about = (over: Parameters<typeof sampleClaim>[2], grants: Grant[] = []) =>
      label([code], { claims: [{ claim: sampleClaim(code, [], { bidding: "closed", ...over }), grants }] }).at(-1);
    expect(about({ bidding: "open" })).toBe("claim pending_review: bids come in");
    expect(about({ status: "pending_parallel" }, [grant])).toBe("claim pending_parallel: coder queued");
    expect(about({ status: "complete" })).toBe("claim complete: nobody took it");
    expect(about({ status: "complete", kind: "rework" }, [grant])).toBe("rework complete");
    const standingIn = { status: "complete", kind: "rework", stand_in: { for: "painter", because: "It is gone." } } as const;
    expect(about(standingIn, [grant])).toBe("rework by coder in place of painter complete");
    expect(about({ status: "terminated", termination_reason: "Feedback." })).toBe("claim terminated: Feedback.");
  });

  test("of elsewhere tells where it belongs", () => {
    const other = derived([], { metadata: { summary: "Another" } });
    expect(label([derived([other])], { outside: [other] }).at(-1)).toBe(`of goal ${other.goal_id.slice(0, 8)}`);
    const gone = newArtefactId();
    expect(label([derived([], { source_artefacts: [gone] })])).toEqual([gone.slice(0, 8), "not on the blackboard"]);
  });
});

/** As they stand, each has broken a label in some version of Mermaid or Graphviz. */
const hostile = [
  '"]; a1 --> b["',
  "end",
  "%%{init: {'theme':'forest'}}%%",
  "style a1 fill:#f00;",
  "`code` **bold** _it_ __init__ snake_case ~~no~~",
  "1. one",
  "]",
  "] ]]",
  "- item",
  "#quot; #35; &amp; &#60; ﬂ°°60¶ß",
  "$$\\frac{1}{2}$$ fa:fa-car",
  "https://sett.invalid/?a=1&b www.sett.invalid ada@sett.invalid",
  "\\ \\\\ \\N \\G \\",
  "<b>&nbsp;</table><!-- ]]> <script>alert(1)</script>",
  "two\r\nlines\u2028three\u0000\u001b[31m\u202e\ufffe\uffff\ud800",
  "Größe 大きさ 🦡",
  "x".repeat(300),
  " \u00a0 ",
];
const signs = fc.stringMatching(/^[\s\\"'#;:&<>[\](){}%`*_~$@.|\-ab1]{1,60}$/);
const text = fc.oneof(fc.string({ unit: "binary", minLength: 1 }), signs, fc.constantFrom(...hostile));

const posted = (words: string) =>
  derived([goal], { type: [...words].slice(0, 99).join(""), produced_by_role: words, metadata: { summary: words } });
const graph = fc.array(text, { minLength: 1, maxLength: 5 }).map((texts) => graphOf(texts.map(posted)));
const labelsOf = ({ nodes }: ReturnType<typeof graphOf>) =>
  nodes.map((node) => {
    const { title, lines } = labelOf(node);
    return [title, ...lines].join("\n");
  });

describe("Mermaid", () => {
  /** Text between its own marks: no sign of ASCII but the comma, entities, and a lower line inside of a word. */
  const plain = String.raw`(?:[^\x00-\x2b\x2d-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f\n]| |#\d+;|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}]))*`;
  const node = new RegExp(String.raw`^ {2}a\d+[([{>/\\]{1,2}"<b>(${plain})</b>((?:<br/>${plain})*)"[)\]}/\\]{1,2}:::\w+$`, "u");
  const other = /^(?:flowchart TB| {2}a\d+ (?:-->|-\.->|== "next version" ==>) a\d+| {2}classDef \w+ [\w#:,-]+(?: 4)?|)$/;
  const trueSigns = new Map(Object.entries(lookAlikes).map(([sign, alike]) => [alike, sign]));
  const withTrueSigns = (text: string) => [...text].map((sign) => trueSigns.get(sign) ?? sign).join("");

  /** What a viewer shows, sign for sign. */
  function shown(label: string): string {
    const text = label.replaceAll("<br/>", "\n").replace(/#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    return withTrueSigns(text);
  }

  test("has one line for each node, with nothing in its label that Mermaid or Markdown reads as its own", () => {
    fc.assert(
      fc.property(graph, (drawn) => {
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
  ])("writes %s so that it is no formula, icon, line break or entity of its own", (words, written) => {
    expect(mermaidText(graphOf([{ ...posted("x"), metadata: { summary: words } }]))).toContain(
      `<br/>${written}<br/>`.slice(0, -5),
    );
  });

  test("keeps words that it would read as its own, and all kinds of artefacts apart", () => {
    const kinds = (["Standard", "Review", "Question", "Answer", "Failure", "Terminal"] as const).map((structural_type) =>
      derived([goal], { structural_type, type: "end" }),
    );
    const lines = mermaidText(graphOf(kinds)).split("\n");
    const shapes = lines.slice(1, 8).map((line) => line.replace(/".*"/, "").replace(/^ {2}a\d+/, ""));
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
    for (const edge of ["  a1 --> a2\n", "  a4 -.-> a2\n", '  a2 == "next version" ==> a3\n']) expect(text).toContain(edge);
    expect(text).toMatch(/a4\(".*"\):::stub/);
  });
});

describe("DOT", () => {
  const plain = "(?:[^<>&]|&#\\d+;)*";
  const node = new RegExp(`^ {2}"[0-9a-f-]{36}" \\[label=<<B>${plain}</B>(?:<BR/>${plain})*>, [^<>]+\\]$`, "u");
  const other = /^(?:digraph "goal [0-9a-f-]{36}" \{| {2}(?:node|edge) \[.*\]| {2}"[0-9a-f-]{36}" -> "[0-9a-f-]{36}".*|\}|)$/;

  test("has one line for each node, with nothing in its label that Graphviz reads as its own", () => {
    fc.assert(
      fc.property(graph, (drawn) => {
        const lines = dotText(drawn).split("\n");
        const nodes = lines.filter((line) => node.test(line));
        expect(nodes).toHaveLength(drawn.nodes.length);
        for (const line of lines) if (!nodes.includes(line)) expect(line).toMatch(other);
      }),
    );
  });

  test.skipIf(Bun.which("dot") === null)("is drawn by Graphviz without a word, and every label says what it should", async () => {
    const drawn = graphOf([...hostile, ...fc.sample(text, 150)].map(posted));
    const child = Bun.spawn(["dot", "-Tsvg"], { stdin: new Blob([dotText(drawn)]), stdout: "pipe", stderr: "pipe" });
    const [svg, complaint] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect({ code: await child.exited, complaint }).toEqual({ code: 0, complaint: "" });
    const nodes = svg.split('class="node"').slice(1);
    expect(nodes.map(textOfSvg)).toEqual(labelsOf(drawn).map((line) => line.replace(/[\s\u200b]/g, "")));
  });
});

function textOfSvg(node: string): string {
  const texts = [...node.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, inside = ""]) => inside);
  return texts
    .join("")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&")
    .replace(/[\s\u200b]/g, "");
}
