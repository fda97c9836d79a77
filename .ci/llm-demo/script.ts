// Has what the scripted model says in the demo. A script wrote these answers, and no model; the
// work that they ask for is real.

type Call = { tool: string; input: Record<string, unknown> };

/** One answer: what the model says, and the tool that it calls. */
export type Turn = { say: string } & Call;

/** A piece of work, known by what its first request says. Its turns are given one after another. */
export type Work = { agent: RegExp; model?: RegExp; task: RegExp; turns: readonly Turn[] };

export const goal = "Titles can be long: limit the length of slugs";
export const answerOfPerson = "At most 30 characters. Cut only at the end of a word.";

const pipe = "  sed -e 's/[^a-z0-9][^a-z0-9]*/-/g' -e 's/^-//' -e 's/-$//'\n";
const limited = `${pipe.trimEnd()} |\n  cut -c1-31 | sed -e '/^.\\{31\\}/s/-[^-]*$//'\n`;
const comment = "# Makes the part of an address that names a page from the page's title.\n";
const lastCheck = "check a-b '  a & b  '\n";
const longCheck =
  "check the-quick-brown-fox-jumps-over 'The quick brown fox jumps over the lazy dog'\n";

const run = (say: string, command: string): Turn => ({ say, tool: "run", input: { command } });
const read = (say: string, path: string): Turn => ({ say, tool: "read_file", input: { path } });
const edit = (say: string, path: string, old: string, replacement: string): Turn => ({
  say,
  tool: "edit_file",
  input: { path, old, new: replacement },
});

const coder = /careful software engineer/;
const reviewer = /review a commit as a colleague/;

export const works: readonly Work[] = [
  {
    agent: coder,
    task: /Make a new version of the target/,
    turns: [
      run(
        "First I see the problem of the review for myself.",
        "./slug.sh Donaudampfschifffahrtsgesellschaft | wc -c",
      ),
      edit(
        "A first word that is too long has no hyphen before it, so nothing was removed. It is cut last.",
        "slug.sh",
        "s/-[^-]*$//'\n",
        "s/-[^-]*$//' | cut -c1-30\n",
      ),
      edit(
        "The review is right that no test saw it.",
        "test.sh",
        longCheck,
        `${longCheck}check donaudampfschifffahrtsgesellsc 'Donaudampfschifffahrtsgesellschaft'\n`,
      ),
      run("", "./test.sh"),
      {
        say: "",
        tool: "finish",
        input: {
          type: "CodeCommit",
          summary: "A first word longer than 30 characters is cut, too; ./test.sh passes",
          message:
            "Cut a first word that is too long\n\nIt has no hyphen before it, so a slug of 31 characters was left.",
        },
      },
    ],
  },
  {
    agent: coder,
    task: /Questions that you have asked, and their answers/,
    turns: [
      run(
        "The limit is known now. How are the sources, and do the tests pass?",
        "cat slug.sh test.sh && ./test.sh",
      ),
      edit(
        "I cut at 31, so that a word that ends at 30 is seen as whole.",
        "slug.sh",
        pipe,
        limited,
      ),
      edit("", "slug.sh", comment, `${comment.trimEnd()} At most 30 characters.\n`),
      edit(
        "Now a test: the last word would end behind the limit.",
        "test.sh",
        lastCheck,
        `${lastCheck}${longCheck}`,
      ),
      run("", "./test.sh"),
      {
        say: "",
        tool: "finish",
        input: {
          type: "CodeCommit",
          summary: "Slugs have at most 30 characters and end with a word; ./test.sh passes",
          message:
            "Limit slugs to 30 characters\n\nTitles can be long. A slug is cut only at the end of a word.",
        },
      },
    ],
  },
  {
    agent: coder,
    task: /Do the work that the target calls for/,
    turns: [
      { say: "I begin with what is there.", tool: "list_files", input: {} },
      read("", "slug.sh"),
      {
        say: "No file says how long a slug may be, and a cut word reads badly. That is not mine to decide.",
        tool: "ask",
        input: {
          question: "How many characters may a slug have, and may it end in the middle of a word?",
        },
      },
    ],
  },
  {
    agent: reviewer,
    task: /version="2"/,
    turns: [
      run(
        "I check the problem of the last review first, then the limits.",
        "./test.sh; for title in Donaudampfschifffahrtsgesellschaft 'A title of thirty characters x' ''; do ./slug.sh \"$title\" | wc -c; done",
      ),
      {
        say: "",
        tool: "approve",
        input: { summary: "The long first word is cut, a test shows it, and ./test.sh passes" },
      },
    ],
  },
  {
    agent: reviewer,
    task: /Review the target/,
    turns: [
      run("The goal is a limit. Do the tests pass, and does the limit always hold?", "./test.sh"),
      run(
        "The tests have no title whose first word is too long.",
        "./slug.sh 'The quick brown fox jumps over the lazy dog' | wc -c; ./slug.sh Donaudampfschifffahrtsgesellschaft | wc -c",
      ),
      {
        say: "",
        tool: "feedback",
        input: {
          summary: "A first word of more than 30 characters breaks the limit",
          problems: [
            {
              file: "slug.sh",
              line: 6,
              severity: "major",
              text: "`./slug.sh Donaudampfschifffahrtsgesellschaft` prints 31 characters: a first word has no hyphen to cut at. Cut such a word at 30.",
            },
            {
              file: "test.sh",
              line: 15,
              severity: "minor",
              text: "No test has a first word of more than 30 characters. Add one.",
            },
          ],
        },
      },
    ],
  },
];
