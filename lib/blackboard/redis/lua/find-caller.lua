-- Who calls a language model, by the token. Changes nothing.
-- KEYS none
-- ARGS token: model_token
-- Result found (goal, artefact) | refused (reason, is_ended)
local function find_caller(_, args)
  local claim, problem, is_ended = claim_of_token(args.token)
  if not claim then return { 'refused', problem, is_ended } end
  return { 'found', claim.goal_id, claim.artefact_id }
end
