-- Pauses a goal, or resumes it: while it is paused, none of its new work begins. Pausing notes how
-- far the mail of each registered agent goes, as set-paused does. Resuming wakes the registered
-- agents that have queued grants.
-- KEYS orchestrator, agents, goal, paused_goals
-- ARGS epoch: number, goal, is_paused: flag, by, since, request: text?
-- Result set | already | superseded | over | fenced
-- `by` is an actor; `since` is ISO 8601; `request` is the event that asks for it. `over`: the goal
-- was ended, or there is none.
local function pause_goal(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local former = former_answer(keys.goal, args.request)
  if former == 'superseded' then return { 'superseded' } end
  if former then return { former } end
  local is_over = redis.call('EXISTS', artefact_key(args.goal)) == 0 or is_goal_ended(args.goal)
  if is_over then return { 'over' } end
  local is_paused = redis.call('HEXISTS', keys.paused_goals, args.goal) == 1
  local is_already = is_paused == args.is_paused
  require_wakeable(keys.agents)
  local places = last_places(keys.agents)
  former_answer(keys.goal, args.request, is_already and 'already' or 'set')
  if is_already then return { 'already' } end
  if args.is_paused then
    local pause = object('since', args.since, 'by', args.by)
    local mail = object(unpack(places))
    redis.call('HSET', keys.paused_goals, args.goal, pause:sub(1, -2) .. ',"mail":' .. mail .. '}')
  else
    redis.call('HDEL', keys.paused_goals, args.goal)
    wake_queued(keys.agents)
  end
  local kind = args.is_paused and 'goal_paused' or 'goal_resumed'
  log({ type = kind, actor = orchestrator_of(args.epoch), goal_id = args.goal,
    data = object('by', args.by) })
  return { 'set' }
end
