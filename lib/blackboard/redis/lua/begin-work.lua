-- Reads what the work of a queued grant needs, and where nothing more has to be known for it, has
-- the agent take the grant in the same step, as take-grant does. It begins then after one call. It
-- takes none where a commit has to be chosen, or where it is not asked to.
-- KEYS taken, mail
-- ARGS claim, agent, run, id, may_take: flag, said_before, said_after, max_steps: number,
--      max_bytes: number
-- Result `taken` or `read`, then the grant, the claim's artefact, goal, kind and additional ids,
--      what came of the pieces of a list, the results of earlier phases as one word, the 13 fields
--      of the claim's artefact, and 15 words for each artefact of its context, as in read-context;
--      `refused` and the reason; `none` where the agent has no queued grant; `apart` where this has
--      to be read piece by piece: it is large, or damaged
-- `said_before` and `said_after` are the message that it has begun, without attempt, `queued_at`
-- and context, which come in between.
local claim_fields = { 'status', 'goal_id', 'artefact_id', 'kind', 'additional_context_ids',
  'pieces' }
local phases = { 'review', 'parallel', 'exclusive' }

-- In the order in which they were queued; those of one moment by name.
local function results_before(claim, phase)
  local grants, results = {}, {}
  if phase == 'review' then return results end
  for _, text in ipairs(redis.call('HVALS', grants_key(claim))) do
    grants[#grants + 1] = cjson.decode(text)
  end
  table.sort(grants, function(one, other)
    return one.queued_at .. ' ' .. one.agent < other.queued_at .. ' ' .. other.agent
  end)
  for _, earlier in ipairs(phases) do
    if earlier == phase then break end
    for _, grant in ipairs(grants) do
      if grant.phase == earlier and grant.state == 'done' then
        for _, id in ipairs(grant.artefact_ids) do results[#results + 1] = id end
      end
    end
  end
  return results
end

-- Each id once, in the order of the lists.
local function all_of(...)
  local ids, seen = {}, {}
  for index = 1, select('#', ...) do
    for _, id in ipairs((select(index, ...))) do add_new(ids, seen, id) end
  end
  return ids
end

local function quoted(list)
  local ids = {}
  for id in each_quoted(list) do ids[#ids + 1] = id end
  return ids
end

local function is_list(text)
  local is_read, list = pcall(cjson.decode, text)
  return is_read and type(list) == 'table'
end

local function has_commit(artefact)
  return artefact.type == 'CodeCommit' or artefact.metadata:find('"commit"', 1, true) ~= nil
end

-- The work may begin at a commit that one of these names, or at the one that the goal pins.
local function needs_commit(claim, grant, target, chosen)
  if grant.base_commit or has_commit(target) then return true end
  for _, one in ipairs(chosen) do
    if has_commit(one.head) then return true end
  end
  if claim.goal_id == claim.artefact_id then return false end
  local pinned = redis.call('HGET', artefact_key(claim.goal_id), 'metadata')
  return pinned and pinned:find('"commit"', 1, true) ~= nil
end

local function begin_work(keys, args)
  local grant, stored = read_grant(args.claim, args.agent)
  local claim = read_fields(claim_key(args.claim), claim_fields)
  -- A repeat: its start is on record by now.
  local is_repeat = grant and grant.state == 'running' and grant.run_id == args.run
  if not claim.status or is_ended(claim.status) or not grant
    or not (is_repeat or grant.state == 'queued') then
    return { 'none' }
  end
  local order =
    { claim = args.claim, agent = args.agent, attempt = grant.attempt, state = grant.state,
      queued_at = grant.queued_at }
  local problem = grant_problem(order, claim, grant)
  if problem then return refused(problem) end
  if not (claim.artefact_id and claim.goal_id and claim.kind
    and is_list(claim.additional_context_ids)) then
    return { 'apart' }
  end
  local max_bytes = math.min(args.max_bytes, most_payload_bytes)
  local target = read_head(claim.artefact_id, nothing_read())
  if not target or target.bytes > max_bytes then return { 'apart' } end
  local earlier = results_before(args.claim, grant.phase)
  local additional = all_of(earlier, quoted(claim.additional_context_ids), grant.dialogue or {})
  local begin_with = all_of(quoted(target.source_artefacts), additional)
  local chosen, total = collect_context(claim.artefact_id, args.max_steps, begin_with, additional)
  if not chosen or total > max_bytes then return { 'apart' } end

  local is_taken = is_repeat or args.may_take and not needs_commit(claim, grant, target, chosen)
  if is_taken and not is_repeat then
    local ids = {}
    for index, one in ipairs(chosen) do ids[index] = '"' .. one.head.at .. '"' end
    local text = args.said_before .. ',"attempt":' .. digits(grant.attempt)
      .. ',"queued_at":"' .. grant.queued_at
      .. '","run":{"context_ids":[' .. table.concat(ids, ',') .. '],' .. args.said_after
    problem = note_taken({ taken = keys.taken, mail = keys.mail }, order, args.run, args.id, text)
    if problem then return refused(problem) end
  end
  local reply = {
    is_taken and 'taken' or 'read', stored, claim.artefact_id, claim.goal_id, claim.kind,
    claim.additional_context_ids, claim.pieces or '',
    table.concat(earlier, ' '),
  }
  add_fields(reply, target)
  add_whole(reply, chosen)
  return reply
end
