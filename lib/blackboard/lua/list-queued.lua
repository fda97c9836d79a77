-- The claims in which an agent's grant is queued, longest first; none while the instance is paused, for then none can be accepted. What the
-- index has and is queued no more leaves it, and wake-ups for what is told here are no longer needed.
-- KEYS 1 events, 2 orchestrator, 3 the agent's queued grants, 4 its wake-ups
-- ARGV 1 prefix, agent, the most to list
-- Result the claims
local agent, most = take(), take_number()
local queued = {}
if redis.call('HEXISTS', KEYS[2], 'paused_since') == 1 then return queued end
for _, claim in ipairs(redis.call('ZRANGE', KEYS[3], 0, most - 1)) do
  local grant = read_grant(claim, agent)
  if grant and grant.state == 'queued' then queued[#queued + 1] = claim else redis.call('ZREM', KEYS[3], claim) end
end
if #queued > 0 and redis.call('ZCARD', KEYS[3]) <= most then redis.call('DEL', KEYS[4]) end
return queued
