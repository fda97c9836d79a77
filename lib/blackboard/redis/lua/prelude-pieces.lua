-- Lists of pieces. Each artefact of a list, a piece or what work on one has led to, has the list's
-- id in its field `list`, and is in the zset of the list. A list has the field `waits` until its
-- claim is opened.

local function list_key(list)
  return prefix .. 'list:' .. list
end

-- The list that an artefact is of, by the claim of which it is a result, or by its thread.
local function list_of(artefact)
  local about = artefact.claim_id ~= ''
    and redis.call('HGET', claim_key(artefact.claim_id), 'artefact_id')
  if not about and artefact.logical_id ~= artefact.id then about = artefact.logical_id end
  return about and redis.call('HGET', artefact_key(about), 'list')
end

-- Work on an artefact goes on where a claim about it is open, or is still to be opened.
local function is_worked_on(id)
  local causes = redis.call('HGETALL', causes_key(id))
  local has_standard = false
  for index = 1, #causes, 2 do
    has_standard = has_standard or causes[index] == 'standard'
    if redis.call('ZSCORE', prefix .. 'claims:open', causes[index + 1]) then return true end
  end
  return not has_standard and redis.call('HGET', artefact_key(id), 'structural_type') == 'Standard'
end

-- The first artefact of the list on which work goes on; nil where there is none.
local function unfinished_of(list)
  for _, id in ipairs(redis.call('ZRANGE', list_key(list), 0, -1)) do
    if is_worked_on(id) then return id end
  end
  return nil
end

local function is_waiting_list(list)
  return redis.call('HEXISTS', artefact_key(list), 'waits') == 1
end

-- The keys that `end_work` reads after what else its caller writes.
local function require_end_of_work(artefact)
  require_type('hash', artefact_key(artefact))
  local list = redis.call('HGET', artefact_key(artefact), 'list')
  if not list or not is_waiting_list(list) then return end
  for _, id in ipairs(redis.call('ZRANGE', list_key(list), 0, -1)) do
    require_type('hash', artefact_key(id), causes_key(id))
  end
end

-- To be called when a claim about the artefact has ended: says so once no work on the pieces of its
-- list goes on, and the list's claim is due.
local function end_work(artefact, goal, actor)
  local list = redis.call('HGET', artefact_key(artefact), 'list')
  if not list or not is_waiting_list(list) or unfinished_of(list) then return end
  log({ type = 'pieces_ended', actor = actor, goal_id = goal, artefact_id = list,
    data = object('artefacts', redis.call('ZCARD', list_key(list))) })
end
