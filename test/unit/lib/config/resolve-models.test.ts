// The `models` of sett.yml: what the gateway gets, and what is said about addresses and keys.
import { expect, test } from "bun:test";
import { formatProblem } from "../../../../lib/config/problems.ts";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder, mistakesIn } from "../../../support/config/config-file.ts";

const host = {
  A_KEY: "sk-ant-1234",
  EMPTY: "",
  BROKEN: "sk-1\n2",
  LONG: "k".repeat(4_001),
  OLLAMA: "http://ollama:11434/v1/",
};

const file = (models: string) => `version: '1.0'
agents:
  a: { image: debian, model: m, prompts: { claim: c, execution: e } }
models:
${models}`;

async function modelsOf(models: string, options = {}) {
  await using made = await configFolder({ "sett.yml": file(models) });
  const { config, warnings } = await readConfig(made.path, host, options);
  return {
    ...config.models,
    budget: config.limits.budget,
    warnings: warnings.map((one) => formatProblem({ ...one, file: "f" })),
  };
}

test("a model gets the address and the price of its provider, and its key is kept apart", async () => {
  const { settings, keys, record, budget, warnings } = await modelsOf(
    `  m: { provider: anthropic, model: claude-haiku-4-5, key: "\${A_KEY}" }\n`,
  );
  expect(settings).toEqual({
    m: {
      ...{
        provider: "anthropic",
        model: "claude-haiku-4-5",
        base_url: "https://api.anthropic.com/v1",
        needs_key: true,
      },
      price: { input: 1, output: 5, cached_input: 0.1, cache_write: 1.25 },
      ...{ max_output: 64_000, parallel: 10, timeout_ms: 600_000 },
    },
  });
  expect({ keys, record, warnings }).toEqual({
    keys: { m: "sk-ant-1234" },
    record: "bodies",
    warnings: [],
  });
  expect(JSON.stringify(settings)).not.toContain("sk-ant");
  // Five dollars, where the file names no budget.
  expect(budget).toEqual({ nanousd: 5_000_000_000 });
});

test("what the file says about a model comes before the list, and a server of one's own needs no key", async () => {
  const { settings, keys, record } = await modelsOf(
    `  record: digests
  m: { provider: openai, base_url: $OLLAMA, model: gpt-5, price: { input: 0, output: 0 }, max_output: 9, parallel: 2, timeout: 30s }\n`,
  );
  expect(settings.m).toEqual({
    ...{ provider: "openai", model: "gpt-5", base_url: "http://ollama:11434/v1", needs_key: false },
    ...{ price: { input: 0, output: 0 }, max_output: 9, parallel: 2, timeout_ms: 30_000 },
  });
  expect({ keys, record }).toEqual({ keys: {}, record: "digests" });
});

test("without keys none is asked for, and none is read", async () => {
  const both =
    "  m: { provider: openai, model: gpt-5, key: $NOPE }\n  n: { provider: anthropic, model: x, key: $A_KEY }\n";
  expect(await modelsOf(both, { withoutKeys: true })).toMatchObject({
    keys: {},
    settings: { m: { needs_key: true } },
  });
});

test("a key that is missing, empty, broken or too long is named by its line, and never shown", async () => {
  const keys = ["$NOPE", "$EMPTY", "$BROKEN", "$LONG", "5", `"\${A KEY}"`];
  const models = keys
    .map((key, index) => `  m${index}: { provider: openai, model: x, key: ${key} }\n`)
    .join("");
  const mistakes = await mistakesIn(file(`${models}  m: { provider: openai, model: x }\n`), host);
  expect(mistakes).toEqual([
    "sett.yml:5:42 models.m0.key: needs the variable `NOPE`, which is not set on this machine",
    "sett.yml:6:42 models.m1.key: is empty: set the variable, or leave `key` out for a server that needs none",
    "sett.yml:7:42 models.m2.key: must be ASCII characters in one line, without spaces",
    "sett.yml:8:42 models.m3.key: must not be longer than 4000 characters",
    "sett.yml:9:42 models.m4.key: must be text, best a variable of this machine such as `$ANTHROPIC_API_KEY`",
    `sett.yml:10:42 models.m5.key: has \`\${A KEY}\`, which is not a variable: write \`\${NAME}\`, or \`$$\` for a dollar sign`,
    `sett.yml:11:3 models.m.key: is missing: api.openai.com answers nothing without a key; write \`key: \${OPENAI_API_KEY}\``,
  ]);
  expect(mistakes.join("")).not.toContain("sk-1");
});

