-- Removes members from what is due. One that was moved further meanwhile stays there.
-- KEYS orchestrator, due
-- ARGS epoch: number, members: text*
-- Result cleared | fenced
local function clear_due(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  require_due(keys.due, unpack(due_kinds))
  local now = now_ms()
  for _, member in ipairs(args.members) do
    local key = due_key(keys.due, member)
    local at = tonumber(redis.call('ZSCORE', key, member) or nil)
    if at and at <= now then redis.call('ZREM', key, member) end
  end
  return { 'cleared' }
end
