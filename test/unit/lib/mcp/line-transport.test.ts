import { expect, test } from "bun:test";
import { LineTransport } from "../../../../lib/mcp/line-transport.ts";

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

async function read(chunks: Iterable<Uint8Array>, limit?: number) {
  const messages: unknown[] = [];
  const answers: { id: unknown; error: { code: number } }[] = [];
  const input = (async function* () {
    yield* chunks;
  })();
  const transport = new LineTransport(input, async (line) => answers.push(JSON.parse(line)), limit);
  transport.onmessage = (message) => messages.push(message);
  await transport.start();
  await transport.ended;
  return { messages, codes: answers.map(({ error }) => error.code) };
}

test.each([`\n${ping}\n`, `${ping}\r\n\r\n \t\n`, `\uFEFF${ping}\n`, `  ${ping}  `])(
  "blank lines and blanks are no error: %j",
  async (text) => {
    const bytes = new TextEncoder().encode(text);
    const whole = await read([bytes]);
    expect(whole).toEqual({ messages: [JSON.parse(ping)], codes: [] });
    expect(await read([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
  },
);

test("a line that is too long is answered, and the next one is read", async () => {
  const long = new TextEncoder().encode("x".repeat(700_000));
  expect(await read([long, long, new TextEncoder().encode(`\n${ping}\n`)], 1)).toEqual({
    messages: [JSON.parse(ping)],
    codes: [-32_600],
  });
});

test("a line that is no UTF-8 is answered, and neither changes the next one nor what it says", async () => {
  const call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"';
  const bytes = [
    new TextEncoder().encode(call),
    Uint8Array.of(0xe9, 0x22),
    Buffer.from(`}}\n${ping}`),
  ];
  expect(await read(bytes)).toEqual({ messages: [JSON.parse(ping)], codes: [-32_700] });
  const both = new TextEncoder().encode(`${call}caf\u00e9"}}\n${ping}\n`);
  const { messages, codes } = await read([...both].map((byte) => Uint8Array.of(byte)));
  expect([messages.length, codes]).toEqual([2, []]);
});

test("no answer has half a surrogate pair that a client has sent, but in its id", async () => {
  const lines: string[] = [];
  const transport = new LineTransport(
    (async function* () {})(),
    async (line) => void lines.push(line),
  );
  const error = { code: -32_602, message: "There is no \ud800, and no \\ud800." };
  await transport.send({ jsonrpc: "2.0", id: "a\udc00", error });
  expect(lines).toEqual([
    '{"jsonrpc":"2.0","id":"a\\udc00","error":{"code":-32602,"message":"There is no \ufffd, and no \\\\ud800."}}\n',
  ]);
});
