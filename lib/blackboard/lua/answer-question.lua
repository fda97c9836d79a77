-- Stores a person's Answer. The first one counts.
-- KEYS 1 events, 2 the question's artefact, 3 question:{id}
-- ARGV 1 prefix, actor, question, the artefact (take_artefact)
-- Result {'answered'} | {'taken', the answer that counts} | {'refused', reason}
local actor, id = take(), take()
local answer, digest = take_artefact()
local known = redis.call('HGET', KEYS[3], 'answer')
if known == answer.id then return { 'answered' } end
if known then return { 'taken', known } end
local problem = question_problem(id, question_facts(KEYS[2]))
if problem then return refused(problem) end
local same, taken = artefact_problem(answer)
if same or taken then return refused(taken or 'The artefact ' .. answer.id .. ' stands already.') end
store_artefact(answer, digest, actor)
return { 'answered' }
