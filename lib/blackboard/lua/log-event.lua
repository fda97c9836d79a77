-- Appends an event that comes with no change of state.
-- KEYS 1 events
-- ARGV 1 prefix, actor, type, goal id, claim id, artefact id, agent ('' when absent), data as JSON or ''
-- Result {'logged', the event's id}
return { 'logged', log(take(), take(), take(), take(), take(), take(), take()) }
