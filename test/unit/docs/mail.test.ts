// What docs/reference/blackboard.md says about the agents' mail is what the orchestrator reads and
// writes.
import { expect, test } from "bun:test";
import { Message, Reply, RunStart, SentMessage } from "../../../lib/blackboard/port/mail.ts";
import { blocksOf, readPage, sectionOf } from "../../support/docs/pages.ts";

const section = sectionOf(readPage("docs/reference/blackboard.md"), "## Mail");
const examples = (heading: string) =>
  blocksOf(sectionOf(section, heading))
    .filter(({ language }) => language === "json")
    .map(({ code }) => JSON.parse(code));

test("the page has an example of every message, and each is one", () => {
  const messages = examples("### The messages").map(
    (example) => SentMessage.parse(example).message.say,
  );
  expect([...new Set(messages)]).toEqual(Message.options.map(({ shape }) => shape.say.value));
});

test("the page has an example of every answer, and each is one", () => {
  const answers = examples("### The answers").map((example) => Reply.parse(example).outcome);
  expect(answers).toEqual(Reply.options.map(({ shape }) => shape.outcome.value));
});

test("the page names every member of every message", () => {
  const shapes = [SentMessage, RunStart, ...Message.options].map(({ shape }) => Object.keys(shape));
  expect(shapes.flat().filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});
