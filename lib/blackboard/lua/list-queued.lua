-- The claims in which an agent's grant is queued, longest first; none while the instance is paused, because none can be accepted then.
-- Removes from the index what is no longer queued, and the wake-ups where the list is complete.
-- KEYS orchestrator, queued, wake_ups
-- ARGS agent, limit: number
-- Result the claims
local function list_queued(keys, args)
  local queued = {}
  if redis.call('HEXISTS', keys.orchestrator, 'paused_since') == 1 then return queued end
  for _, claim in ipairs(redis.call('ZRANGE', keys.queued, 0, args.limit - 1)) do
    -- A grant that was damaged by hand keeps no other from being listed.
    local is_read, grant = pcall(read_grant, claim, args.agent)
    if is_read and grant and grant.state == 'queued' then
      queued[#queued + 1] = claim
    else
      redis.call('ZREM', keys.queued, claim)
    end
  end
  if #queued > 0 and redis.call('ZCARD', keys.queued) <= args.limit then redis.call('DEL', keys.wake_ups) end
  return queued
end
