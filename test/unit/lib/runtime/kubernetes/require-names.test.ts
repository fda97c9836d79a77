import { expect, test } from "bun:test";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { requireNames } from "../../../../../lib/runtime/kubernetes/require-names.ts";
import { agentName } from "../../../../support/records/sample.ts";

const longest = (length: number) => InstanceName.parse("i".repeat(length));
const agent = (length: number, strategy: "reuse" | "fresh_per_call" = "reuse") => ({
  ...{ name: agentName("a".repeat(length)), strategy, replicas: 1 },
});

test("names of an instance fit into a cluster up to what their prefixes and attempts leave", () => {
  expect(() => requireNames(longest(38), [agent(13)])).not.toThrow();
  expect(() => requireNames(longest(39), [])).toThrow("recorder has 53 characters");
  expect(() => requireNames(longest(38), [agent(14)])).toThrow("has 64 characters");
  expect(() => requireNames(longest(20), [agent(16, "fresh_per_call")])).not.toThrow();
  expect(() => requireNames(longest(20), [agent(17, "fresh_per_call")])).toThrow(
    "-00000000-9999 has 64 characters, and a cluster takes 63 at most",
  );
});
