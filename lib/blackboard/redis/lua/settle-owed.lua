-- Removes events from those that are owed: they were handled after all.
-- KEYS orchestrator, owed_events
-- ARGS epoch: number, ids: text*
-- Result settled | fenced
local function settle_owed(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  for _, id in ipairs(args.ids) do redis.call('HDEL', keys.owed_events, id) end
  return { 'settled' }
end
