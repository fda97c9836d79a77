-- Closes a goal that is over, so that it can be taken off the blackboard: nothing more is stored, opened, queued or accepted for it.
-- KEYS 1 events, 2 goal, 3 the goal's artefacts, 4 questions:open
-- ARGV 1 prefix, the number of its artefacts, the number of its claims
-- Result {'retired'} | {'changed'} (it has not just these, or something is open)
local artefacts, claims = take_number(), take_number()
if redis.call('HEXISTS', KEYS[2], 'retired') == 1 then return { 'retired' } end
local ids = redis.call('ZRANGE', KEYS[3], 0, -1)
if #ids ~= artefacts then return { 'changed' } end
local count = 0
for _, id in ipairs(ids) do
  if redis.call('ZSCORE', KEYS[4], id) then return { 'changed' } end
  for _, claim in ipairs(redis.call('HVALS', prefix .. 'artifact:' .. id .. ':claims')) do
    if not is_ended(redis.call('HGET', prefix .. 'claim:' .. claim, 'status')) then return { 'changed' } end
    count = count + 1
  end
end
if count ~= claims then return { 'changed' } end
redis.call('HSET', KEYS[2], 'retired', '1')
return { 'retired' }
