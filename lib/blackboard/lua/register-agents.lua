-- Writes registrations; events for those that are new or changed. `expect` keeps those that are new aside, `exact` removes all others.
-- KEYS 1 events, 2 agents, 3 agent_status, 4 agents that are expected
-- ARGV 1 prefix, actor, add, exact or expect, n, then n times name, registration as JSON, the event's data as JSON
-- Result {'registered'}
local actor, mode = take(), take()
local named = {}
for _ = 1, take_number() do
  local name, text, data = take(), take(), take()
  named[name] = true
  local known = redis.call('HGET', KEYS[2], name)
  if not known and mode == 'expect' then
    redis.call('HSET', KEYS[4], name, text)
  else
    redis.call('HDEL', KEYS[4], name)
    if known ~= text then
      redis.call('HSET', KEYS[2], name, text)
      log(actor, 'agent_registered', '', '', '', name, data)
    end
  end
end
if mode == 'exact' then
  for _, name in ipairs(redis.call('HKEYS', KEYS[4])) do redis.call('HDEL', KEYS[3], name) end
  redis.call('DEL', KEYS[4])
  local known = redis.call('HKEYS', KEYS[2])
  table.sort(known)
  for _, name in ipairs(known) do
    if not named[name] then
      redis.call('HDEL', KEYS[2], name)
      redis.call('HDEL', KEYS[3], name)
      log(actor, 'agent_removed', '', '', '', name, '')
    end
  end
end
return { 'registered' }
