-- Calls of language models: their tokens, and the sums of what they cost. A call under way is a
-- record without `outcome` in the goal's hash of calls, and a member `goal:call` of the zset
-- `model_calls`, scored by when its reservation lapses.

-- RECORD amounts nanousd: number, tokens: number, calls: number
-- RECORD limits nanousd: number?, tokens: number?, calls: number?
-- RECORD model_token kind, claim, agent, attempt: number, digest
-- RECORD model_call id, goal, claim, agent, kind, attempt: number, reserved: amounts, started_at,
--                   json

local amount_kinds = { 'nanousd', 'tokens', 'calls' }

local function goal_budget_key(goal)
  return goal_key(goal) .. ':budget'
end

local function claim_budget_key(claim)
  return claim_key(claim) .. ':budget'
end

local function bid_tokens_key(claim)
  return claim_key(claim) .. ':bid_tokens'
end

local function calls_key(goal)
  return goal_key(goal) .. ':calls'
end

local function tool_charges_key(goal)
  return goal_key(goal) .. ':tool_charges'
end

local function call_member(goal, id)
  return goal .. ':' .. id
end

-- The record of a call, decoded, and its text; nil where there is none.
local function read_call(goal, id)
  local text = redis.call('HGET', calls_key(goal), id)
  if not text then return nil end
  return cjson.decode(text), text
end

-- True of a record that never changes again. A call that was given up as lost may still end
-- otherwise.
local function is_final(stored)
  return stored and stored.outcome and stored.outcome ~= 'lost' or false
end

-- True for a goal that does not exist, or that `sett prune` is removing: nothing is written about
-- it.
local function is_goal_gone(goal)
  if redis.call('HEXISTS', goal_key(goal), 'retired') == 1 then return true end
  return redis.call('EXISTS', goal_key(goal) .. ':artefacts') == 0
end

local claim_fields_of_caller = { 'status', 'goal_id', 'artefact_id', 'bidding', 'electorate',
  'bid_order' }

local function read_claim_of_caller(id)
  return read_fields(claim_key(id), claim_fields_of_caller)
end

-- Why no bid of the agent is missing; nil when one is.
local function missing_bid_problem(id, agent, claim)
  if not claim.status then return 'There is no claim ' .. id .. '.' end
  if is_goal_ended(claim.goal_id) then return 'Goal ' .. claim.goal_id .. ' was ended.' end
  if claim.bidding ~= 'open' or is_ended(claim.status) then
    return 'The bidding on claim ' .. id .. ' is closed.'
  end
  if not is_elector(claim.electorate, agent) then
    return 'Agent ' .. agent .. ' is not among those who bid on claim ' .. id .. '.'
  end
  if recorded_bid(id, claim.bid_order, agent) then
    return 'Agent ' .. agent .. ' has bid on claim ' .. id .. '.'
  end
  return nil
end

-- Why the grant does not run, or the bid is not missing, any more; nil when it is so. `caller`
-- names kind, claim, agent and attempt.
local function caller_problem(caller, claim, grant)
  if caller.kind == 'bid' then return missing_bid_problem(caller.claim, caller.agent, claim) end
  local order = { claim = caller.claim, agent = caller.agent, attempt = caller.attempt,
    state = 'running' }
  return grant_problem(order, claim, grant)
end

-- The claim of a token's caller; or nil, why the token is not good, and '1' where it was, or may
-- have been, good for what has ended.
local function claim_of_token(token)
  local claim = read_claim_of_caller(token.claim)
  local grant = token.kind == 'grant' and read_grant(token.claim, token.agent) or nil
  local problem = caller_problem(token, claim, grant)
  if problem then
    local is_known = grant
      or (token.kind == 'bid' and claim.status and is_elector(claim.electorate, token.agent))
    return nil, problem, is_known and '1' or '0'
  end
  local digest
  if token.kind == 'bid' then
    digest = redis.call('HGET', bid_tokens_key(token.claim), token.agent)
  else
    digest = grant.model_token
  end
  if digest == token.digest then return claim end
  return nil,
    'This is not the token of agent ' .. token.agent .. ' on claim ' .. token.claim .. '.', '0'
end

