// The warning about an agent that seems to need other machines and has no way to them.
import { expect, test } from "bun:test";
import { parseConfig } from "../../../../lib/config/parse-config.ts";

const warningsOf = (settings: string, models = "") =>
  parseConfig({
    text: `version: '1.0'\n${models}agents:\n  a:\n    image: some/image:1\n    bids: [{ on: GoalDefined, bid: claim }]\n${settings}`,
    file: "sett.yml",
    folder: "/",
    host: {},
  }).warnings.map(({ sentence }) => sentence);

const command = (script: string) => `    command: ["sh", "-c", "${script}"]\n`;

test.each([
  ["npm ci && npm test", "`npm ci`", "registry.npmjs.org:443"],
  ["pip install -r requirements.txt", "`pip install`", "pypi.org:443"],
  ["cargo fetch", "`cargo fetch`", "index.crates.io:443"],
  ["git fetch https://git.example.org/a.git", "`git fetch`", "git.example.org:443"],
  ["curl http://ci.example.org:8080/done", "`curl`", "ci.example.org:8080"],
  ["curl $URL", "`curl`", "HOST:PORT"],
  ["mvn -B verify", "`mvn -B verify`", "repo.maven.apache.org:443"],
  ["dotnet test", "`dotnet test`", "api.nuget.org:443"],
  ["composer install", "`composer install`", "repo.packagist.org:443"],
  ["uvx ruff check", "`uvx`", "pypi.org:443"],
])("%s: %s looks as if it needs other machines", (script, words, host) => {
  const [warning, ...more] = warningsOf(command(script));
  expect(more).toEqual([]);
  expect(warning).toStartWith(
    `${words} looks as if it needs other machines: \`egress: ["${host}"]\``,
  );
  expect(warningsOf(`${command(script)}    network: open\n`)).toEqual([]);
  expect(warningsOf(`${command(script)}    egress: [other.example.org]\n`)).toEqual([]);
});

test("an agent with a network without a proxy is named", () => {
  expect(warningsOf(`${command("curl x")}    network: direct\n`)).toEqual([
    "is `direct`, which also reaches this machine and your local network: `open` or `egress` do not",
  ]);
});

test("so does what is prepared, which reaches what is named beside it, whatever the agent reaches", () => {
  const prepare = (network: string) =>
    `${command("npm test")}    network: open\n    workspace: { prepare: { run: "npm ci", key: [a]${network} } }\n`;
  expect(warningsOf(prepare(""))).toEqual([
    '`npm ci` looks as if it needs other machines, whatever the agent itself reaches: `network: { egress: ["registry.npmjs.org:443"] }` beside it lets it reach it',
  ]);
  expect(warningsOf(prepare(', network: { egress: ["npm.example.org:443"] }'))).toEqual([]);
});

test("a token whose server the agent does not reach is named, and the key of a model", () => {
  const agent = (variable: string, more = "") =>
    `${command("npm test")}    environment: { ${variable}: t }\n${more}`;
  const opens = '`egress: ["api.github.com:443", "github.com:443"]` opens the way';
  expect(warningsOf(agent("GH_TOKEN", "    network: none\n"))).toEqual([
    `\`GH_TOKEN\` is of use only where its server is reached, and this agent reaches no network: ${opens}`,
  ]);
  expect(warningsOf(agent("GITHUB_API_TOKEN", "    egress: [registry.npmjs.org]\n"))).toEqual([
    `\`GITHUB_API_TOKEN\` is of use only where its server is reached, and this agent does not reach it: ${opens}`,
  ]);
  // A server of one's own has such tokens, too.
  expect(warningsOf(agent("GITLAB_TOKEN", "    egress: [git.example.org]\n"))).toEqual([]);
  for (const egress of ["github.com", '"*.github.com"', '"*:*"'])
    expect(warningsOf(agent("GH_TOKEN", `    egress: [${egress}]\n`))).toEqual([]);
  expect(warningsOf(agent("GH_TOKEN", "    network: open\n"))).toEqual([]);
  expect(warningsOf(agent("ANTHROPIC_API_KEY"))).toEqual([
    expect.stringContaining("below `models` its key lets the agent ask a model"),
  ]);
  expect(warningsOf(agent("ANTHROPIC_API_KEY", "    egress: [api.anthropic.com]\n"))).toEqual([]);
});

test.each([
  ["MY_GITHUB_PERSONAL_ACCESS_TOKEN", "api.github.com:443"],
  ["GITLAB_PERSONAL_ACCESS_TOKEN", "gitlab.com:443"],
  ["YARN_NPM_AUTH_TOKEN", "registry.npmjs.org:443"],
  ["PYPI_API_TOKEN", "upload.pypi.org:443"],
  ["SLACK_WEBHOOK_URL", "hooks.slack.com:443"],
  ["BITBUCKET_APP_PASSWORD", "api.bitbucket.org:443"],
  ["NOTION_API_KEY", "api.notion.com:443"],
  // It has a server of its own, and the others are not known.
  ["GITHUB_ENTERPRISE_TOKEN", "HOST:PORT"],
  ["CARGO_REGISTRIES_ACME_TOKEN", "HOST:PORT"],
  ["TAVILY_API_KEY", "HOST:PORT"],
  ["AWS_ACCESS_KEY_ID", "HOST:PORT"],
])("so is %s, by its parts", (variable, host) => {
  const settings = `${command("npm test")}    environment: { ${variable}: t }\n`;
  expect(warningsOf(settings)).toEqual([
    expect.stringMatching(new RegExp(`^\`${variable}\` is of use only where .*"${host}".* opens`)),
  ]);
  expect(warningsOf(`${settings}    egress: [api.acme.example]\n`)).toEqual([]);
});

test.each(["LOG_LEVEL", "TOKENIZER", "DATABASE_PASSWORD", "GPG_KEY", "API_KEYS", "OPENAI_TOKEN"])(
  "%s says nothing of a server",
  (variable) => {
    expect(warningsOf(`${command("npm test")}    environment: { ${variable}: t }\n`)).toEqual([]);
  },
);

test("so does an address among its variables, except that of a model's provider", () => {
  const variable = (name: string) =>
    `${command("./run.sh")}    environment: { ${name}: "https://api.example.org/v1" }\n`;
  expect(warningsOf(variable("TRACKER"))).toEqual([
    expect.stringContaining(
      '`TRACKER` looks as if it needs other machines: `egress: ["api.example.org:443"]`',
    ),
  ]);
  expect(
    warningsOf(`${command("./run.sh")}    environment: { A: "http://127.0.0.1:80" }\n`),
  ).toEqual([]);
});

test.each([
  "npm test",
  "make check",
  "git commit -am x && git log",
  "echo installed",
  "mvn -o verify",
  "dotnet test --no-restore",
  "./curly.sh",
])("%s does not", (script) => {
  expect(warningsOf(command(script))).toEqual([]);
});
