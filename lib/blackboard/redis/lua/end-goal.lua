-- Ends a goal: nothing more is opened, woken or accepted for it. Posts the Failure that explains
-- it, if there is one.
-- KEYS orchestrator, goal, open_questions
-- ARGS epoch: number, goal, ending, by, failure: artefact?
-- Result ended | already | none | fenced
-- `by`: the actor who asked for it; '' where the orchestrator itself ends the goal. `none`: nothing
-- of such a goal is on the blackboard.
local function questions_of(open_questions, goal)
  local questions = {}
  for _, question in ipairs(redis.call('ZRANGE', open_questions, 0, -1)) do
    if redis.call('HGET', artefact_key(question), 'goal_id') == goal then
      questions[#questions + 1] = question
    end
  end
  return questions
end

local function end_goal(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  if is_goal_ended(args.goal) then return { 'already' } end
  if redis.call('EXISTS', keys.goal, keys.goal .. ':artefacts') == 0 then return { 'none' } end
  require_type('hash', prefix .. 'goals:paused')
  require_type('zset', keys.open_questions)
  local same, problem
  if args.failure then same, problem = artefact_problem(args.failure) end
  local questions = questions_of(keys.open_questions, args.goal)
  redis.call('HSET', keys.goal, 'ended', args.ending)
  redis.call('HDEL', prefix .. 'goals:paused', args.goal)
  local actor = orchestrator_of(args.epoch)
  if args.failure and not same and not problem then store_artefact(args.failure, actor) end
  for _, question in ipairs(questions) do redis.call('ZREM', keys.open_questions, question) end
  log({
    type = 'goal_ended', actor = actor, goal_id = args.goal,
    data = object('ending', args.ending, 'by', args.by ~= '' and args.by),
  })
  return { 'ended' }
end
