-- What has become of the pieces of a list. Changes nothing.
-- KEYS none
-- ARGS list
-- Result `unknown` where there is no such list; `unfinished` and an artefact on which work goes on;
--      or `ended`, and for each artefact of the list its id, structural type, thread, version,
--      agent, the claim of which it is a result, what that is about, the number of claims about it,
--      and of each of these cause, id, status and time

local piece_fields =
  { 'id', 'structural_type', 'logical_id', 'version', 'produced_by_agent', 'claim_id' }

local function add_claims(reply, id)
  local causes = redis.call('HGETALL', causes_key(id))
  reply[#reply + 1] = digits(#causes / 2)
  for index = 1, #causes, 2 do
    local claim = read_fields(claim_key(causes[index + 1]), { 'status', 'created_at' })
    reply[#reply + 1] = causes[index]
    reply[#reply + 1] = causes[index + 1]
    reply[#reply + 1] = claim.status or ''
    reply[#reply + 1] = claim.created_at or ''
  end
end

local function read_pieces(_, args)
  local ids = redis.call('ZRANGE', list_key(args.list), 0, -1)
  if #ids == 0 then return { 'unknown' } end
  local unfinished = unfinished_of(args.list)
  if unfinished then return { 'unfinished', unfinished } end
  local reply = { 'ended' }
  for _, id in ipairs(ids) do
    local artefact = read_fields(artefact_key(id), piece_fields)
    for _, name in ipairs(piece_fields) do reply[#reply + 1] = artefact[name] or '' end
    local claim = artefact.claim_id or ''
    reply[#reply + 1] = claim ~= '' and redis.call('HGET', claim_key(claim), 'artefact_id') or ''
    add_claims(reply, id)
  end
  return reply
end
