-- Stores an artefact that comes from no grant, with its indexes, event and hint.
-- KEYS none
-- ARGS artefact: artefact, actor
-- Result created | exists | refused (reason)
local function create_artefact(_, args)
  local artefact = args.artefact
  local same, problem = post_problem(artefact)
  if same then return { 'exists' } end
  if problem then return refused(problem) end
  store_artefact(artefact, args.actor)
  return { 'created' }
end
