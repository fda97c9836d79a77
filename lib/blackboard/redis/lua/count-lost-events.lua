-- Counts the entries of the log that are gone although no function has removed them: they were
-- deleted by hand. Changes nothing.
-- KEYS log, removed_events
-- ARGS none
-- Result lost (count)
local function count_lost_events(keys)
  if redis.call('EXISTS', keys.log) == 0 then return { 'lost', '0' } end
  local words, facts = redis.call('XINFO', 'STREAM', keys.log), {}
  for index = 1, #words, 2 do facts[words[index]] = words[index + 1] end
  local removed = tonumber(redis.call('GET', keys.removed_events) or '0')
  return { 'lost', digits(math.max(0, facts['entries-added'] - facts['length'] - removed)) }
end
