-- Adopts an artefact that the instance's owner has written and published, as it was read and
-- judged, or logs why not. One that the indexes know is compared with its digest: that it was
-- overwritten is logged, and cannot be undone. `changed`: read and judge it again.
-- KEYS orchestrator, artefact, digests
-- ARGS epoch: number, id, as_read: head_bytes, payload_bytes: number, problem,
--      judged: judged_artefact?
-- Result adopted | known | absent | changed | fenced | refused (reason)
-- RECORD judged_artefact last_of_thread, artefact: head, payload_sha1, salt, sha256
-- `as_read` has '' for a missing field. `problem` is why it is refused; '' where it is `judged`
-- sound, and where it was known when it was read. `sha256` is of the record with the payload that
-- was judged, which `payload_sha1` names.

local function is_as_read(keys, args)
  local stored = read_fields(keys.artefact, head_fields)
  for _, name in ipairs(head_fields) do
    if (stored[name] or '') ~= args.as_read[name] then return false end
  end
  if args.judged and redis.call('HEXISTS', keys.artefact, 'payload') == 0 then return false end
  return redis.call('HSTRLEN', keys.artefact, 'payload') == args.payload_bytes
end

-- Why the artefact cannot belong to its goal; nil when it can.
local function goal_problem(artefact)
  local goal = artefact.goal_id
  if goal ~= artefact.id and redis.call('EXISTS', goal_key(goal) .. ':artefacts') == 0 then
    return 'There is no goal ' .. goal .. '.'
  end
  if is_goal_ended(goal) then return 'Goal ' .. goal .. ' was ended.' end
  return nil
end

local function refuse(id, reason)
  log({ type = 'artefact_refused', actor = 'hand', artefact_id = id,
    data = object('reason', reason) })
  return refused(reason)
end

local function adopt_artefact(keys, args)
  if is_fenced(keys.orchestrator, args.epoch) then return { 'fenced' } end
  local id, digest = args.id, redis.call('HGET', keys.digests, args.id)
  if digest then
    if digest_of(keys.artefact) == digest then return { 'known' } end
    return refuse(id, 'The id ' .. id .. ' is taken, and its artefact was overwritten by hand. '
      .. 'Artefacts never change: write a new one under an id of its own.')
  end
  if redis.call('EXISTS', keys.artefact) == 0 then return { 'absent' } end
  if not is_as_read(keys, args) then return { 'changed' } end
  if args.problem ~= '' then return refuse(id, args.problem) end
  if not args.judged then return { 'changed' } end
  local artefact = args.judged.artefact
  if last_of_thread(artefact.logical_id) ~= args.judged.last_of_thread then return { 'changed' } end
  local problem = goal_problem(artefact)
  if problem then return refuse(id, problem) end
  local payload = redis.call('HGET', keys.artefact, 'payload')
  if redis.sha1hex(payload) ~= args.judged.payload_sha1 then return { 'changed' } end

  require_artefact_keys(artefact)
  for _, name in ipairs(head_fields) do redis.call('HSET', keys.artefact, name, artefact[name]) end
  redis.call('HSET', keys.artefact, 'salt', args.judged.salt)
  write_beginning(keys.artefact, payload)
  index_artefact(artefact, 'hand', digest_of(keys.artefact), args.judged.sha256)
  return { 'adopted' }
end
