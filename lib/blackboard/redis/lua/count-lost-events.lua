-- Counts the entries of the log that are gone although no function has removed them: they were
-- deleted by hand. logged: how many there have ever been. Changes nothing.
-- KEYS log, removed_events
-- ARGS none
-- Result lost (count, logged)
local function count_lost_events(keys)
  if redis.call('EXISTS', keys.log) == 0 then return { 'lost', '0', '0' } end
  local words, facts = redis.call('XINFO', 'STREAM', keys.log), {}
  for index = 1, #words, 2 do facts[words[index]] = words[index + 1] end
  local removed = tonumber(redis.call('GET', keys.removed_events) or '0')
  local logged = facts['entries-added']
  return { 'lost', digits(math.max(0, logged - facts['length'] - removed)), digits(logged) }
end
