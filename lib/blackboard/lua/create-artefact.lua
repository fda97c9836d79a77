-- Stores an artefact that comes from no grant, with its indexes, event and hint.
-- KEYS 1 events
-- ARGV 1 prefix, actor, the artefact (take_artefact)
-- Result {'created'} | {'exists'} | {'refused', reason}
local actor = take()
local artefact, digest = take_artefact()
local same, problem = artefact_problem(artefact)
if same then return { 'exists' } end
if problem then return refused(problem) end
-- An artefact that begins a goal finds none that was ended.
if artefact.id ~= artefact.goal_id and is_goal_ended(artefact.goal_id) then return refused('Goal ' .. artefact.goal_id .. ' was ended.') end
store_artefact(artefact, digest, actor)
return { 'created' }
