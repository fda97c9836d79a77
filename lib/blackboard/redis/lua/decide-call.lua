-- Keeps a person's word about a call of a tool that waits.
-- KEYS orchestrator, asked_calls
-- ARGS epoch: number, id, claim, agent, digest, state, answer, words
-- Result decided | already | fenced
-- `state`: `allowed` or `refused`. `answer`: the artefact with the word.
local function decide_call(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local known = read_asked(keys.asked_calls, args.claim, args.agent, args.digest)
  if not known or known.id ~= args.id or known.state ~= 'asked' then return { 'already' } end
  known.state, known.answer = args.state, args.answer
  known.words = args.state == 'refused' and args.words or nil
  keep_asked(keys.asked_calls, known)
  return { 'decided' }
end
