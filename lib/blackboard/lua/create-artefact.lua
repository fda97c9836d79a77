-- Stores an artefact that comes from no grant, with its indexes, event and hint.
-- KEYS none
-- ARGS artefact: artefact, actor
-- Result created | exists | refused (reason)
local function create_artefact(_, args)
  local artefact = args.artefact
  local same, problem = artefact_problem(artefact)
  if same then return { 'exists' } end
  if problem then return refused(problem) end
  -- An artefact that begins a goal is the first of it, so that the goal cannot have ended.
  if artefact.id ~= artefact.goal_id and is_goal_ended(artefact.goal_id) then
    return refused('Goal ' .. artefact.goal_id .. ' was ended.')
  end
  store_artefact(artefact, args.actor)
  return { 'created' }
end
