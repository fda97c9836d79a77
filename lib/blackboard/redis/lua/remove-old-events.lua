-- Removes events of no goal that are older than sett.yml wants to keep them.
-- KEYS orchestrator, removed_events
-- ARGS epoch: number, ids: text*
-- Result removed (count) | fenced
local function remove_old_events(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local removed = functions.remove_events({ removed_events = keys.removed_events },
    { ids = args.ids })
  return { 'removed', removed[2] }
end
