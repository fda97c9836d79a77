// Puts an instance into the state after Redis' clock was turned back: every moment on record by
// that clock lies so much further ahead, and the log goes on from where it was.
import { plantedField } from "./garbage.ts";
import type { ChaosRedis } from "./world.ts";

const script = `
local prefix, by = ARGV[1], tonumber(ARGV[2])
for _, kind in ipairs({ 'bids', 'announce', 'lease', 'attempt' }) do
  local due = prefix .. 'due:' .. kind
  for _, member in ipairs(redis.call('ZRANGE', due, 0, -1)) do redis.call('ZINCRBY', due, by, member) end
end
for _, field in ipairs({ 'expires_at', 'seen_at' }) do
  local at = redis.call('HGET', prefix .. 'orchestrator', field)
  if at then redis.call('HSET', prefix .. 'orchestrator', field, string.format('%.0f', at + by)) end
end
local ahead = redis.call('TIME')[1] * 1000 + by
local last = redis.call('XREVRANGE', prefix .. 'events', '+', '-', 'COUNT', 1)[1]
if last and tonumber(last[1]:match('^%d+')) >= ahead then return end
redis.call('XADD', prefix .. 'events', string.format('%.0f-0', ahead), 'type', 'shrugged', 'event', '{"actor":"hand"}', ARGV[3], 'chaos')
`;

export async function turnBackClock(
  redis: Pick<ChaosRedis, "cli">,
  instance: string,
  byMs: number,
): Promise<void> {
  await redis.cli("EVAL", script, "0", `sett:${instance}:`, String(byMs), plantedField);
}
