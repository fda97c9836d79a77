-- Pauses the instance, or resumes it. Resuming wakes the agents of queued grants, because none was accepted meanwhile.
-- KEYS orchestrator, open_claims
-- ARGS epoch: number, is_paused: flag, by, since
-- Result set | already | fenced
-- `by` is an actor; `since` is ISO 8601.
local function wake_queued(open_claims)
  for _, claim in ipairs(redis.call('ZRANGE', open_claims, 0, -1)) do
    local grants = redis.call('HGETALL', grants_key(claim))
    for index = 1, #grants, 2 do
      -- A grant that was damaged by hand wakes no agent, and does not keep other agents from being woken.
      local is_read, grant = pcall(cjson.decode, grants[index + 1])
      if is_read and type(grant) == 'table' and grant.state == 'queued' then wake(claim, grants[index]) end
    end
  end
end

local function set_paused(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  if (redis.call('HEXISTS', keys.orchestrator, 'paused_since') == 1) == args.is_paused then return { 'already' } end
  if args.is_paused then
    redis.call('HSET', keys.orchestrator, 'paused_since', args.since, 'paused_by', args.by)
  else
    redis.call('HDEL', keys.orchestrator, 'paused_since', 'paused_by')
    wake_queued(keys.open_claims)
  end
  local kind = args.is_paused and 'instance_paused' or 'instance_resumed'
  log({ type = kind, actor = orchestrator_of(args.epoch), data = object('by', args.by) })
  return { 'set' }
end
