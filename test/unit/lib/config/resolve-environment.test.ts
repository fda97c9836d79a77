import { expect, test } from "bun:test";
import { formatProblem } from "../../../../lib/config/problems.ts";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder, mistakesIn, validText } from "../../../support/config/config-file.ts";

const host = { HOME: "/home/ada", EMPTY: "", MONEY: "$HOME", TOKEN: "s3cret" };

async function environmentOf(lines: string) {
  await using made = await configFolder({ "sett.yml": validText + lines });
  const { config, warnings } = await readConfig(made.path, host);
  return {
    values: config.agents[0]?.environment,
    warnings: warnings.map((warning) => formatProblem(warning).replace(`${made.folder}/`, "")),
  };
}

test("a list takes values as they are and bare names from the host", async () => {
  const { values, warnings } = await environmentOf(
    '    environment: [A=1, "B=x=y z", C=, TOKEN]\n',
  );
  expect(values).toEqual({ A: "1", B: "x=y z", C: "", TOKEN: "s3cret" });
  expect(warnings).toEqual([]);
});

test("a map keeps the text that numbers and booleans are written with", async () => {
  const { values } = await environmentOf(
    "    environment: { PORT: 80, V: 1.10, M: 0755, T: true, Y: yes, Q: 'x', TOKEN: , HOME: ~ }\n",
  );
  expect(values).toEqual({
    PORT: "80",
    V: "1.10",
    M: "0755",
    T: "true",
    Y: "yes",
    Q: "x",
    TOKEN: "s3cret",
    HOME: "/home/ada",
  });
});

test("a bare name that the host lacks is left out with a warning at its line", async () => {
  const { values, warnings } = await environmentOf(
    "    environment:\n      - A=1\n      - GITHUB_TOKEN\n",
  );
  expect(values).toEqual({ A: "1" });
  expect(warnings).toEqual([
    "sett.yml:8:9 agents.a.environment[1]: `GITHUB_TOKEN` is not set on this machine: the agent does not get it",
  ]);
});

test("variables are replaced as in Docker Compose, once and not again in what they hold", async () => {
  const { values } = await environmentOf(`    environment:
      BRACED: "<\${HOME}>"
      PLAIN: $HOME/bin
      TWICE: \${HOME}\${TOKEN}
      DOLLAR: cost $$5 $\${HOME}
      ONCE: \${MONEY}
      MISSING: \${NOPE-fallback}
      MISSING_TOO: \${NOPE:-a b}
      EMPTY_ONE: <\${EMPTY-x}>
      EMPTY_TOO: <\${EMPTY:-x}>
      NO_DEFAULT: <\${NOPE:-}>
`);
  expect(values).toEqual({
    BRACED: "</home/ada>",
    PLAIN: "/home/ada/bin",
    TWICE: "/home/adas3cret",
    DOLLAR: `cost $5 \${HOME}`,
    ONCE: "$HOME",
    MISSING: "fallback",
    MISSING_TOO: "a b",
    EMPTY_ONE: "<>",
    EMPTY_TOO: "<x>",
    NO_DEFAULT: "<>",
  });
});

test("every missing variable is named with its line and path", async () => {
  expect(
    await mistakesIn(
      `${validText}    environment:\n      - A=\${NOPE} and $NADA\n      - B=\${NOPE}\n`,
      host,
    ),
  ).toEqual([
    "sett.yml:7:9 agents.a.environment[0]: needs the variable `NOPE`, which is not set on this machine",
    "sett.yml:7:9 agents.a.environment[0]: needs the variable `NADA`, which is not set on this machine",
    "sett.yml:8:9 agents.a.environment[1]: needs the variable `NOPE`, which is not set on this machine",
  ]);
});

