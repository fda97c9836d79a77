-- Questions, for the scripts that put them to people or answer them. Needs prelude-grant. The hash `question:{id}` names the answer that counts.

-- What of a question's artefact its scripts look at.
local function question_facts(key)
  local found = redis.call('HMGET', key, 'structural_type', 'goal_id', 'claim_id', 'produced_by_agent')
  return { kind = found[1], goal = found[2], claim = found[3], agent = found[4] }
end

-- Why nobody needs an answer any more, if nobody does. One that no agent asked (about a goal) is open until its goal ends.
local function question_problem(id, question)
  if question.kind ~= 'Question' then return 'There is no question ' .. id .. '.' end
  if is_goal_ended(question.goal) then return 'Goal ' .. question.goal .. ' was ended.' end
  if question.agent == '' then return nil end
  local grant = read_grant(question.claim, question.agent)
  if grant and grant.state == 'waiting' and grant.waits_for.question_id == id then return nil end
  return 'Agent ' .. question.agent .. ' does not wait for an answer to question ' .. id .. ' any more.'
end
