-- Grants, for the functions that check or write them. A grant is JSON text, written whole; it is
-- decoded only to be checked.

-- RECORD grant agent, state, attempt: number, json

-- The decoded grant and its text; nil when the agent has none in this claim.
local function read_grant(claim, agent)
  local text = redis.call('HGET', grants_key(claim), agent)
  if not text then return nil end
  return cjson.decode(text), text
end

local function lease_member(claim, agent, attempt)
  return 'lease:' .. claim .. ':' .. agent .. ':' .. digits(attempt)
end

local function attempt_member(claim, agent, attempt)
  return 'attempt:' .. claim .. ':' .. agent .. ':' .. digits(attempt)
end

local grant_claim_fields = { 'status', 'goal_id', 'artefact_id' }

-- The claim's fields that `grant_problem` checks and that a grant's events name.
local function read_claim_of_grant(key)
  return read_fields(key, grant_claim_fields)
end

-- Why this attempt is not, or no longer, in the expected state; nil when it is. `order` names
-- claim, agent, attempt and state, and where the caller has a copy of the grant `queued_at`: a
-- Redis that lost its last writes may have queued the attempt anew, with other contents.
local function grant_problem(order, claim, grant)
  if not claim.status then return 'There is no claim ' .. order.claim .. '.' end
  if not grant then return 'Claim ' .. order.claim .. ' has no grant for ' .. order.agent .. '.' end
  if is_ended(claim.status) then return 'Claim ' .. order.claim .. ' has ended.' end
  if is_goal_ended(claim.goal_id) then return 'Goal ' .. claim.goal_id .. ' was ended.' end
  if grant.state == order.state and grant.attempt == order.attempt then
    if not order.queued_at or order.queued_at == grant.queued_at then return nil end
    return 'Attempt ' .. digits(grant.attempt) .. ' was queued anew, at ' .. grant.queued_at .. '.'
  end
  return 'The grant is ' .. grant.state .. ' in attempt ' .. digits(grant.attempt) .. '.'
end

-- Which attempt of a grant its agent has taken: the attempt and `queued_at`, by which of its runs,
-- and where in its mail it says so. Nil where it has taken none.
local function read_taken(key, claim)
  local text = redis.call('HGET', key, claim)
  if not text then return nil end
  local attempt, queued_at, place, run = text:match('^(%d+) (%S+) (%S+) (%S*)$')
  return { attempt = tonumber(attempt), queued_at = queued_at, place = place, run = run }
end

-- The index of queued grants, by agent. An agent may lose its wake-ups; it reads this index again
-- and again. What one millisecond brings keeps its order: the score is that of the event which logs
-- the grant, or a later one than that of any other.
local function add_queued(claim, agent)
  local key = prefix .. 'agent:' .. agent .. ':queued'
  local score = last_event and score_of(last_event)
  if not score then
    local last = tonumber(redis.call('ZRANGE', key, -1, -1, 'WITHSCORES')[2] or 0)
    score = digits(math.max(now_ms() * 1000, last + 1))
  end
  redis.call('ZADD', key, score, claim)
end

local function remove_queued(claim, agent)
  redis.call('ZREM', prefix .. 'agent:' .. agent .. ':queued', claim)
end

-- Adds the agent's wake-up for a queued grant.
local function wake(claim, agent)
  redis.call('RPUSH', prefix .. 'agent:' .. agent .. ':grants', claim)
end

-- The keys that `write_grant` writes of an agent.
local function require_grant_keys(agent)
  local of_agent = prefix .. 'agent:' .. agent
  require_type('zset', of_agent .. ':queued', of_agent .. ':work')
  require_type('list', of_agent .. ':grants')
end

-- Writes a grant (the record of this name), whose event is in the log. One that leaves `running`
-- loses its lease, and one that was to be tried again is not due any more; a queued one wakes its
-- agent, unless its goal was ended. `score`: as in `index_work`.
local function write_grant(claim, goal, grant, score)
  local agent = grant.agent
  -- The first attempt begins queued, with nothing before it.
  local before = not (grant.attempt == 1 and grant.state == 'queued') and read_grant(claim, agent)
  if before and before.state == 'running'
    and (grant.state ~= 'running' or before.attempt ~= grant.attempt) then
    redis.call('ZREM', prefix .. 'due:lease', lease_member(claim, agent, before.attempt))
  end
  if before and before.retry_at then
    redis.call('ZREM', prefix .. 'due:attempt', attempt_member(claim, agent, before.attempt))
  end
  -- The grant no longer waits for its question, so that no person needs to answer it.
  if before and before.state == 'waiting' and before.waits_for.question_id then
    redis.call('ZREM', prefix .. 'questions:open', before.waits_for.question_id)
  end
  redis.call('HSET', grants_key(claim), agent, grant.json)
  index_work(claim, agent, grant.state, score)
  if grant.state == 'queued' and not is_goal_ended(goal) then
    wake(claim, agent)
    add_queued(claim, agent)
  elseif before and before.state == 'queued' then
    remove_queued(claim, agent)
  end
end
