// The small Redis in memory is compared with the real server, command by command: random sequences
// get the same answers and leave the same values, and Lua computes the same.
import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { Glob } from "bun";
import fc from "fast-check";
import { createClient, ErrorReply } from "redis";
import { isNight } from "../../support/nightly.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { unhurried } from "../../support/redis/unhurried.ts";
import { bytesOf, textOf } from "../../support/redis-in-memory/bytes.ts";
import { Refused, type Reply, Status } from "../../support/redis-in-memory/reply.ts";
import { RedisInMemory } from "../../support/redis-in-memory/server.ts";
import { root } from "../../support/root.ts";

setDefaultTimeout(600_000);
const server = await startRedisServer();
const client = await createClient({ ...unhurried, url: server.url, RESP: 2 }).connect();
afterAll(async () => {
  client.destroy();
  await server[Symbol.asyncDispose]();
});

type Words = readonly string[];

/** An error is its kind and its sentence; what Redis adds about the place in a function is not. */
async function onServer(words: Words): Promise<unknown> {
  try {
    return await client.sendCommand([...words]);
  } catch (error) {
    if (!(error instanceof ErrorReply)) throw error;
    return { refused: error.message.replace(/ script: .*$/s, "") };
  }
}

function inMemory(redis: RedisInMemory, words: Words): unknown {
  try {
    let reply: Reply | undefined;
    const settle = {
      answer: (found: Reply) => {
        reply = found;
      },
      fail: (error: Refused) => {
        throw error;
      },
    };
    redis.request(words.map(bytesOf), 1, settle)();
    return asText(reply ?? null);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { refused: error.message.replace(/ script: .*$/s, "") };
  }
}

function asText(reply: Reply): unknown {
  if (typeof reply === "string") return textOf(reply);
  if (reply instanceof Status) return reply.text;
  return Array.isArray(reply) ? reply.map(asText) : reply;
}

const oneOf = (...words: string[]) => fc.constantFrom(...words);
const text = fc.oneof(oneOf("a", "b", "c", "", "é", "10"), fc.string({ maxLength: 5 }));
const field = oneOf("a", "b", "c", "d");
const whole = oneOf("0", "1", "2", "-1", "-2", "7", "x", "1.5");
const score = oneOf("0", "1", "-3", "2.5", "1795690708388000", "inf", "(1", "y");
const bound = oneOf("-inf", "+inf", "0", "(1", "2.5", "(2.5", "z");
const count = oneOf("1", "2", "100", "-1");
const id = oneOf(
  "1-1",
  "1-2",
  "5-0",
  "5",
  "7-*",
  "0-0",
  "18446744073709551615-18446744073709551615",
  "w",
);
const place = fc.oneof(
  oneOf("-", "+", "(1-1", "(5-0", "0", "(18446744073709551615-18446744073709551615"),
  id,
);
const maybe = (...words: fc.Arbitrary<string>[]) =>
  fc.oneof(fc.constant<string[]>([]), fc.tuple(...words));
const pairs = (first: fc.Arbitrary<string>, second: fc.Arbitrary<string>) =>
  fc.array(fc.tuple(first, second), { minLength: 1, maxLength: 3 }).map((found) => found.flat());
const list = (word: fc.Arbitrary<string>) => fc.array(word, { minLength: 1, maxLength: 3 });

/** A command on a key of its type, and sometimes of another. */
function on(key: string, name: string, ...parts: (string | fc.Arbitrary<string | string[]>)[]) {
  const keys = fc.oneof({ weight: 12, arbitrary: oneOf(key, `${key}2`) }, oneOf("hash", "list"));
  const rest = parts.map((part) => (typeof part === "string" ? fc.constant(part) : part));
  return fc.tuple(keys, ...rest).map(([at, ...more]) => [name, at as string, ...more.flat()]);
}

