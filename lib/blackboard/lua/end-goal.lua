-- Ends a goal: nothing more is opened, woken or accepted for it. Posts the Failure that explains it, if there is one.
-- KEYS 1 events, 2 orchestrator, 3 goal
-- ARGV 1 prefix, epoch, goal id, ending, number of Failures (0 or 1), each by take_artefact
-- Result {'ended'} | {'already'} | {'fenced'}
local epoch = take()
if is_fenced(KEYS[2], epoch) then return { 'fenced' } end
local goal, ending, count = take(), take(), take_number()
if redis.call('HEXISTS', KEYS[3], 'ended') == 1 then return { 'already' } end
local actor = 'orchestrator:' .. epoch
redis.call('HSET', KEYS[3], 'ended', ending)
for _ = 1, count do
  local failure, digest = take_artefact()
  local same, problem = artefact_problem(failure)
  if not same and not problem then store_artefact(failure, digest, actor) end
end
log(actor, 'goal_ended', goal, '', '', '', '{"ending":"' .. ending .. '"}')
return { 'ended' }
