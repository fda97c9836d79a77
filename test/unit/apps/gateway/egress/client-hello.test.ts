// The name of the server in the first bytes of a connection.
import { describe, expect, spyOn, test } from "bun:test";
import { HelloReader } from "../../../../../apps/gateway/egress/client-hello.ts";
import { judgeOf } from "../../../../../apps/gateway/egress/tunnel.ts";

const two = (number: number) => [number >> 8, number & 255];
const three = (number: number) => [number >> 16, ...two(number & 0xffff)];
const sized = (bytes: number[]) => [...two(bytes.length), ...bytes];
const text = (words: string) => [...new TextEncoder().encode(words)];

const nameExtension = (name: string) => [...two(0), ...sized(sized([0, ...sized(text(name))]))];
const otherExtension = [...two(43), ...sized([2, 3, 4])];

/** A ClientHello in records of at most `size` bytes. */
function hello(extensions: number[] | undefined, size = 16_384): Uint8Array {
  const body = [
    3,
    3,
    ...Array<number>(32).fill(7),
    32,
    ...Array<number>(32).fill(1),
    ...sized([0x13, 1]),
    1,
    0,
  ];
  const whole = extensions === undefined ? body : [...body, ...sized(extensions)];
  const message = [1, ...three(whole.length), ...whole];
  const records: number[] = [];
  for (let at = 0; at < message.length; at += size)
    records.push(22, 3, 1, ...sized(message.slice(at, at + size)));
  return Uint8Array.from(records);
}

const helloIn = (bytes: Uint8Array) => new HelloReader().read(bytes);

const named = [...otherExtension, ...nameExtension("registry.example.org")];

test.each([16_384, 50, 1])(
  "it is read from records of %d bytes, and not before the message is whole",
  (size) => {
    const bytes = hello(named, size);
    expect(helloIn(bytes)).toEqual({ kind: "tls", name: "registry.example.org" });
    for (let end = 0; end < bytes.length; end += 1)
      expect(helloIn(bytes.subarray(0, end))).toEqual({ kind: "unfinished" });
    const reader = new HelloReader();
    expect([...bytes].map((byte) => reader.read(Uint8Array.of(byte)).kind)).toEqual([
      ...Array<"unfinished">(bytes.length - 1).fill("unfinished"),
      "tls",
    ]);
  },
);

test("each byte is read once, whatever the pieces are in which it comes", () => {
  const judge = judgeOf("www.example.org", 443);
  const endless = [22, 3, 1, 255, 255, 1, 255, 255, 255, ...Array<number>(60_000).fill(0)];
  // A reader that puts the message together for each piece would read its beginning each time.
  const putTogether = spyOn(Buffer, "concat");
  expect(endless.every((byte) => judge(Uint8Array.of(byte)) === "unfinished")).toBe(true);
  expect(putTogether).not.toHaveBeenCalled();
  putTogether.mockRestore();
});

test("a message may name no server", () => {
  expect(helloIn(hello(otherExtension))).toEqual({ kind: "tls", name: undefined });
  expect(helloIn(hello(undefined))).toEqual({ kind: "tls", name: undefined });
});

const namedEntry = (name: string, sort = 0) => [sort, ...sized(text(name))];

test.each<[string, number[]]>([
  [
    "two names",
    [
      ...two(0),
      ...sized(sized([...namedEntry("registry.example.org"), ...namedEntry("evil.example")])),
    ],
  ],
  ["a name twice", [...nameExtension("registry.example.org"), ...nameExtension("evil.example")]],
  [
    "a name, and one of another sort",
    [...two(0), ...sized(sized([...namedEntry("registry.example.org"), ...namedEntry("x", 1)]))],
  ],
  [
    "something after its names",
    [...two(0), ...sized([...sized(namedEntry("registry.example.org")), 0, 1])],
  ],
])("a message with %s is ambiguous, and refused at every port", (_, extensions) => {
  const bytes = hello([...extensions, ...otherExtension]);
  expect(helloIn(bytes)).toEqual({ kind: "ambiguous" });
  for (const port of [443, 8443])
    expect(judgeOf("registry.example.org", port)(bytes)).toEqual({
      refusal: `A connection by TLS to registry.example.org:${port} names more than one server.`,
    });
});

test.each<[string, Uint8Array]>([
  ["plain HTTP", Uint8Array.from(text("GET / HTTP/1.1\r\n"))],
  ["SSH", Uint8Array.from(text("SSH-2.0-OpenSSH_9.2\r\n"))],
  ["another message of TLS", Uint8Array.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
  ["lengths that lie", hello([...two(0), ...two(500), 1])],
])("%s is no hello", (_, bytes) => {
  expect(helloIn(bytes)).toEqual({ kind: "other" });
});

test("a message with something else between its records has no end", () => {
  const [whole, parts] = [hello(named), hello(named, 50)];
  for (const other of [[21, 3, 1, 0, 2, 1, 0], [23, 3, 3, 0, 1, 7], [0]]) {
    const bytes = Uint8Array.from([
      ...parts.subarray(0, 55),
      ...other,
      ...parts.subarray(55),
      ...whole,
    ]);
    expect(helloIn(bytes)).toEqual({ kind: "unfinished" });
  }
});

test("no bytes at all throw", () => {
  for (let seed = 1; seed < 3_000; seed += 1) {
    const bytes = hello(named).map((byte, index) =>
      (seed * 31 + index * 17) % 23 === 0 ? (seed + index) & 255 : byte,
    );
    expect(["ambiguous", "other", "tls", "unfinished"]).toContain(helloIn(bytes).kind);
  }
});

describe("a connection", () => {
  const to = (bytes: Uint8Array, host: string, port: number) => {
    const verdict = judgeOf(host, port)(bytes);
    return typeof verdict === "string" ? verdict : verdict.refusal;
  };
  const plain = Uint8Array.from(text("SSH-2.0-x\r\n"));

  test("passes where TLS names the host that was asked for", () => {
    expect(to(hello(named), "Registry.example.org", 443)).toBe("passed");
    expect(to(hello(named), "registry.example.org.", 8443)).toBe("passed");
  });

  test("is refused where it names another one, or none", () => {
    expect(to(hello(named), "www.example.org", 443)).toBe(
      "A connection by TLS to www.example.org:443 is for another server, registry.example.org.",
    );
    expect(to(hello(undefined), "www.example.org", 9000)).toContain("names no server");
  });

  test("need not be TLS, except at port 443", () => {
    expect(to(plain, "git.example.org", 22)).toBe("passed");
    expect(to(plain, "git.example.org", 443)).toBe(
      "What was sent to git.example.org:443 is not TLS.",
    );
  });

  test("to an address may be of any kind", () => {
    expect(to(plain, "93.184.216.34", 443)).toBe("passed");
    expect(to(hello(named), "[2606:2800::1]", 443)).toBe("passed");
  });

  test("is refused when its first message does not end", () => {
    const endless = Uint8Array.from([
      22,
      3,
      1,
      255,
      255,
      1,
      255,
      255,
      255,
      ...Array<number>(70_000).fill(0),
    ]);
    expect(to(endless, "www.example.org", 443)).toContain("too long");
  });
});
