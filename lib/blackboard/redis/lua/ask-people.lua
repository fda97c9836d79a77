-- Asks people a question: from now on it is listed.
-- KEYS orchestrator, question_artefact, question, open_questions
-- ARGS epoch: number, question
-- Result asked | already | closed | fenced
local function ask_people(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local question = read_question(keys.question_artefact)
  if redis.call('HEXISTS', keys.question, 'answer') == 1
    or question_problem(args.question, question) then
    return { 'closed' }
  end
  if redis.call('ZSCORE', keys.open_questions, args.question) then return { 'already' } end
  local event_id = log({
    type = 'question_asked', actor = orchestrator_of(args.epoch),
    goal_id = question.goal_id, claim_id = question.claim_id, artefact_id = args.question,
    agent = question.produced_by_agent,
  })
  redis.call('ZADD', keys.open_questions, score_of(event_id), args.question)
  return { 'asked' }
end
