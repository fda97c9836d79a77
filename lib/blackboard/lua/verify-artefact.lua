-- Compares an artefact that the indexes know with what they were told of it. One that was written over by hand cannot be put back,
-- but it is noticed: once for each content.
-- KEYS 1 events, 2 orchestrator, 3 the artefact's hash, 4 artefacts:refused (id -> digest and reason), 5 artefacts:digests
-- ARGV 1 prefix, epoch, id
-- Result {'known'} | {'unknown'} (not in the indexes) | {'fenced'} | {'refused', reason}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
local id = take()
local digest = redis.call('HGET', KEYS[5], id)
if not digest then return { 'unknown' } end

local values = redis.call('HMGET', KEYS[3], unpack(artefact_fields))
for index = 1, #artefact_fields do values[index] = values[index] or '' end
local found = digest_of(values)
if found == digest then
  redis.call('HDEL', KEYS[4], id)
  return { 'known' }
end
local before = redis.call('HGET', KEYS[4], id)
if before and before:sub(1, #found) == found then return refused(before:sub(#found + 2)) end
local reason = 'The id ' .. id .. ' is taken, and its artefact was written over by hand. Artefacts never change: write a new one under an id of its own.'
redis.call('HSET', KEYS[4], id, found .. ' ' .. reason)
log('hand', 'artefact_refused', '', '', id, '', '{"reason":' .. cjson.encode(reason) .. '}')
return refused(reason)
