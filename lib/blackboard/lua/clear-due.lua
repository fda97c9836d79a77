-- Removes members from what is due. One that was moved further meanwhile stays there.
-- KEYS orchestrator, due
-- ARGS epoch: number, members: text*
-- Result cleared | fenced
local function clear_due(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local now = now_ms()
  for _, member in ipairs(args.members) do
    local at = tonumber(redis.call('ZSCORE', keys.due, member) or nil)
    if at and at <= now then redis.call('ZREM', keys.due, member) end
  end
  return { 'cleared' }
end