const withScores = maybe(oneOf("WITHSCORES"));
const compared: Record<string, fc.Arbitrary<string[]>> = {
  GET: on("text", "GET"),
  SET: on("text", "SET", text, maybe(oneOf("NX", "XX"))),
  GETRANGE: on("text", "GETRANGE", whole, whole),
  INCRBY: on("text", "INCRBY", oneOf("1", "-5", "x")),
  DEL: list(oneOf("text", "hash", "zset", "list2")).map((keys) => ["DEL", ...keys]),
  EXPIRE: fc
    .tuple(oneOf("text2", "hash2", "none"), oneOf("1000", "0", "-1", "x"))
    .map((words) => ["EXPIRE", ...words]),
  UNLINK: list(oneOf("text2", "hash2", "stream", "none")).map((keys) => ["UNLINK", ...keys]),
  EXISTS: list(oneOf("text", "hash", "zset", "list", "stream")).map((keys) => ["EXISTS", ...keys]),
  TYPE: oneOf("text", "hash", "zset", "list", "stream", "none").map((key) => ["TYPE", key]),
  HSET: on("hash", "HSET", pairs(field, text), maybe(field)),
  HSETNX: on("hash", "HSETNX", field, text),
  HGET: on("hash", "HGET", field),
  HMGET: on("hash", "HMGET", list(field)),
  HGETALL: on("hash", "HGETALL"),
  HKEYS: on("hash", "HKEYS"),
  HVALS: on("hash", "HVALS"),
  HLEN: on("hash", "HLEN"),
  HEXISTS: on("hash", "HEXISTS", field),
  HSTRLEN: on("hash", "HSTRLEN", field),
  HDEL: on("hash", "HDEL", list(field)),
  HINCRBY: on("hash", "HINCRBY", field, oneOf("1", "-2", "4503599627370497", "x")),
  RPUSH: on("list", "RPUSH", list(text)),
  LPUSH: on("list", "LPUSH", list(text)),
  LPOP: on("list", "LPOP", maybe(oneOf("0", "1", "2"))),
  BLMPOP: oneOf("list", "list2").map((key) => ["BLMPOP", "0.001", "1", key, "LEFT", "COUNT", "2"]),
  ZADD: on("zset", "ZADD", maybe(oneOf("NX", "XX", "GT", "LT", "CH")), pairs(score, field)),
  ZREM: on("zset", "ZREM", list(field)),
  ZSCORE: on("zset", "ZSCORE", field),
  ZMSCORE: on("zset", "ZMSCORE", list(field)),
  ZCARD: on("zset", "ZCARD"),
  ZRANGE: on("zset", "ZRANGE", whole, whole, withScores),
  ZRANGEBYSCORE: on(
    "zset",
    "ZRANGEBYSCORE",
    ...[bound, bound, withScores, maybe(oneOf("LIMIT"), oneOf("0", "1"), count)],
  ),
  XADD: on("stream", "XADD", maybe(oneOf("MAXLEN"), oneOf("0", "2")), id, pairs(field, text)),
  XLEN: on("stream", "XLEN"),
  XRANGE: on("stream", "XRANGE", place, place, maybe(oneOf("COUNT"), oneOf("1", "2"))),
  XREVRANGE: on("stream", "XREVRANGE", place, place, maybe(oneOf("COUNT"), oneOf("1", "2"))),
  XDEL: on("stream", "XDEL", list(id)),
  XTRIM: on("stream", "XTRIM", oneOf("MAXLEN"), oneOf("0", "1", "3")),
  XREAD: fc
    .tuple(oneOf("1", "9"), oneOf("0", "1-1", "5-0", "$"))
    .map(([most, after]) => ["XREAD", "COUNT", most, "STREAMS", "stream", "stream2", after, "0"]),
  PUBLISH: fc.constant(["PUBLISH", "channel", "text"]),
};

/**
 * Their answers depend on the server's clock, its memory, or the order in which it keeps fields.
 */
const comparedOtherwise = ["TIME", "MEMORY", "HSCAN", "XINFO"];

