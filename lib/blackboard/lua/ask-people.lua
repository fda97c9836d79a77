-- Puts a question to people: from here on it is listed.
-- KEYS 1 events, 2 orchestrator, 3 the question's artefact, 4 question:{id}, 5 questions:open
-- ARGV 1 prefix, epoch, question
-- Result {'asked'} | {'already'} | {'closed'} | {'fenced'}
if is_fenced(KEYS[2], take()) then return { 'fenced' } end
local id = take()
local question = question_facts(KEYS[3])
if redis.call('HEXISTS', KEYS[4], 'answer') == 1 or question_problem(id, question) then return { 'closed' } end
if redis.call('ZSCORE', KEYS[5], id) then return { 'already' } end
local actor = 'orchestrator:' .. redis.call('HGET', KEYS[2], 'epoch')
redis.call('ZADD', KEYS[5], score_of(log(actor, 'question_asked', question.goal, question.claim, id, question.agent, '')), id)
return { 'asked' }
