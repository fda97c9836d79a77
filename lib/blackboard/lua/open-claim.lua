-- Opens a claim; one that takes bids is announced to the cubs and given its deadline.
-- KEYS 1 events, 2 orchestrator, 3 due
-- ARGV 1 prefix, epoch, milliseconds until the bid deadline, milliseconds until the next announcement, the claim (take_new_claim)
-- Result {'opened'} | {'exists', claim} | {'fenced'} | {'refused', reason}
local epoch, deadline, again = take(), take_number(), take_number()
if is_fenced(KEYS[2], epoch) then return { 'fenced' } end
local claim = take_new_claim()
local known = claim_of_cause(claim)
if known then return { 'exists', known } end
local subject = subject_of(claim.artefact_id)
if not subject[1] then return refused('There is no artefact ' .. claim.artefact_id .. '.') end
if is_goal_ended(claim.goal_id) then return refused('Goal ' .. claim.goal_id .. ' was ended.') end
open_claim(claim, 'orchestrator:' .. epoch, subject)
if claim.bidding == 'open' then
  local now = now_ms()
  redis.call('ZADD', KEYS[3], string.format('%.0f', now + deadline), 'bids:' .. claim.id,
    string.format('%.0f', now + again), 'announce:' .. claim.id)
end
return { 'opened' }
