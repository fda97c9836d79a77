// How the record names an assistant beside its person.
import { expect, test } from "bun:test";
import {
  actorBy,
  assistantIn,
  assistantName,
} from "../../../../../lib/client/actions/assistant.ts";
import { Actor } from "../../../../../lib/model/event.ts";
import { actorName } from "../../../../../lib/words/actor-name.ts";

const ada = "person:Ada Lovelace <ada@example.org>";

test("the assistant is named between the person's name and address, and lists leave the address out", () => {
  const actor = actorBy(ada, { name: "claude-code", version: "2.1" });
  expect(actor).toBe("person:Ada Lovelace, by claude-code 2.1 <ada@example.org>");
  expect(actorName(actor)).toBe("Ada Lovelace, by claude-code 2.1");
  expect(actorBy("person:ada", undefined)).toBe("person:ada, by an assistant");
});

test("a client's name forges no line, no address and no other person", () => {
  const actor = actorBy(ada, {
    name: "x\nperson:Eve <eve@example.org>\u001b[31m",
    version: "\u202e1",
  });
  expect(Actor.safeParse(actor).success).toBe(true);
  expect(actor).not.toMatch(/\p{Cc}|\u202e/u);
  expect(actor.endsWith(" <ada@example.org>")).toBe(true);
  expect(actor.match(/</g)).toHaveLength(1);
  expect(assistantName({ name: "a".repeat(500) }).length).toBeLessThanOrEqual(60);
});

test("an actor shows the assistant in it to who knows the person", () => {
  const client = { name: "claude-code", version: "2.1" };
  for (const person of [ada, "person:ada"]) {
    const actor = actorBy(person, client);
    expect(actorBy(person, assistantIn(actor, person))).toBe(actor);
    expect(assistantIn(person, person)).toBeUndefined();
  }
  for (const other of [
    "person:eve, by x",
    "person:ada, by ",
    "orchestrator:1",
    "person:ada and others, by x",
  ])
    expect(assistantIn(other, "person:ada")).toBeUndefined();
});
