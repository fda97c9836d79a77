-- Puts an event that could not be handled among those that are owed: it is tried again, although
-- the cursor passes it. Logs that once.
-- KEYS orchestrator, owed_events
-- ARGS epoch: number, id, owed, event: event
-- Result owed | fenced
local function owe_event(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  if redis.call('HSETNX', keys.owed_events, args.id, args.owed) == 1 then
    append_event(args.event)
  end
  return { 'owed' }
end
