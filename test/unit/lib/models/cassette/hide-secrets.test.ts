import { expect, test } from "bun:test";
import { hideSecrets, hideSecretsIn } from "../../../../../lib/models/cassette/hide-secrets.ts";

const key = "my+own/key=1";

test("a key is hidden wherever it is, also where one key begins another and where JSON escapes it", () => {
  expect(hideSecrets(`a${key}b ${key}-long`, [key, `${key}-long`])).toBe("a[secret]b [secret]");
  expect(hideSecrets(JSON.stringify({ text: 'a "quoted" key' }), ['a "quoted" key'])).toBe(
    '{"text":"[secret]"}',
  );
  expect(hideSecrets("none is unchanged", ["", "none"])).toBe("none is unchanged");
});

test.each([
  ["token sett_grant.0b5f9c1e-8a51.coder.1.AbC-_9 end", "token [secret] end"],
  ["sett_bid.x.coder.0.abc", "[secret]"],
  ["ANTHROPIC_API_KEY=sk-ant-api03-abcdefghijklmnop", "ANTHROPIC_API_KEY=[secret]"],
  ["sk-proj-abcdefghijklmnopqrst", "[secret]"],
])("a token, and what has the shape of a key, is hidden everywhere: %s", (text, expected) => {
  expect(hideSecrets(text, [])).toBe(expected);
  expect(hideSecretsIn(text, [])).toBe(expected);
});

test.each([
  ["Authorization: Bearer abc", "Authorization: Bearer [secret]"],
  ['{"authorization":"Basic dXNlcjpwYXNz"}', '{"authorization":"Basic [secret]"}'],
  ["curl -H 'x-api-key: 12345678abc'", "curl -H 'x-api-key: [secret]'"],
  ['client(api_key=os.environ["KEY"])', 'client(api_key=[secret]"KEY"])'],
])(
  "in a request, what only resembles a secret is hidden; the code in an answer stays: %s",
  (text, expected) => {
    expect(hideSecretsIn(text, [])).toBe(expected);
    expect(hideSecrets(text, [])).toBe(text);
  },
);

test.each([
  "sett_grant is a word",
  "const apiKey = env.API_KEY",
  "the bearer of news",
  "sk-short",
  "api_key: $API_KEY",
])("what is no secret stays: %s", (text) => {
  expect(hideSecretsIn(text, [])).toBe(text);
});

test("each string of a body is searched, the names of members too", () => {
  const body = { messages: [{ content: `it is ${key}` }], [key]: 1, n: 2, none: null };
  expect(hideSecretsIn(body, [key])).toEqual({
    messages: [{ content: "it is [secret]" }],
    "[secret]": 1,
    n: 2,
    none: null,
  });
});
