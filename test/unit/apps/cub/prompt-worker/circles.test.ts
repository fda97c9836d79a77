// The notice for a model that makes the same calls again and again.
import { expect, test } from "bun:test";
import { Circles } from "../../../../../apps/cub/prompt-worker/circles.ts";

const call = (id: string, path: string) => ({ id, name: "read_file", input: { path } });
const result = (id: string, text: string) => ({ id, name: "read_file", text, isError: false });

test("the third of the same calls with the same results is said, whatever their ids", () => {
  const circles = new Circles();
  const once = (id: string, text = "a") => circles.note([call(id, "x")], [result(id, text)]);
  expect([once("1"), once("2")]).toEqual([undefined, undefined]);
  expect(once("3")).toStartWith("You have called `read_file` 3 times with the same arguments");
  expect(once("4")).toContain("4 times");
});

test("another result, or another call between them, begins anew", () => {
  const circles = new Circles();
  const once = (path: string, text: string) => circles.note([call("1", path)], [result("1", text)]);
  const notes = [
    ["x", "a"],
    ["x", "a"],
    ["x", "b"],
    ["x", "b"],
    ["y", "b"],
    ["x", "b"],
  ].map(([path = "", text = ""]) => once(path, text));
  expect(notes.every((note) => note === undefined)).toBe(true);
});
