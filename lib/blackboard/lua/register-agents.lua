-- Writes registrations; events for those that are new or changed. When told to be exact, removes all others.
-- KEYS 1 events, 2 agents, 3 agent_status
-- ARGV 1 prefix, actor, exact (1 or 0), n, then n times name, registration as JSON, the event's data as JSON
-- Result {'registered'}
local actor, exact = take(), take() == '1'
local named = {}
for _ = 1, take_number() do
  local name, text, data = take(), take(), take()
  named[name] = true
  if redis.call('HGET', KEYS[2], name) ~= text then
    redis.call('HSET', KEYS[2], name, text)
    log(actor, 'agent_registered', '', '', '', name, data)
  end
end
if exact then
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
