-- Empties an agent's mail, and its notes of what it has taken, where the two take more memory than they may. A full Redis does this too: it
-- makes room.
-- KEYS mail, taken
-- ARGS max_bytes: number
-- Result kept | dropped (messages, bytes)
-- No honest cub has so many notes; the memory of more is estimated, because all of them would take long to look at.
local most_notes = 10000

local function drop_mail(keys, args)
  local notes = redis.call('HLEN', keys.taken)
  local samples = notes > most_notes and 5 or 0
  local bytes = (redis.call('MEMORY', 'USAGE', keys.mail) or 0) + (redis.call('MEMORY', 'USAGE', keys.taken, 'SAMPLES', samples) or 0)
  if bytes <= args.max_bytes and notes <= most_notes then return { 'kept' } end
  local messages = redis.call('XTRIM', keys.mail, 'MAXLEN', '0')
  redis.call('UNLINK', keys.taken)
  return { 'dropped', tostring(messages), tostring(bytes) }
end
