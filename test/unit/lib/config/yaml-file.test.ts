// Mistakes of YAML itself, and what YAML allows and a sett.yml does not.
import { expect, test } from "bun:test";
import { mistakesIn, validText } from "../../../support/config/config-file.ts";

const cases: [title: string, text: string, lines: string[]][] = [
  [
    "a doubled key is named where it is written again",
    `${validText}    command: [other]\n`,
    ["sett.yml:6:5 agents.a.command: the key `command` is here a second time"],
  ],
  [
    "of two agents of one name the second is named",
    `${validText}  a:\n    image: b:1\n    command: [run]\n`,
    ["sett.yml:6:3 agents.a: the key `a` is here a second time"],
  ],
  [
    "a tab is no indentation",
    "agents:\n\ta: 1\n",
    expect.arrayContaining(["sett.yml:2:1: a tab indents this line: YAML needs spaces"]),
  ],
  [
    "an open bracket is found",
    "version: [1, 2\nagents: {}\n",
    [expect.stringMatching(/^sett.yml:2:1 .*is not YAML: .+/)],
  ],
  [
    "one file holds one document",
    `${validText}---\nb: 1\n`,
    ["sett.yml:6:1: begins a second document (`---`): a file may have only one"],
  ],
  [
    "an unknown tag is no YAML of ours",
    "version: !secret 1\n",
    ["sett.yml:1:10: is not YAML: Unresolved tag: !secret"],
  ],
  ["a key is a word", "? [a]\n: 1\n", ["sett.yml:1:3: has a key that is not a word"]],
  [
    "a key `__proto__` is refused and not passed over",
    "version: '1.0'\nagents: { __proto__: {} }\n",
    ["sett.yml:2:11 agents: has a key `__proto__`, which is not allowed"],
  ],
  [
    "an alias has an anchor",
    "version: *v\n",
    ["sett.yml:1:10 version: names an anchor `&v` that is not defined before it"],
  ],
  ["a merge names a map", "<<: 5\n", ["sett.yml:1:1: `<<` must name a map, or a list of maps"]],
  [
    "aliases of aliases are refused before they fill the memory",
    [
      "a: &a [x,x,x,x,x,x,x,x,x]",
      "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]",
      "c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]",
      "d: [*c,*c,*c]",
    ].join("\n"),
    ["sett.yml:4:11 d[2]: has aliases of aliases, which become too large"],
  ],
  [
    "a map that merges itself is refused",
    "a: &a\n  <<: *a\n",
    [expect.stringMatching(/^sett.yml:2:7 /)],
  ],
  [
    "a hundred aliases are enough",
    `a: &a x\nb: [${"*a,".repeat(101)}]\n`,
    ["sett.yml:2:305 b[100]: is one alias too many: a sett.yml may have at most 100"],
  ],
  [
    "what is nested too deeply is refused",
    `a: ${"[".repeat(60)}${"]".repeat(60)}\n`,
    ["sett.yml:1:54 a[0][0]: is nested too deeply"],
  ],
  [
    "what is nested beyond the stack is refused",
    "[".repeat(20_000),
    [expect.stringMatching(/^sett.yml:1:\d+: is nested too deeply$/)],
  ],
];

for (const [title, text, lines] of cases) {
  test(title, async () => {
    expect(await mistakesIn(text)).toEqual(lines);
  });
}
