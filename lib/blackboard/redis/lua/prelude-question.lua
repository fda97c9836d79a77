-- Questions, for the functions that list or answer them. The hash `question:{id}` names the answer
-- that counts.

-- The fields of a question's artefact that `question_problem` checks.
local function read_question(key)
  return read_fields(key, { 'structural_type', 'goal_id', 'claim_id', 'produced_by_agent' })
end

-- Why the question needs no answer any more; nil when it does. One that no agent asked (about a
-- goal) is open until its goal ends.
local function question_problem(id, question)
  local agent = question.produced_by_agent
  -- What a person has written may lack a field until it is adopted.
  if question.structural_type ~= 'Question'
    or not (question.goal_id and question.claim_id and agent) then
    return 'There is no question ' .. id .. '.'
  end
  if is_goal_ended(question.goal_id) then return 'Goal ' .. question.goal_id .. ' was ended.' end
  if agent == '' then return nil end
  local grant = read_grant(question.claim_id, agent)
  if grant and grant.state == 'waiting' and grant.waits_for.question_id == id then return nil end
  return 'Agent ' .. agent .. ' does not wait for an answer to question ' .. id .. ' any more.'
end
