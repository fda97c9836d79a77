-- Pauses the instance, or lets it go on: then the agents of queued grants are woken, for none could be accepted meanwhile.
-- KEYS 1 events, 2 orchestrator, 3 claims:open
-- ARGV 1 prefix, epoch, paused (1 or 0), by whom, since when (ISO 8601)
-- Result {'set'} | {'already'} | {'fenced'}
local epoch = take()
if is_fenced(KEYS[2], epoch) then return { 'fenced' } end
local paused, by, since = take() == '1', take(), take()
local before = redis.call('HEXISTS', KEYS[2], 'paused_since') == 1
if before == paused then return { 'already' } end
local data = '{"by":' .. cjson.encode(by) .. '}'
if paused then
  redis.call('HSET', KEYS[2], 'paused_since', since, 'paused_by', by)
  log('orchestrator:' .. epoch, 'instance_paused', '', '', '', '', data)
  return { 'set' }
end
redis.call('HDEL', KEYS[2], 'paused_since', 'paused_by')
for _, claim in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
  local grants = redis.call('HGETALL', prefix .. 'grants:' .. claim)
  for index = 1, #grants, 2 do
    -- One that somebody has broken by hand wakes nobody, and holds up nobody else.
    local is_read, grant = pcall(cjson.decode, grants[index + 1])
    if is_read and type(grant) == 'table' and grant.state == 'queued' then
      redis.call('RPUSH', prefix .. 'agent:' .. grants[index] .. ':grants', claim)
    end
  end
end
log('orchestrator:' .. epoch, 'instance_resumed', '', '', '', '', data)
return { 'set' }
