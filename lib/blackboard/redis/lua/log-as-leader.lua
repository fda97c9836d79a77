-- Appends an event of the orchestrator that comes with no change of state.
-- KEYS orchestrator
-- ARGS epoch: number, event: event
-- Result logged (id) | fenced
local function log_as_leader(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  return { 'logged', append_event(args.event) }
end
