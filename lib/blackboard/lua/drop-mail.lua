-- Empties an agent's mail that takes more memory than it may. A full Redis does this too: it makes room.
-- KEYS mail
-- ARGS max_bytes: number
-- Result kept | dropped (messages, bytes)
local function drop_mail(keys, args)
  local bytes = redis.call('MEMORY', 'USAGE', keys.mail)
  if not bytes or bytes <= args.max_bytes then return { 'kept' } end
  local messages = redis.call('XTRIM', keys.mail, 'MAXLEN', '0')
  return { 'dropped', tostring(messages), tostring(bytes) }
end