test("a dollar sign that begins no variable is refused, because its meaning is not clear", async () => {
  const lines = await mistakesIn(
    `${validText}    environment:\n      A: pa$5\n      B: \${}\n      C: \${A B}\n      D: \${HOME\n      E: end$\n`,
    host,
  );
  const hint = `which is not a variable: write \`\${NAME}\`, or \`$$\` for a dollar sign`;
  expect(lines).toEqual([
    `sett.yml:7:10 agents.a.environment.A: has \`$\`, ${hint}`,
    `sett.yml:8:10 agents.a.environment.B: has \`\${}\`, ${hint}`,
    `sett.yml:9:10 agents.a.environment.C: has \`\${A B}\`, ${hint}`,
    `sett.yml:10:10 agents.a.environment.D: has \`\${HOME\`, ${hint}`,
    `sett.yml:11:10 agents.a.environment.E: has \`$\`, ${hint}`,
  ]);
});

test("names that Sett uses itself are refused in both forms, bare ones too", async () => {
  const sentence =
    "is a name that Sett uses itself (`REDIS_URL`, and all that start with `SETT_`, `BUN_` or `LD_`): choose another, or set it in the image";
  expect(
    await mistakesIn(`${validText}    environment: [REDIS_URL, SETT_X=1, LD_LIBRARY_PATH=/x]\n`),
  ).toEqual([
    `sett.yml:6:19 agents.a.environment[0]: ${sentence}`,
    `sett.yml:6:30 agents.a.environment[1]: ${sentence}`,
    `sett.yml:6:40 agents.a.environment[2]: ${sentence}`,
  ]);
  expect(await mistakesIn(`${validText}    environment: { BUN_OPTIONS: x }\n`)).toEqual([
    `sett.yml:6:20 agents.a.environment.BUN_OPTIONS: ${sentence}`,
  ]);
});

test("the limits of the built-in worker may be set, although they begin as Sett's own names do", async () => {
  const mistakes = await mistakesIn(
    `${validText}    environment: [SETT_WORK_STEPS=20, SETT_WORK_OUTPUT=4096, SETT_WORK_CONTEXT=9, SETT_WORK_TIMEOUT=1s]\n`,
  );
  expect(mistakes.map((line) => line.split(" is a name")[0])).toEqual([
    "sett.yml:6:83 agents.a.environment[3]:",
  ]);
});

test("entries that are no variables are refused one by one, beside the missing variables of the others", async () => {
  expect(
    await mistakesIn(
      `${validText}    environment: ["A =1", 5x=1, 80, A=1, A=2, { B: 1 }, "C=\${NOPE}"]\n`,
    ),
  ).toEqual([
    "sett.yml:6:19 agents.a.environment[0]: must begin with a variable's name: `NAME=value`",
    "sett.yml:6:27 agents.a.environment[1]: must begin with a variable's name: `NAME=value`",
    "sett.yml:6:33 agents.a.environment[2]: must be text: `NAME=value`, or `NAME` to take the host's value",
    "sett.yml:6:47 agents.a.environment[5]: must be text: `NAME=value`, or `NAME` to take the host's value",
    "sett.yml:6:57 agents.a.environment[6]: needs the variable `NOPE`, which is not set on this machine",
  ]);
  expect(await mistakesIn(`${validText}    environment: [A=1, A=2]\n`)).toEqual([
    "sett.yml:6:24 agents.a.environment[1]: sets `A` a second time",
  ]);
  expect(await mistakesIn(`${validText}    environment: A=1\n`)).toEqual([
    "sett.yml:6:18 agents.a.environment: must be a list such as `[LOG_LEVEL=debug, GITHUB_TOKEN]`, or a map",
  ]);
  expect(await mistakesIn(`${validText}    environment: { A: [1], "B C": x }\n`)).toEqual([
    "sett.yml:6:20 agents.a.environment.A: must be text, or nothing to take the host's value",
    'sett.yml:6:28 agents.a.environment["B C"]: must be a variable\'s name such as `LOG_LEVEL`',
  ]);
});

test("a value that no process could be started with is refused", async () => {
  expect(
    await mistakesIn(`${validText}    environment: { A: "x\\0y", B: "${"x".repeat(140_000)}" }\n`),
  ).toEqual([
    "sett.yml:6:23 agents.a.environment.A: must not contain a NUL character",
    "sett.yml:6:34 agents.a.environment.B: `B` is longer than the 128 KiB that a variable may have",
  ]);
});
