-- Ends a goal: nothing more is opened, woken or accepted for it. Posts the Failure that explains it, if there is one.
-- KEYS 1 events, 2 orchestrator, 3 goal, 4 questions:open
-- ARGV 1 prefix, epoch, goal id, ending, by whom ('' when nobody asked for it), number of Failures (0 or 1), each by take_artefact
-- Result {'ended'} | {'already'} | {'fenced'}
local epoch = take()
if is_fenced(KEYS[2], epoch) then return { 'fenced' } end
local goal, ending, by, count = take(), take(), take(), take_number()
if is_goal_ended(goal) then return { 'already' } end
local actor = 'orchestrator:' .. epoch
redis.call('HSET', KEYS[3], 'ended', ending)
for _ = 1, count do
  local failure, digest = take_artefact()
  local same, problem = artefact_problem(failure)
  if not same and not problem then store_artefact(failure, digest, actor) end
end
for _, question in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  if redis.call('HGET', prefix .. 'artifact:' .. question, 'goal_id') == goal then redis.call('ZREM', KEYS[4], question) end
end
local asked = by ~= '' and ',"by":' .. cjson.encode(by) or ''
log(actor, 'goal_ended', goal, '', '', '', '{"ending":"' .. ending .. '"' .. asked .. '}')
return { 'ended' }
