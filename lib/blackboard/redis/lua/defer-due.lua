-- Lets members that are due come due again later. One that was moved further meanwhile stays there,
-- one that is no longer due stays out.
-- KEYS orchestrator, due
-- ARGS epoch: number, after_ms: number, members: text*
-- Result deferred | fenced
local function defer_due(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  require_due(keys.due, unpack(due_kinds))
  local at = digits(now_ms() + args.after_ms)
  for _, member in ipairs(args.members) do
    redis.call('ZADD', due_key(keys.due, member), 'XX', 'GT', at, member)
  end
  return { 'deferred' }
end
