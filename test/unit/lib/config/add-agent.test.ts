import { expect, test } from "bun:test";
import { parse } from "yaml";
import { addAgent, emptySettYml, providerFor } from "../../../../lib/config/add-agent.ts";
import { initFiles, llmInitFiles } from "../../../../lib/config/init-files.ts";
import { insertIntoMap } from "../../../../lib/config/insert-into-map.ts";

const asks = { model: "anthropic", workspace: "rw" } as const;
const agent = { name: "second", use: "claude-code", asks };
const entry = { use: "claude-code", model: "strong", workspace: { mode: "rw" } };
const added = (text: string, more: object = {}) =>
  addAgent(text, { ...agent, ...more }, "anthropic").steps.at(-1) ?? "";
const settYml = (files: typeof initFiles) =>
  files().find(({ path }) => path === "sett.yml")?.content ?? "";

/** The lines of the old text that are missing in the new one, in the same order. */
function lost(before: string, after: string): string[] {
  const lines = after.split(/\r?\n/);
  let at = 0;
  return before.split(/\r?\n/).filter((line) => {
    const found = lines.indexOf(line, at);
    if (found !== -1) at = found + 1;
    return found === -1;
  });
}

test.each([
  ["with models", settYml(llmInitFiles)],
  ["with comments alone around its agents", settYml(initFiles)],
  [
    "without a newline at its end",
    "version: '1.0'\nagents:\n    a:\n        image: x   # why\n        command: [run]",
  ],
  [
    "with lines that end in carriage returns",
    "version: '1.0'\r\nagents:\r\n  a: { image: x, command: [run] }\r\n",
  ],
])("a file %s keeps every line, and gets an agent", (_what, text) => {
  const made = added(text);
  expect(lost(text.trimEnd(), made)).toEqual([]);
  expect(parse(made).agents).toEqual({ ...parse(text).agents, second: entry });
});

test("what is above the next key stays there", () => {
  const text =
    "version: '1.0'\nagents:\n  a: { image: x }\n\n  # of a\n\n# of limits\nlimits: {}\n";
  const made = insertIntoMap(text, { map: "agents", key: "b", value: ["image: y"] });
  expect(made).toBe(
    "version: '1.0'\nagents:\n  a: { image: x }\n\n  # of a\n\n  b:\n    image: y\n\n# of limits\nlimits: {}\n",
  );
});

test("lines keep their carriage returns where the file is written anew", () => {
  const text = "# all\r\nagents: { a: { image: x } }\r\n";
  const made = insertIntoMap(text, { map: "agents", key: "b", value: ["image: y"] });
  expect(made).toBe("# all\r\nagents: { a: { image: x }, b: { image: y } }\r\n");
});

test("a map in braces is written anew, with its comments and variables", () => {
  const variable = ["$", "{TOKEN}"].join("");
  const text = `agents: { a: { image: x, environment: { T: ${variable} } } } # all\n`;
  const made = insertIntoMap(text, { map: "agents", key: "b", value: ["image: y"] });
  expect(made).toContain("# all");
  expect(made).toContain(variable);
  expect(made).toContain("b: { image: y }");
});

test("a model is added where none fits, by the key that is there", () => {
  const openai = "version: '1.0'\nmodels:\n  strong: { provider: openai, model: m }\nagents: {}\n";
  const { steps, newModel } = addAgent(openai, agent, "anthropic");
  expect(newModel).toBe("strong-2");
  expect(parse(steps[0] ?? "").models["strong-2"]).toMatchObject({ provider: "anthropic" });
  expect(parse(steps[1] ?? "").agents.second.model).toBe("strong-2");
  expect(providerFor("any", { OPENAI_API_KEY: "k" })).toBe("openai");
  expect(providerFor("any", { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k" })).toBe("anthropic");
  expect(providerFor("openai", { ANTHROPIC_API_KEY: "k" })).toBe("openai");
});

test("the first file of a repository is whole", () => {
  const made = added(emptySettYml);
  expect(made.startsWith(emptySettYml)).toBe(true);
  expect(parse(made)).toEqual({
    version: "1.0",
    models: {
      strong: {
        ...{ provider: "anthropic", model: "claude-sonnet-5" },
        key: ["$", "{ANTHROPIC_API_KEY}"].join(""),
      },
    },
    agents: { second: entry },
  });
});