-- A day and a month have sums of their own, of all calls and of those for each payer. A call counts
-- in the ones in which it began, by UTC and the gateway's clock. They are kept for a while after
-- their end.
local periods = { 'day', 'month' }
local length_of_period = { day = 10, month = 7 }
local kept_seconds = { day = 35 * 86400, month = 400 * 86400 }

-- `2026-11-26T23:17:41.000Z` is in `day:2026-11-26` and `month:2026-11`.
local function period_at(period, time)
  return period .. ':' .. time:sub(1, length_of_period[period])
end

local function spending_key(period_id)
  return prefix .. 'spending:' .. period_id
end

-- The payers whose sums the calls of a goal count in.
local function payers_of(goal)
  return { 'instance', redis.call('HGET', goal_key(goal), 'payer') or nil }
end

-- The keys that `add_amounts` writes.
local function require_sums(owner)
  require_type('hash', goal_key(owner.goal), goal_budget_key(owner.goal),
    claim_budget_key(owner.claim), prefix .. 'holds')
  for _, period in ipairs(periods) do
    require_type('hash', spending_key(period_at(period, owner.started_at)))
  end
end

local function add_to_periods(owner, sum, amounts, sign)
  local payers = payers_of(owner.goal)
  for _, period in ipairs(periods) do
    local key = spending_key(period_at(period, owner.started_at))
    for _, payer in ipairs(payers) do
      for _, kind in ipairs(amount_kinds) do
        local change = amounts[kind] * sign
        if change ~= 0 then
          redis.call('HINCRBY', key, payer .. ':' .. sum .. '_' .. kind, digits(change))
        end
      end
    end
    redis.call('EXPIRE', key, kept_seconds[period])
  end
end

-- Adds amounts, `sign` times, to `spent` or `reserved` of the goal, of the agent's work on the
-- claim, and of the day and the month in which the call began.
local function add_amounts(owner, sum, amounts, sign)
  add_to_periods(owner, sum, amounts, sign)
  for _, kind in ipairs(amount_kinds) do
    local change = amounts[kind] * sign
    if change ~= 0 then
      redis.call('HINCRBY', goal_budget_key(owner.goal), sum .. '_' .. kind, digits(change))
      redis.call('HINCRBY', claim_budget_key(owner.claim), owner.agent .. ':' .. sum .. '_' .. kind,
        digits(change))
    end
  end
end

-- Takes back what a call that was given up as lost has been charged: it goes on, or has ended
-- otherwise.
local function take_back(owner, stored)
  if stored and stored.outcome == 'lost' then add_amounts(owner, 'spent', stored.cost, -1) end
end

local function number_at(key, field)
  return tonumber(redis.call('HGET', key, field) or 0)
end

-- The first dimension that does not allow `needed` more, with its figures as digits; nil when all
-- do. `allowed`: the limit without what was added. exhausted.ts has the same rule. `sums`: the key
-- of the hash of sums, and what its fields begin with; `added`: the same for what people have
-- added.
local function exhausted_by(limits, needed, sums, added)
  for _, kind in ipairs(amount_kinds) do
    local limit = limits[kind]
    if limit then
      limit = limit + number_at(added.key, added.start .. kind)
      local spent = number_at(sums.key, sums.start .. 'spent_' .. kind)
      local reserved = number_at(sums.key, sums.start .. 'reserved_' .. kind)
      if limit <= 0 or spent + reserved + needed[kind] > limit then
        return {
          kind = kind, allowed = digits(limits[kind]), limit = digits(limit), spent = digits(spent),
          reserved = digits(reserved),
          needed = digits(needed[kind])
        }
      end
    end
  end
  return nil
end

-- The limits of a payer by period, where it has some. `limits`: those of the gateway's settings,
-- decoded.
local function limits_of_payer(limits, payer)
  if payer == 'instance' then return limits.instance end
  local kind, name = payer:match('^(%l+):(.*)$')
  if kind == 'trigger' then return limits.triggers[name] end
  return limits.people[name] or limits.people['*']
end

-- Logs, once for a period, that four fifths of a limit are spent.
local function warn_of_limit(goal, period_id, payer, by)
  if by.spent < by.limit * 0.8 then return end
  local key = spending_key(period_id)
  if redis.call('HSETNX', key, payer .. ':warned_' .. by.kind, '1') == 0 then return end
  log({ type = 'budget_nearly_reached', actor = 'gateway', goal_id = goal,
    data = object('whose', payer, 'period', period_id, 'kind', by.kind,
      'limit', by.limit, 'spent', by.spent) })
