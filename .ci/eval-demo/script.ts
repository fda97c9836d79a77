// Has what the scripted models say when agents/eval-demo is recorded: a strong one that reaches all
// five goals, and a cheap one that does not. A script wrote these answers, and no model.
import type { Turn, Work } from "../llm-demo/script.ts";

const coder = /careful software engineer/;
const cheap = /haiku/;
const strong = /sonnet/;

const run = (command: string): Turn => ({ say: "", tool: "run", input: { command } });
const edit = (path: string, old: string, replacement: string): Turn => ({
  say: "",
  tool: "edit_file",
  input: { path, old, new: replacement },
});
const finish = (summary: string, message: string): Turn => ({
  say: "",
  tool: "finish",
  input: { type: "CodeCommit", summary, message },
});
const look = run("cat slug.sh && ./test.sh");

const begin = "set -eu\n";
const print = "printf '%s\\n' \"$*\" | tr";
const end = "-e 's/-$//'\n";
const sed = (letters: readonly (readonly [string, string])[]) =>
  letters.map(([from, to]) => `s/${from}/${to}/g`).join("; ");
const small = [
  ["ä", "ae"],
  ["ö", "oe"],
  ["ü", "ue"],
  ["ß", "ss"],
] as const;
const large = [
  ["Ä", "ae"],
  ["Ö", "oe"],
  ["Ü", "ue"],
] as const;
const written = (letters: string) => print.replace("tr", `sed -e '${letters}' | tr`);

const limit = /limit the length of slugs/;
const answered = /Questions that you have asked, and their answers/;
const again = /Make a new version of the target/;
const usage = /say how it is used on stderr/;

const both: readonly Omit<Work, "agent">[] = [
  {
    task: /each line of stdin/,
    turns: [
      look,
      edit(
        "slug.sh",
        print,
        `titles() { if [ "$*" = - ]; then cat; else printf '%s\\n' "$*"; fi; }\ntitles "$@" | tr`,
      ),
      run("./test.sh && printf 'A b\\n' | ./slug.sh -"),
      finish("A hyphen reads titles from stdin", "Read titles from stdin where asked for"),
    ],
  },
  {
    task: /what \.\/test\.sh ends with/,
    turns: [
      run("cat README.md test.sh"),
      edit(
        "README.md",
        "`./test.sh` runs the tests.\n",
        "`./test.sh` runs the tests, and ends with exit code 0 where all pass, else with 1.\n",
      ),
      finish("The README says the exit code of the tests", "Document the end of the tests"),
    ],
  },
];

const ofStrong: readonly Omit<Work, "agent" | "model">[] = [
  {
    task: answered,
    turns: [
      look,
      edit(
        "slug.sh",
        end,
        `-e 's/-$//' |\n  cut -c1-31 | sed -e '/^.\\{31\\}/s/-[^-]*$//' | cut -c1-30\n`,
      ),
      run("./test.sh && ./slug.sh 'The quick brown fox jumps over the lazy dog'"),
      finish("Slugs have at most 30 characters", "Limit slugs to 30 characters"),
    ],
  },
  {
    task: limit,
    turns: [
      look,
      {
        say: "The repository does not say how long is too long.",
        tool: "ask",
        input: { question: "How many characters may a slug have, and may a word be cut?" },
      },
    ],
  },
  {
    task: /German titles/,
    turns: [
      look,
      edit("slug.sh", print, written(sed([...small, ...large]))),
      run("./test.sh && ./slug.sh 'Über Äpfel'"),
      finish("Umlauts are written with two letters", "Write umlauts of German titles out"),
    ],
  },
  {
    task: usage,
    turns: [
      look,
      edit(
        "slug.sh",
        begin,
        `${begin}if [ $# -eq 0 ]; then echo 'usage: ./slug.sh TITLE' >&2; exit 2; fi\n`,
      ),
      run("./test.sh; ./slug.sh"),
      finish("Without a title the usage is said", "Say the usage where there is no title"),
    ],
  },
];

const ofCheap: readonly Omit<Work, "agent" | "model">[] = [
  {
    task: again,
    turns: [
      edit("slug.sh", "$# -ne 2", "$# -eq 0"),
      run("./test.sh"),
      finish("Only a missing title is refused", "Take a title again"),
    ],
  },
  {
    task: limit,
    turns: [
      edit("slug.sh", end, "-e 's/-$//' | cut -c1-30\n"),
      finish("Slugs have at most 30 characters", "Limit slugs to 30 characters"),
    ],
  },
  {
    task: /German titles/,
    turns: [
      edit("slug.sh", print, written(sed(small))),
      finish("Umlauts are written with two letters", "Write umlauts out"),
    ],
  },
  {
    task: usage,
    turns: [
      edit(
        "slug.sh",
        begin,
        `${begin}if [ $# -ne 2 ]; then echo 'usage: ./slug.sh TITLE' >&2; exit 2; fi\n`,
      ),
      finish("Without a title the usage is said", "Say the usage"),
    ],
  },
];

export const evalWorks: readonly Work[] = [
  ...ofStrong.map((work) => ({ ...work, model: strong })),
  ...ofCheap.map((work) => ({ ...work, model: cheap })),
  ...both,
].map((work) => ({ ...work, agent: coder }));
