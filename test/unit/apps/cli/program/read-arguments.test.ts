import { describe, expect, test } from "bun:test";
import { parseArgs } from "citty";
import { defineCommand } from "../../../../../apps/cli/program/command.ts";
import { readArguments } from "../../../../../apps/cli/program/read-arguments.ts";
import { fakeShell } from "../../../../support/cli/fake-shell.ts";

describe("reading arguments", () => {
  const command = {
    name: "try",
    args: {
      place: { type: "positional", required: false },
      goal: { type: "string", alias: "g" },
      type: { type: "string", isList: true },
      json: { type: "boolean" },
      follow: { type: "boolean", default: true },
    },
  } as const;

  test("brings every way of writing into one form", () => {
    const read = (...words: string[]) => readArguments(words, command).canonical;
    expect(read("-g", "a b", "here", "--json")).toEqual(["--goal=a b", "--json", "--", "here"]);
    expect(read("--goal=a=b", "--no-follow")).toEqual(["--goal=a=b", "--no-follow", "--"]);
    expect(read("--type", "a,b", "--type=c")).toEqual(["--type=a,b,c", "--"]);
    expect(read("--goal", "-", "--", "--json")).toEqual(["--goal=-", "--", "--json"]);
  });

  test("gives a command what was said, and nothing for what was not", async () => {
    const { args } = command;
    let parsed: unknown;
    const taking = defineCommand({
      name: "try",
      description: "",
      args,
      examples: [],
      async run(values) {
        parsed = values;
        return undefined;
      },
    });
    const valuesOf = async (...words: string[]) => {
      const { canonical } = readArguments(words, command);
      const { citty } = taking;
      await citty.run?.({
        rawArgs: canonical,
        args: parseArgs(canonical, taking.args),
        cmd: citty,
        data: fakeShell(),
      });
      return parsed;
    };
    expect(await valuesOf()).toEqual({
      place: undefined,
      goal: undefined,
      type: [],
      json: false,
      follow: true,
    });
    expect(await valuesOf("--no-follow", "--goal=", "--type=a,b", "-x".slice(1))).toEqual({
      place: "x",
      goal: "",
      type: ["a", "b"],
      json: false,
      follow: false,
    });
  });
});