end

-- From now on no new work begins for goals of this payer. Only money that is spent holds work: what
-- is reserved may come back, and a call that is dearer than the whole limit would hold it for ever.
local function hold(goal, period_id, payer, by)
  local limit, spent, needed = tonumber(by.limit), tonumber(by.spent), tonumber(by.needed)
  if spent + needed <= limit or (needed > limit and spent < limit) then return end
  local figures = object('whose', payer, 'period', period_id, 'kind', by.kind, 'limit', limit,
    'spent', spent)
  if redis.call('HSETNX', prefix .. 'holds', payer, figures) == 1 then
    log({ type = 'budget_reached', actor = 'gateway', goal_id = goal, data = figures })
  end
end

-- The first period whose limit does not allow the call, with the figures, its payer in `whose`; nil
-- when all do.
local function exhausted_period(limits, goal, started_at, needed)
  for _, payer in ipairs(payers_of(goal)) do
    local of_payer = limits_of_payer(limits, payer) or {}
    for _, period in ipairs(periods) do
      local id = period_at(period, started_at)
      local own = of_payer[period]
      local key = spending_key(id)
      local by = own and exhausted_by(own, needed, { key = key, start = payer .. ':' },
        { key = key, start = payer .. ':added_' })
      if by then
        hold(goal, id, payer, by)
        return period, by, payer
      end
      for kind, allowed in pairs(own or {}) do
        warn_of_limit(goal, id, payer, { kind = kind,
          limit = allowed + number_at(key, payer .. ':added_' .. kind),
          spent = number_at(key, payer .. ':spent_' .. kind) })
      end
    end
  end
  return nil
end

-- The limits of each goal of a trigger, where it has some of its own.
local function limits_of_goal(spending, goal)
  local payer = spending and redis.call('HGET', goal_key(goal), 'payer')
  local of_payer = payer and limits_of_payer(spending, payer)
  return of_payer and of_payer.goal
end

-- The scope of the first budget that does not allow `order.needed` more, its figures, and with a
-- day or a month its payer; nil when all do. What people have added to the limits is added here.
local function exhausted_budget(order, goal)
  local token, budget = order.token, goal_budget_key(goal)
  local spending = order.spending_limits and cjson.decode(order.spending_limits)
  local by = exhausted_by(limits_of_goal(spending, goal) or order.goal_limits, order.needed,
    { key = budget, start = '' }, { key = budget, start = 'added_' })
  if by then return 'goal', by, '' end
  local of_grant = { key = claim_budget_key(token.claim), start = token.agent .. ':' }
  by = exhausted_by(order.grant_limits, order.needed, of_grant,
    { key = budget, start = 'added:' .. token.agent .. ':' })
  if by then return 'grant', by, '' end
  if not spending then return nil end
  local period, figures, payer =
    exhausted_period(spending, goal, order.started_at, order.needed)
  if period then return period, figures, payer end
  return nil
end

-- The field of the goal's budget for the last refusal of this attempt: an attempt that calls again
-- and again keeps one.
local function refusal_field(token)
  return 'refused:' .. token.claim .. ':' .. token.agent .. ':' .. digits(token.attempt)
end

-- Keeps why call `id` was refused. The figures are digits, as they are answered.
local function keep_refusal(token, budget, id, scope, by, whose)
  local figures = {}
  for _, name in ipairs({ 'allowed', 'limit', 'spent', 'reserved', 'needed' }) do
    figures[name] = tonumber(by[name])
  end
  redis.call('HSET', budget, refusal_field(token), object(
    'id', id, 'claim_id', token.claim, 'agent', token.agent, 'attempt', token.attempt,
    'scope', scope, 'whose', whose ~= '' and whose, 'kind', by.kind,
    'allowed', figures.allowed, 'limit', figures.limit, 'spent', figures.spent,
    'reserved', figures.reserved,
    'needed', figures.needed
  ))
end

-- The gateway tries a refused call again while others are under way: where it is allowed then, it
-- was not refused.
local function forget_refusal(token, budget, id)
  local field = refusal_field(token)
  local stored = redis.call('HGET', budget, field)
  if stored and cjson.decode(stored).id == id then redis.call('HDEL', budget, field) end
end