describe("a command is answered as the real server answers it", () => {
  const words = fc.oneof(...Object.values(compared));
  test("whatever came before", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(words, { minLength: 1, maxLength: 60 }), async (sequence) => {
        const redis = new RedisInMemory();
        await client.sendCommand(["FLUSHALL"]);
        for (const one of sequence)
          expect([one, inMemory(redis, one)]).toEqual([one, await onServer(one)]);
      }),
      { numRuns: isNight ? 250 : 80 },
    );
  });

  test("that a function or a program of ours uses: none is left out", async () => {
    const sources = [];
    for await (const path of new Glob("lib/blackboard/redis/lua/*.lua").scan(root))
      sources.push(await Bun.file(`${root}/${path}`).text());
    const used = sources.join("\n").matchAll(/redis\.p?call\('([A-Z]+)'/g);
    const names = new Set([...used].map(([, name = ""]) => name));
    expect(names.size).toBeGreaterThan(25);
    const known = new Set([...Object.keys(compared), ...comparedOtherwise]);
    expect([...names].filter((name) => !known.has(name))).toEqual([]);
  });
});

test("a scan finds each field once, and a stream says the same of itself", async () => {
  const redis = new RedisInMemory();
  await client.sendCommand(["FLUSHALL"]);
  const writes = [
    ...Array.from({ length: 300 }, (_, at) => ["HSET", "large", `f${at}`, String(at)]),
    ["XADD", "s", "1-1", "a", "b"],
    ["XADD", "s", "2-1", "a", "b"],
    ["XDEL", "s", "2-1"],
  ];
  for (const words of writes) expect(inMemory(redis, words)).toEqual(await onServer(words));
  const scan = async (run: (words: Words) => unknown, ...words: string[]) => {
    const found: string[] = [];
    const at = words.indexOf("CURSOR");
    for (let cursor = "0", pages = 0; pages === 0 || cursor !== "0"; pages += 1) {
      const page = await run(words.with(at, cursor));
      const [next = "0", names = []] = page as [string, string[]];
      cursor = next;
      found.push(...names);
    }
    return [...new Set(found)].toSorted();
  };
  const both = async (...words: string[]) => {
    const own = await scan((one) => inMemory(redis, one), ...words);
    expect(own).toEqual(await scan(onServer, ...words));
    return own;
  };
  expect(await both("HSCAN", "large", "CURSOR", "COUNT", "10")).toHaveLength(600);
  const match = ["MATCH", "f2?*", "COUNT", "10"];
  expect((await both("HSCAN", "large", "CURSOR", ...match)).length).toBeGreaterThan(100);
  const about = (reply: unknown) => {
    const flat = reply as unknown[];
    const names = ["length", "last-generated-id", "entries-added", "first-entry", "last-entry"];
    return names.map((name) => flat[flat.indexOf(name) + 1]);
  };
  const info = ["XINFO", "STREAM", "s"];
  expect(about(inMemory(redis, info))).toEqual(about(await onServer(info)));
});

