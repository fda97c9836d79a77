-- The context of a claim's target: breadth first from its sources and the additional artefacts, each replaced by the latest version of
-- its thread, one for each thread. A cited version and its latest one are both followed. What does not exist, or is not complete, is
-- left out. Changes nothing.
-- KEYS none
-- ARGS target, max_steps: number, max_bytes: number, begin_with: text*, additional: text*
-- Result `whole`, then 15 words for each artefact: the steps from the target ('' for one that is only additional), its id, its 13
--        fields, which a person may have damaged; or `heads`, where their payloads and metadata have more bytes than that, then 4 words for each: the steps, its id, its type,
--        its bytes

-- The artefact's head with `bytes`, what its payload and metadata have; false where it is not complete.
local function read_head(id)
  local key = artefact_key(id)
  local head = read_fields(key, head_fields)
  for _, name in ipairs(head_fields) do
    if not head[name] then return false end
  end
  if redis.call('HEXISTS', key, 'payload') == 0 then return false end
  head.id = id
  head.bytes = redis.call('HSTRLEN', key, 'payload') + #head.metadata
  return head
end

local function add_new(list, seen, id)
  if not seen[id] then
    seen[id] = true
    list[#list + 1] = id
  end
end

local function reply_with(chosen, is_whole)
  local reply = { is_whole and 'whole' or 'heads' }
  for _, one in ipairs(chosen) do
    local steps, head = one.steps, one.head
    reply[#reply + 1] = steps
    reply[#reply + 1] = head.id
    if is_whole then
      local fields = read_fields(artefact_key(head.id), artefact_fields)
      for _, name in ipairs(artefact_fields) do reply[#reply + 1] = fields[name] end
    else
      reply[#reply + 1] = head.type
      reply[#reply + 1] = digits(head.bytes)
    end
  end
  return reply
end

-- Agents call this function, with numbers of their own.
local most_ids, most_bytes = 20000, 64 * 1024 ^ 2

local function read_context(_, args)
  if #args.begin_with + #args.additional > most_ids then error('These are too many artefacts at once.') end
  local known, seen, met, chosen, is_chosen, total = {}, { [args.target] = true }, {}, {}, {}, 0
  local function head_of(id)
    if known[id] == nil then known[id] = read_head(id) end
    return known[id]
  end
  local function choose(steps, head)
    chosen[#chosen + 1] = { steps = steps, head = head }
    is_chosen[head.id] = true
    total = total + head.bytes
  end

  local wanted = {}
  for _, id in ipairs(args.begin_with) do add_new(wanted, seen, id) end
  for steps = 1, args.max_steps do
    local sources = {}
    for _, id in ipairs(wanted) do
      local cited = head_of(id)
      if cited then
        local newest = last_of_thread(cited.logical_id)
        local latest = newest ~= '' and newest ~= id and head_of(newest) or cited
        seen[latest.id] = true
        if latest.id ~= args.target and not met[latest.logical_id] then
          met[latest.logical_id] = true
          choose(digits(steps), latest)
        end
        sources[#sources + 1] = latest.source_artefacts
        if latest ~= cited then sources[#sources + 1] = cited.source_artefacts end
      end
    end
    wanted = {}
    for _, list in ipairs(sources) do
      for id in each_quoted(list) do add_new(wanted, seen, id) end
    end
    if #wanted == 0 then break end
  end
  for _, id in ipairs(args.additional) do
    local head = head_of(id)
    if head and not is_chosen[head.id] then choose('', head) end
  end
  return reply_with(chosen, total <= math.min(args.max_bytes, most_bytes))
end