test("an address is http or https, and has no password, no query and no place for a key", async () => {
  const urls = [
    "ollama:11434",
    "ftp://a.org",
    "https://ada:pw@a.org/v1",
    "https://a.org/v1?key=1",
    "5",
    "$NOPE",
  ];
  const models = urls
    .map((url, index) => `  m${index}: { provider: openai, model: x, base_url: "${url}" }\n`)
    .join("");
  const shape =
    "must be an address with the API's version, such as `http://host.docker.internal:11434/v1`";
  expect(
    await mistakesIn(file(`${models}  m: { provider: openai, model: x, base_url: 5 }\n`), host),
  ).toEqual([
    `sett.yml:5:47 models.m0.base_url: ${shape}`,
    `sett.yml:6:47 models.m1.base_url: ${shape}`,
    "sett.yml:7:47 models.m2.base_url: must not have a user or a password: write the key as `key`",
    "sett.yml:8:47 models.m3.base_url: must end with the path: no `?` and no `#`",
    `sett.yml:9:47 models.m4.base_url: ${shape}`,
    "sett.yml:10:47 models.m5.base_url: needs the variable `NOPE`, which is not set on this machine",
    "sett.yml:11:46 models.m.base_url: must be an address such as `http://host.docker.internal:11434/v1`",
  ]);
});

test("a provider's own address needs a key also where the file writes it", async () => {
  expect(
    await mistakesIn(
      file("  m: { provider: openai, model: x, base_url: 'https://api.anthropic.com/v1' }\n"),
    ),
  ).toEqual([
    `sett.yml:5:3 models.m.key: is missing: api.anthropic.com answers nothing without a key; write \`key: \${ANTHROPIC_API_KEY}\``,
  ]);
});

test("a key in the file, and an address that is the gateway's own, are warnings", async () => {
  const { warnings, keys } = await modelsOf(
    `  m: { provider: openai, model: gpt-5, key: sk-secret, base_url: "http://localhost:11434/v1" }\n`,
  );
  expect(warnings).toEqual([
    `f:5:45 models.m.key: is written into the file, where others can read it: write \`key: \${OPENAI_API_KEY}\`, and set the variable`,
    "f:5:66 models.m.base_url: is the gateway's own container, unless it runs with `--runtime process`: write `host.docker.internal` for this machine",
  ]);
  expect(keys).toEqual({ m: "sk-secret" });
});

test("names, words and bounds of a model are checked", async () => {
  const models = `  record: all
  Strong: { provider: anthropic, model: x, key: $A_KEY }
  m: { provider: openai, key: $A_KEY, model: '', modle: x, price: { input: -1 }, parallel: 0, max_output: 1.5, timeout: 2d }
  n: { provider: mistral, model: x }\n`;
  expect(await mistakesIn(file(models), host)).toEqual([
    "sett.yml:5:11 models.record: must be `bodies` or `digests`, not `all`",
    "sett.yml:6:3 models.Strong: must be lower-case letters, digits and inner `.`, `_` and `-`",
    "sett.yml:7:39 models.m.model: must not be empty",
    "sett.yml:7:50 models.m.modle: is unknown here: did you mean `model`?",
    "sett.yml:7:60 models.m.price.output: is missing: it must be a number",
    "sett.yml:7:76 models.m.price.input: must be at least 0",
    "sett.yml:7:92 models.m.parallel: must be at least 1",
    "sett.yml:7:107 models.m.max_output: must be a whole number, not `1.5`",
    "sett.yml:7:121 models.m.timeout: must be at most `1d`",
    "sett.yml:8:18 models.n.provider: must be `anthropic` or `openai`, not `mistral`",
  ]);
});

test("the way to the providers is the file's, or that of the environment; this machine has a name of its own there", async () => {
  const model =
    "  m: { provider: openai, model: x, base_url: http://h/v1, price: { input: 0, output: 0 } }\n";
  const wayOf = async (more: string, env: Record<string, string>) => {
    await using made = await configFolder({
      "sett.yml": file(`${more}${model}`),
      "b.pem": "certificates",
    });
    const { config } = await readConfig(made.path, { ...host, ...env });
    const { ca, ...way } = config.models.way;
    return { ...way, ...(ca !== undefined && { ca: ca.replace(made.folder, "") }) };
  };
  const usual = {
    HTTPS_PROXY: "http://localhost:3128",
    NO_PROXY: "intern",
    SSL_CERT_FILE: "/etc/passwd",
  };
  expect(await wayOf("", {})).toEqual({});
  expect(await wayOf("", usual)).toEqual({
    proxy: "http://host.docker.internal:3128",
    no_proxy: "intern",
    ca: "/etc/passwd",
  });
  expect(await wayOf("  proxy: none\n  ca: ./b.pem\n", usual)).toEqual({ ca: "/b.pem" });
  expect(await wayOf("  proxy: http://p:1\n", usual)).toEqual({
    ...{ proxy: "http://p:1", no_proxy: "intern", ca: "/etc/passwd" },
  });
  expect(await wayOf("", { NODE_EXTRA_CA_CERTS: "/nowhere.pem" })).toEqual({});
  expect(await mistakesIn(file(`  ca: c.pem\n${model}`), host)).toEqual([
    expect.stringContaining("sett.yml:5:7 models.ca: names no file of this machine"),
  ]);
  expect(await mistakesIn(file(`  proxy: ftp://x\n${model}`), host)).toEqual([
    "sett.yml:5:10 models.proxy: must be an address such as `http://proxy.example.org:3128`, or `none`",
  ]);
});