/** Both compute these, as texts. Lua's own words for an error differ between builds. */
const expressions = [
  "string.format('%d', 2^53)",
  "string.format('%d', -2^53)",
  "string.format('%d', 1795690708388007)",
  "string.format('%d', -1.7)",
  "string.format('%d', '12')",
  "string.format('%d', 0/-1)",
  "tostring(2^53)",
  "tostring(2^31)",
  "tostring(1/3)",
  "tostring(1e15) .. tostring(1e16)",
  "tostring(-0.5)",
  "tostring(1/0) .. tostring(-1/0)",
  "'10' + 1",
  "'0x10' + 0",
  "' 7 ' * 2",
  "10 .. ''",
  "1.5 .. ''",
  "tostring(tonumber('1e3'))",
  "tostring(tonumber('1795690708388007'))",
  "tostring(tonumber(''))",
  "tostring(tonumber('1x'))",
  "tostring(tonumber(nil or '7'))",
  "7 % 3 .. ' ' .. -7 % 3 .. ' ' .. 5.5 % 2",
  "math.floor(-1.5) .. math.ceil(-1.5)",
  "math.max(1, '10' + 0) .. math.min(3, 2)",
  "tostring('a' < 'B') .. tostring('é' > 'z') .. tostring('10' < '9')",
  "#'é'",
  "('héllo'):sub(2, 3)",
  "('hello'):sub(-3) .. ('hello'):sub(2, -2) .. ('x'):sub(5)",
  "('12-34'):match('^(%d+)-(%d+)$')",
  "tostring(('x'):match('^%l+$')) .. tostring(('X'):match('^%l+$'))",
  "('3 claim'):match('^(%d+) (%l+)$')",
  'tostring((\'["a","b"]\'):find(\'"b"\', 1, true))',
  "('a.b'):gsub('%.', '-')",
  "('{\"a\":1}'):gsub('}$', ',\"b\":true}')",
  "table.concat({ 1, 2.5, 'x' }, ',')",
  "select('#', nil, nil)",
  "select('#', unpack({ 1, nil, 3 }, 1, 3))",
  "({ pcall(error, 'why') })[2]",
  "tostring((pcall(error)))",
  "('x'):rep(3)",
  "type(cjson.decode('null')) .. type(cjson.decode('[]')) .. type(cjson.decode('{}'))",
  'tostring(cjson.decode(\'{"a":{"b":[1,2,"c"]}}\').a.b[3])',
  "cjson.decode('{\"a\":1.5}').a + cjson.decode('2')",
  "tostring(cjson.decode('12345678901234567890'))",
  "cjson.decode('\"é\\\\u00e9\\\\n\"')",
  "#cjson.decode('\"\\\\ud83d\\\\ude00\"')",
  "tostring(cjson.decode('{\"a\":null}').a == cjson.null)",
  "tostring(cjson.decode('{\"a\":false}').a)",
  "cjson.encode('a\"b\\\\c/d\\n\\t\\1\\127é')",
  ...["", "{", "nul", "[1,]", "{'a':1}", "1 2", '{"a":1}x', "\\1", '"\\\\x"', "tru"].map(
    (json) => `tostring((pcall(cjson.decode, '${json.replaceAll("'", "\\'")}')))`,
  ),
  "redis.sha1hex('é')",
  "redis.sha1hex('')",
];

describe("Lua computes the same", () => {
  const source = [
    "#!lua name=compared",
    ...expressions.map((expression, at) => {
      const callback = `function() local sum = ${expression} return tostring(sum) end`;
      return `redis.register_function{ function_name='compared_${at}', callback=${callback} }`;
    }),
    "redis.register_function{ function_name='compared_reply', callback=function(keys, args)",
    "  local reply = redis.call('HGETALL', keys[1])",
    "  local missing, status = redis.call('HGET', keys[1], 'none'), redis.call('SET', keys[2], 1.5)",
    "  return { reply, tostring(missing), status.ok, redis.call('GET', keys[2]), 3.7, true, nil, 'x' }",
    "end }",
    "redis.register_function{ function_name='compared_error', callback=function(keys)",
    "  local refused = redis.pcall('HGET', keys[1])",
    "  return { tostring(refused.err ~= nil), tostring((pcall(redis.call, 'NONE'))) }",
    "end }",
    "redis.register_function{ function_name='compared_raise', callback=function(keys)",
    "  return redis.call('HGET', keys[1], 'a')",
    "end }",
  ].join("\n");
  const redis = new RedisInMemory();
  const call = (name: string, ...words: string[]) => ["FCALL", `compared_${name}`, ...words];

  test("of each expression", async () => {
    const load = ["FUNCTION", "LOAD", "REPLACE", source];
    expect(inMemory(redis, load)).toEqual(await onServer(load));
    const different: unknown[] = [];
    for (const [at, expression] of expressions.entries()) {
      const words = call(String(at), "0");
      const [own, theirs] = [inMemory(redis, words), await onServer(words)];
      if (!Bun.deepEquals(own, theirs)) different.push([expression, own, theirs]);
    }
    expect(different).toEqual([]);
  });

  test.each([
    ["HSET", "hash", "a", "1"],
    call("reply", "2", "hash", "text"),
    call("error", "1", "hash"),
    call("raise", "1", "text"),
    ["FCALL_RO", "compared_reply", "2", "hash", "text"],
    ["FCALL", "compared_none", "0"],
  ])("%s %s is answered the same", async (...words) => {
    expect(inMemory(redis, words)).toEqual(await onServer(words));
  });
});
