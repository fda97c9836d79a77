-- Stores a person's Answer. The first answer counts; `taken` names it.
-- KEYS question_artefact, question
-- ARGS question, actor, answer: artefact
-- Result answered | taken (answer) | refused (reason)
local function answer_question(keys, args)
  local answer = args.answer
  local known = redis.call('HGET', keys.question, 'answer')
  if known == answer.id then return { 'answered' } end
  if known then return { 'taken', known } end
  local problem = question_problem(args.question, read_question(keys.question_artefact))
  if problem then return refused(problem) end
  local same, taken = artefact_problem(answer)
  if same or taken then
    return refused(taken or 'The artefact ' .. answer.id .. ' is stored already.')
  end
  store_artefact(answer, args.actor)
  return { 'answered' }
end
