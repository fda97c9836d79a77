-- Removes members from what is due.
-- KEYS orchestrator, due
-- ARGS epoch: number, members: text*
-- Result cleared | fenced
local function clear_due(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  for _, member in ipairs(args.members) do redis.call('ZREM', keys.due, member) end
  return { 'cleared' }
end
