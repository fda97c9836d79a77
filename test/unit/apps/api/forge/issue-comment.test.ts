import { expect, test } from "bun:test";
import { commentIn } from "../../../../../apps/api/forge/comment-record.ts";
import { type CommentParts, keepComment } from "../../../../../apps/api/forge/issue-comment.ts";
import type { IssueFacts } from "../../../../../apps/api/forge/issue-text.ts";
import type { PullAgent } from "../../../../../apps/api/forge/settings.ts";
import { ForgeError } from "../../../../../lib/forge/port.ts";
import { PullRequestFile } from "../../../../../lib/model/config-forges.ts";
import { AgentName, GoalId } from "../../../../../lib/model/ids.ts";

const agent: PullAgent = {
  ...{ name: AgentName.parse("pull-request"), forge: "hub", accounts: {} },
  pull_request: PullRequestFile.parse({ base: "main" }),
};
const goal = GoalId.parse("9f3a12b4-0000-4000-8000-000000000000");
const running: IssueFacts = {
  ...{ goal, state: "running", waitsFor: undefined, failure: undefined, pull: undefined },
};
const merged: IssueFacts = { ...running, state: "settled", pull: { number: 3, state: "merged" } };

type Comment = { id: number; text: string };
type Board = CommentParts["board"];
type Moment = { name: string; when: "before" | "after" };

/** An issue, and a record of it. `onStep` comes before and after each effect, and may throw. */
class Scene {
  readonly comments: Comment[] = [];
  readonly events: string[] = [];
  nowMs = 0;
  stored: string | undefined;
  onStep: (moment: Moment) => void = () => {};

  async #do<Value>(name: string, effect: () => Value): Promise<Value> {
    this.onStep({ name, when: "before" });
    const value = effect();
    this.onStep({ name, when: "after" });
    return value;
  }

  async look(facts: IssueFacts): Promise<void> {
    const recordTrigger = ({ value, event }: Parameters<Board["recordTrigger"]>[0]) =>
      this.#do("record", () => {
        this.stored = value;
        this.events.push(`${event?.data?.step} ${event?.data?.state} ${event?.data?.what}`);
        return { outcome: "recorded" as const };
      });
    const forge: CommentParts["forge"] = {
      comments: {
        list: () => this.#do("list", () => ({ list: [...this.comments], isWhole: true })),
        write: (_issue, text) =>
          this.#do("write", () => this.comments.push({ id: this.comments.length + 1, text })),
        change: (_issue, id, text) =>
          this.#do("change", () => {
            const one = this.comments.find((comment) => comment.id === id);
            if (one === undefined) return "gone";
            one.text = text;
            return "changed";
          }),
      },
    };
    const board = { recordTrigger } as unknown as Board;
    const known = commentIn(this.stored);
    // As the loop does.
    if (known?.state === "there" && known.is_over) return;
    const parts = { board, agent, forge, issue: 7, now: () => this.nowMs };
    await keepComment(parts, facts, known);
  }
}

test("the comment is written once, edited when there is something new, and on record before and after", async () => {
  const scene = new Scene();
  for (const facts of [running, running, merged, merged]) await scene.look(facts);
  expect(scene.comments.map(({ text }) => text)).toEqual([
    expect.stringContaining("Pull request #3 was merged."),
  ]);
  expect(scene.events).toEqual([
    ...["comment begins issue 7", "comment done issue 7"],
    ...["comment begins issue 7", "comment done issue 7"],
  ]);
  expect(commentIn(scene.stored)).toMatchObject({ state: "there", id: 1, is_over: true });
});

test("a service that ends at any step, and comes back, leaves one comment with the last state", async () => {
  const names = ["record", "write", "list", "change"];
  let ends = 0;
  for (const name of names)
    for (const when of ["before", "after"] as const)
      for (const nth of [1, 2, 3, 4]) {
        const scene = new Scene();
        let left = nth;
        scene.onStep = (moment) => {
          if (moment.name !== name || moment.when !== when || --left !== 0) return;
          ends++;
          throw new ForgeError("away", "No answer.");
        };
        // One end before there is an id, so that lists are read.
        let isFirst = true;
        const first = scene.onStep;
        scene.onStep = (moment) => {
          if (isFirst && moment.name === "write" && moment.when === "after") {
            isFirst = false;
            throw new ForgeError("away", "No answer.");
          }
          first(moment);
        };
        for (const facts of [running, merged, merged, merged, merged, merged]) {
          scene.nowMs += 60_000;
          await scene.look(facts).catch(() => undefined);
        }
        expect([name, when, nth, scene.comments.length]).toEqual([name, when, nth, 1]);
        expect(scene.comments[0]?.text).toContain("Pull request #3 was merged.");
        expect(commentIn(scene.stored)).toMatchObject({ state: "there", id: 1, is_over: true });
      }
  expect(ends).toBeGreaterThan(12);
});

test("a comment that the forge may still write, though it gave no answer, is waited for", async () => {
  const scene = new Scene();
  let late: Comment | undefined;
  scene.onStep = ({ name, when }) => {
    if (name !== "write" || when !== "after" || late !== undefined) return;
    late = scene.comments.pop();
    throw new ForgeError("away", "No answer.");
  };
  await scene.look(running).catch(() => undefined);
  scene.nowMs += 60_000;
  await scene.look(running);
  expect(scene.comments).toEqual([]);
  if (late !== undefined) scene.comments.push(late);
  scene.nowMs += 600_000;
  await scene.look(running);
  expect(scene.comments).toHaveLength(1);
});

test("an edit of which the service does not know the end is made again", async () => {
  const scene = new Scene();
  await scene.look(running);
  scene.onStep = ({ name, when }) => {
    if (name === "change" && when === "after") throw new ForgeError("away", "No answer.");
  };
  await scene.look({ ...running, state: "failed" }).catch(() => undefined);
  scene.onStep = () => {};
  await scene.look(running);
  expect(scene.comments[0]?.text).toContain("agents work on this issue.");
});

test("a comment that a person has removed is not written again", async () => {
  const scene = new Scene();
  await scene.look(running);
  scene.comments.length = 0;
  await scene.look(merged);
  await scene.look(merged);
  expect(scene.comments).toEqual([]);
  expect(scene.events.at(-1)).toBe("comment stops A person has removed it");
});

test("what others write with the same word is not taken for it", async () => {
  const scene = new Scene();
  scene.onStep = ({ name, when }) => {
    if (name === "write" && when === "after") throw new ForgeError("away", "No answer.");
  };
  await scene.look(running).catch(() => undefined);
  scene.onStep = () => {};
  scene.comments.push({ id: 2, text: `I quote: ${scene.comments[0]?.text}` });
  await scene.look(merged);
  expect(scene.comments.map(({ text }) => text.startsWith("**Sett**"))).toEqual([true, false]);
  expect(scene.comments[0]?.text).toContain("was merged");
});
