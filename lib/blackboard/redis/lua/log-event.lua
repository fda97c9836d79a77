-- Appends an event that comes with no change of state.
-- KEYS none
-- ARGS event: event
-- Result logged (id)
local function log_event(_, args)
  return { 'logged', append_event(args.event) }
end
