-- Removes the newest artefacts of a retired goal with their claims and all that belongs to these, and with the last one the goal itself.
-- KEYS 1 events, 2 goal, 3 the goal's artefacts
-- ARGV 1 prefix, the goal's id, the most artefacts
-- What people were told of (delivery:…) is named as `keyOf` in lib/core/notice.ts names it.
-- Result {'left', number of artefacts that the goal still has}
local goal, most = take(), take_number()
local function left()
  return { 'left', tostring(redis.call('ZCARD', KEYS[3])) }
end
if redis.call('HEXISTS', KEYS[2], 'retired') == 0 then return left() end
for _, id in ipairs(redis.call('ZRANGE', KEYS[3], -most, -1)) do
  local key = prefix .. 'artifact:' .. id
  for _, claim in ipairs(redis.call('HVALS', key .. ':claims')) do
    redis.call('ZREM', prefix .. 'claims:open', claim)
    for _, agent in ipairs(redis.call('HKEYS', prefix .. 'grants:' .. claim)) do
      redis.call('UNLINK', prefix .. 'delivery:approval-' .. claim .. '-' .. agent)
    end
    redis.call('UNLINK', prefix .. 'claim:' .. claim, prefix .. 'claim:' .. claim .. ':bids', prefix .. 'grants:' .. claim)
  end
  local thread = redis.call('HGET', key, 'logical_id')
  if thread then redis.call('ZREM', prefix .. 'thread:' .. thread, id) end
  redis.call('UNLINK', key, key .. ':claims', prefix .. 'question:' .. id, prefix .. 'delivery:question-' .. id)
  redis.call('HDEL', prefix .. 'artefacts:digests', id)
  redis.call('HDEL', prefix .. 'artefacts:refused', id)
  for _, index in ipairs({ 'artefacts', 'artefacts:with_commit', 'questions:open' }) do redis.call('ZREM', prefix .. index, id) end
  redis.call('ZREM', KEYS[3], id)
end
if redis.call('ZCARD', KEYS[3]) == 0 then
  redis.call('ZREM', prefix .. 'goals', goal)
  redis.call('UNLINK', KEYS[2], prefix .. 'delivery:goal-' .. goal)
end
return left()
