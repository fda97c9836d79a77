// Several streams as one: what comes, what ends it, and what is passed over.
import { expect, test } from "bun:test";
import { merged } from "../../../../lib/async/merged.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import { errorOf } from "../../../support/error-of.ts";

async function* of<Value>(...values: Value[]): AsyncGenerator<Value> {
  yield* values;
}

test("the values of all streams come, each stream's own in their order, and it ends with the first", async () => {
  const gate = Promise.withResolvers<void>();
  const first = (async function* () {
    yield "a1";
    await gate.promise;
    yield "a2";
  })();
  const seen: string[] = [];
  for await (const value of merged<string>(first, of(of("b1", "b2"), of("c1")))) {
    seen.push(value);
    if (seen.length === 4) gate.resolve();
  }
  expect(seen.toSorted()).toEqual(["a1", "a2", "b1", "b2", "c1"]);
  expect(seen.indexOf("b1")).toBeLessThan(seen.indexOf("b2"));
});

test("a failure of the first is thrown, and one of the others is passed over", async () => {
  const fails = async function* (): AsyncGenerator<string> {
    yield "last";
    throw new SettError("docker-unreachable", "gone");
  };
  expect(await Array.fromAsync(merged<string>(of("a"), of(fails())))).toContain("a");
  expect(await errorOf(Array.fromAsync(merged<string>(fails(), of(of("b")))))).toMatchObject({
    code: "docker-unreachable",
  });
});
