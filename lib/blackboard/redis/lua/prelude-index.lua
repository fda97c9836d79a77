-- Which open claims concern an agent: `asked`, those in which its bid is missing, and `work`, those
-- in which it has a grant that is neither done nor cancelled. Both have the order in which the
-- claims were opened. Who concerns one agent reads them, and not all open claims.

local function asked_key(agent)
  return prefix .. 'agent:' .. agent .. ':asked'
end

local function work_key(agent)
  return prefix .. 'agent:' .. agent .. ':work'
end

-- `score`: the claim's place among the open ones.
local function add_asked(claim, agents, score)
  for _, agent in ipairs(agents) do redis.call('ZADD', asked_key(agent), score, claim) end
end

local function require_asked(agents)
  for _, agent in ipairs(agents) do require_type('zset', asked_key(agent)) end
end

local function remove_asked(claim, agent)
  redis.call('ZREM', asked_key(agent), claim)
end

local function remove_work(claim, agent)
  redis.call('ZREM', work_key(agent), claim)
end

-- To be called with each new state of a grant. A failed one may be tried again until its claim
-- ends. `score`: the claim's place among the open ones, where the caller knows it.
local function index_work(claim, agent, state, score)
  if state == 'done' or state == 'cancelled' then return remove_work(claim, agent) end
  score = score or redis.call('ZSCORE', prefix .. 'claims:open', claim)
  if score then redis.call('ZADD', work_key(agent), score, claim) end
end
