-- Empties an agent's mail, its notes of what it has taken, and its heartbeat, where they take more
-- memory than they may. A full Redis does this too: it makes room. The key of the probe, which any
-- agent may write and no honest program makes, goes in any case.
-- KEYS mail, taken, status, probe
-- ARGS max_bytes: number
-- Result kept | dropped (messages, bytes)
-- No honest cub has so many notes; the memory of more is estimated, because all of them would take
-- long to look at.
local most_notes = 10000
-- An honest heartbeat has some 200 bytes, and no more than 1000 are read of any.
local most_status_bytes = 10000

local function drop_mail(keys, args)
  require_type('hash', keys.taken)
  require_type('stream', keys.mail)
  redis.call('UNLINK', keys.probe)
  local notes = redis.call('HLEN', keys.taken)
  local samples = notes > most_notes and 5 or 0
  local status = redis.call('MEMORY', 'USAGE', keys.status) or 0
  local bytes = (redis.call('MEMORY', 'USAGE', keys.mail) or 0)
    + (redis.call('MEMORY', 'USAGE', keys.taken, 'SAMPLES', samples) or 0) + status
  if bytes <= args.max_bytes and notes <= most_notes and status <= most_status_bytes then
    return { 'kept' }
  end
  local messages = redis.call('XTRIM', keys.mail, 'MAXLEN', '0')
  redis.call('UNLINK', keys.taken, keys.status)
  return { 'dropped', tostring(messages), tostring(bytes) }
end
