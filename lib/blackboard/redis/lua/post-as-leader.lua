-- Stores an artefact of the orchestrator that comes with no decision about a claim.
-- KEYS orchestrator
-- ARGS epoch: number, artefact: artefact
-- Result created | exists | fenced | refused (reason)
local function post_as_leader(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local artefact = args.artefact
  local same, problem = post_problem(artefact)
  if same then return { 'exists' } end
  if problem then return refused(problem) end
  store_artefact(artefact, orchestrator_of(args.epoch))
  return { 'created' }
end
