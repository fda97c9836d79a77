-- Releases the leader lease, if this epoch still holds it. Epoch and cursor stay for the next
-- holder.
-- KEYS orchestrator
-- ARGS epoch: number
-- Result released | fenced
local function release_leader_lease(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  redis.call('HSET', keys.orchestrator, 'holder', '', 'expires_at', '0')
  return { 'released' }
end
