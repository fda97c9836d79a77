import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  cutResults,
  lengthOf,
  messagesOf,
  type Round,
  shortenRounds,
} from "../../../../../apps/cub/prompt-worker/conversation.ts";

function round(id: number, outputLength: number, words = "go on"): Round {
  const call = {
    type: "tool-call" as const,
    toolCallId: `call_${id}`,
    toolName: "run",
    input: { command: words },
  };
  const result = { id: `call_${id}`, name: "run", text: "x".repeat(outputLength), isError: false };
  return { answer: { role: "assistant", content: [call] }, results: [result] };
}

const texts = (rounds: readonly Round[]) =>
  rounds.flatMap(({ results }) => results.map(({ text }) => text.slice(0, 40)));

test("a conversation that fits is not changed", () => {
  const rounds = [round(1, 1_000), round(2, 1_000)];
  expect(shortenRounds(rounds, 10_000)).toBe(rounds);
});

test("the oldest outputs are left out first, and no more than needed", () => {
  const rounds = [1, 2, 3, 4, 5].map((id) => round(id, 2_000));
  const shortened = shortenRounds(rounds, 8_000);
  const leftOut = "[2000 characters of output are left out here";
  expect(texts(shortened).map((text) => text.startsWith("[2000"))).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(texts(shortened)[0]).toBe(leftOut.slice(0, 40));
  expect(shortened.map(({ answer }) => answer)).toEqual(rounds.map(({ answer }) => answer));
});

test("where the model's own words are too long, the oldest rounds go as a whole, and a note says so", () => {
  const rounds = [1, 2, 3, 4, 5, 6].map((id) => round(id, 10, "y".repeat(2_000)));
  const shortened = shortenRounds(rounds, 9_000);
  expect(shortened[0]).toEqual({
    answer: undefined,
    results: [],
    note: "[Earlier steps are left out here to save space.]",
  });
  expect(shortened.slice(1)).toEqual(rounds.slice(-2));
});

test("what people have said stays where its round goes", () => {
  const rounds = [1, 2, 3, 4, 5, 6].map((id) => ({
    ...round(id, 10, "y".repeat(2_000)),
    ...(id < 4 && { remarks: `word ${id}` }),
  }));
  const [first] = shortenRounds(rounds, 9_000);
  expect(first).toMatchObject({ results: [], remarks: "word 1\n\nword 2\n\nword 3" });
  expect(messagesOf("task", shortenRounds(rounds, 9_000))[1]).toEqual({
    role: "user",
    content: "[Earlier steps are left out here to save space.]\n\nword 1\n\nword 2\n\nword 3",
  });
});

test("the newest plan stays, also where its round goes", () => {
  const planned = (id: number, text: string): Round => ({
    ...round(id, 0, "y".repeat(2_000)),
    results: [{ id: `call_${id}`, name: "plan", text, isError: false }],
  });
  const plan = `Your plan: ${"p".repeat(300)}`;
  const rounds = [
    planned(1, "old"),
    planned(2, plan),
    ...[3, 4, 5, 6].map((id) => round(id, 2_000)),
  ];
  const outputs = shortenRounds(rounds, 9_000);
  expect(outputs.flatMap(({ results }) => results.map(({ text }) => text))[1]).toBe(plan);
  const whole = shortenRounds(rounds, 6_000);
  expect(whole[0]).toMatchObject({ results: [], plan });
  const words = [3, 4, 5, 6].map((id) => round(id, 10, "y".repeat(2_000)));
  const again = shortenRounds([...whole, ...words], 6_000);
  expect(again[0]).toMatchObject({ results: [], plan });
  expect(messagesOf("task", again)[1]).toEqual({
    role: "user",
    content: `[Earlier steps are left out here to save space.]\n\n${plan}`,
  });
  expect(
    shortenRounds([planned(1, plan), ...words, planned(7, "new")], 6_000)[0],
  ).not.toHaveProperty("plan");
  const endless = shortenRounds([planned(1, "p".repeat(20_000)), ...words], 6_000)[0]?.plan ?? "";
  expect([endless.length > 4_000, endless.length < 4_100]).toEqual([true, true]);
});

test("the conversation shrinks to its limit, keeps the last two rounds, and every output has its call", () => {
  const rounds = fc.array(fc.tuple(fc.nat(5_000), fc.nat(3_000)), { minLength: 1, maxLength: 15 });
  fc.assert(
    fc.property(rounds, fc.integer({ min: 500, max: 30_000 }), (sizes, max) => {
      const all = sizes.map(([output, words], id) => round(id, output, "z".repeat(words)));
      const shortened = shortenRounds(all, max);
      expect(shortened.slice(-2)).toEqual(all.slice(-2));
      const kept = all.slice(-2);
      if (lengthOf(kept) + 100 <= max * 0.6) expect(lengthOf(shortened)).toBeLessThanOrEqual(max);
      for (const { answer, results } of shortened) {
        const calls =
          answer === undefined || typeof answer.content === "string" ? [] : answer.content;
        expect(results.map(({ id }) => id)).toEqual(
          calls.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])),
        );
      }
      // Shortening again changes nothing, so that the beginning stays in the provider's cache.
      if (lengthOf(shortened) <= max) expect(shortenRounds(shortened, max)).toBe(shortened);
    }),
  );
});

test("the longest outputs lose their middle first, and none is cut to nothing", () => {
  const rounds = [round(1, 300), round(2, 9_000), round(3, 2_000)];
  const cut = cutResults(rounds, 6_500);
  expect(cut.map(({ answer }) => answer)).toEqual(rounds.map(({ answer }) => answer));
  expect([cut[0], cut[2]]).toEqual([rounds[0], rounds[2]]);
  expect(cut[1]?.results[0]?.text).toMatch(/^x+\n\[… \d+ characters are left out here …\]\nx+$/);
  expect(lengthOf(cut)).toBeLessThan(6_600);
  const least = cutResults(rounds, 0).map(({ results }) => results[0]?.text.length ?? 0);
  expect(least.map((length) => Math.floor(length / 100))).toEqual([3, 5, 5]);
});

test("the provider gets the task, and after each answer its outputs and the worker's note", () => {
  const failed = { id: "call_1", name: "run", text: "wrong", isError: true };
  const messages = messagesOf("the task", [
    { ...round(1, 3), results: [failed], note: "hurry" },
    { answer: undefined, results: [], note: "say something" },
  ]);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user", "user"]);
  expect(messages[2]?.content).toEqual([
    {
      type: "tool-result",
      toolCallId: "call_1",
      toolName: "run",
      output: { type: "error-text", value: "wrong" },
    },
  ]);
});
