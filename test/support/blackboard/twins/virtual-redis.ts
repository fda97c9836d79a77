// A real Redis whose clock the test sets. The programs under test need no seam for it: the function
// library that they have loaded is replaced by the same one with another clock, and a proxy answers
// the command TIME by that clock.
import { connect, createServer, type Socket } from "node:net";
import { createClient } from "redis";
import { connectBlackboard } from "../../../../lib/blackboard/redis/connect.ts";
import { InstanceName } from "../../../../lib/model/ids.ts";
import { patient, startRedisServer } from "../../redis/redis-server.ts";

/** Outside of every instance's prefix. */
const clockKey = "virtual:clock";

/**
 * Ids of events follow the virtual clock as ids that Redis chooses follow its own: they only grow.
 */
const virtualClock = `
local function virtual_time()
  local ms = tonumber(redis.call('GET', '${clockKey}'))
  return { math.floor(ms / 1000), ms % 1000 * 1000 }
end
local function virtual_id(key)
  local ms, last = tonumber(redis.call('GET', '${clockKey}')), 0
  if redis.call('EXISTS', key) == 1 then
    local about = redis.call('XINFO', 'STREAM', key)
    for index = 1, #about, 2 do
      if about[index] == 'last-generated-id' then last = tonumber(about[index + 1]:match('^%d+')) end
    end
  end
  return string.format('%d-*', math.max(ms, last))
end
`;

const clockLibrary = `#!lua name=virtual_clock
${virtualClock}
redis.register_function{ function_name='virtual_time', flags={ 'no-writes' }, callback=function()
  local time = virtual_time()
  return { tostring(time[1]), tostring(time[2]) }
end }
redis.register_function{ function_name='virtual_xadd', flags={}, callback=function(keys, args)
  return redis.call('XADD', keys[1], virtual_id(keys[1]), unpack(args))
end }`;

/** Each occurs in the library as often as that. */
const replacements = [
  { text: "redis.call('TIME')", by: "virtual_time()", times: 1 },
  {
    text: "redis.call('XADD', events_key, '*',",
    by: "redis.call('XADD', events_key, virtual_id(events_key),",
    times: 2,
  },
] as const;

type RawClient = ReturnType<typeof newRawClient>;

export type VirtualRedis = AsyncDisposable & {
  /** For programs under test. */
  url: string;
  /** Sees Redis as it is. */
  raw: RawClient;
  /** Unix milliseconds. */
  setClock(ms: number): Promise<unknown>;
  /** XADD, with an id of the virtual clock. */
  append(key: string, entry: Record<string, string>): Promise<unknown>;
};

export async function startVirtualRedis(): Promise<VirtualRedis> {
  const server = await startRedisServer();
  const raw = await newRawClient(server.url).connect();
  await loadLibraries(server.url, raw);
  const proxy = await startTimeProxy(server.port);
  return {
    url: proxy.url,
    raw,
    setClock: (ms) => raw.set(clockKey, String(ms)),
    append: (key, entry) => {
      const words = Object.entries(entry).flat();
      return raw.sendCommand(["FCALL", "virtual_xadd", "1", key, ...words]);
    },
    [Symbol.asyncDispose]: async () => {
      raw.destroy();
      await proxy[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

function newRawClient(url: string) {
  return createClient({ url });
}

async function loadLibraries(url: string, raw: RawClient): Promise<void> {
  {
    await using board = await connectBlackboard({
      url,
      instance: InstanceName.parse("first"),
      ...patient,
    });
    // A program loads its library when it first needs it.
    await board.listDue(1);
  }
  const [library] = await raw.functionListWithCode({ LIBRARYNAME: "sett_*" });
  let source = library?.library_code ?? "";
  for (const { text, by, times } of replacements) {
    const found = source.split(text).length - 1;
    if (found !== times)
      throw new Error(
        `The library has \`${text}\` ${found} times, not ${times}: its clock cannot be set.`,
      );
    source = source.replaceAll(text, by);
  }
  // The first line names the library.
  await raw.functionLoad(source.replace("\n", `\n${virtualClock}\n`), { REPLACE: true });
  await raw.functionLoad(clockLibrary);
}

const time = Buffer.from("*1\r\n$4\r\nTIME\r\n");
const virtualTime = Buffer.from("*3\r\n$5\r\nFCALL\r\n$12\r\nvirtual_time\r\n$1\r\n0\r\n");

async function startTimeProxy(port: number): Promise<AsyncDisposable & { url: string }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const redis = connect(port, "127.0.0.1");
    for (const socket of [client, redis]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => undefined);
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        redis.destroy();
      });
    }
    client.on("data", (chunk) => redis.write(withVirtualTime(Buffer.from(chunk))));
    redis.on("data", (chunk) => client.write(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `redis://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The client writes a small command whole. */
function withVirtualTime(chunk: Buffer): Buffer {
  const at = chunk.indexOf(time);
  if (at < 0) return chunk;
  return Buffer.concat([
    chunk.subarray(0, at),
    virtualTime,
    withVirtualTime(chunk.subarray(at + time.length)),
  ]);
}
