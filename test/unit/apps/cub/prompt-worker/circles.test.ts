// The notice for a model that makes the same calls again and again, and its end.
import { expect, test } from "bun:test";
import { Circles } from "../../../../../apps/cub/prompt-worker/circles.ts";

const call = (id: string, path: string) => ({ id, name: "read_file", input: { path } });
const result = (id: string, text: string) => ({ id, name: "read_file", text, isError: false });

/** Steps as `CALL=RESULT`. */
function kindsOf(steps: readonly string[]) {
  const circles = new Circles();
  return steps.map((step, at) => {
    const [path = "", text = ""] = step.split("=");
    return circles.look([call(`${at}`, path)], [result(`${at}`, text)])?.kind ?? "-";
  });
}

test("the third of the same calls with the same results is said, whatever their ids, and the sixth is the end", () => {
  const circles = new Circles();
  const once = (id: string) => circles.look([call(id, "x")], [result(id, "a")]);
  expect([once("1"), once("2")]).toEqual([undefined, undefined]);
  expect(once("3")).toEqual({
    kind: "notice",
    text: "You have made the same 3 times (`read_file`), with the same arguments, and the result was the same each time. It will not be another: try something else, or end the work. After 6 times the work fails.",
  });
  expect([once("4"), once("5")].map((circle) => circle?.kind)).toEqual(["notice", "notice"]);
  expect(once("6")).toEqual({
    kind: "end",
    text: "The model has gone in circles: it has made the same 6 times, with the same arguments and the same results, the last with `read_file`.",
  });
});

test("another result, or another call between them, begins anew", () => {
  expect(kindsOf(["x=a", "x=a", "x=b", "x=b", "y=b", "x=b"])).toEqual(Array(6).fill("-"));
});

test("a few steps in turn are a circle as well", () => {
  const turn = ["edit=ok", "test=bad", "undo=ok", "test=bad"];
  const kinds = kindsOf(["list=a", ...Array(6).fill(turn).flat()]);
  expect(kinds.indexOf("notice")).toBe(1 + 3 * turn.length - 1);
  expect(kinds.indexOf("end")).toBe(6 * turn.length);
  const circles = new Circles();
  const texts = ["x", "y", "x", "y", "x", "y"].map(
    (path) => circles.look([call("1", path)], [result("1", path)])?.text,
  );
  expect(texts.at(-1)).toStartWith("You have made the same 2 steps 3 times (`read_file`), with");
});

test("the same test after each of several changes is no circle", () => {
  const steps = Array.from({ length: 20 }, (_, at) => [`edit ${at}=ok`, "test=bad"]).flat();
  expect(kindsOf(steps)).toEqual(Array(40).fill("-"));
});
