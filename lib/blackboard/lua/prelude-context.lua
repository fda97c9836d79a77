-- The context of an artefact, for the functions that read it.

-- A payload of so many bytes is read together with the other fields.
local small_payload = 4096

-- The artefact's fields, without a large payload; with `at`, the id under which it is stored, and `bytes`, what its payload and metadata
-- have. False where it is not complete.
local function read_head(id)
  local key = artefact_key(id)
  local payload_bytes = redis.call('HSTRLEN', key, 'payload')
  local names = payload_bytes <= small_payload and artefact_fields or head_fields
  local head = read_fields(key, names)
  for _, name in ipairs(names) do
    if not head[name] then return false end
  end
  head.at, head.bytes = id, payload_bytes + #head.metadata
  return head
end

local function add_new(list, seen, id)
  if not seen[id] then
    seen[id] = true
    list[#list + 1] = id
  end
end

-- Breadth first from `begin_with`, each replaced by the latest version of its thread, one for each thread; then those of `additional` that
-- were not among them. A list of `steps` from the target ('' for one that is only additional) with `head`, and how many bytes they have.
local function collect_context(target, max_steps, begin_with, additional)
  local known, seen, met, chosen, is_chosen, total = {}, { [target] = true }, {}, {}, {}, 0
  local function head_of(id)
    if known[id] == nil then known[id] = read_head(id) end
    return known[id]
  end
  local function choose(steps, head)
    chosen[#chosen + 1] = { steps = steps, head = head }
    is_chosen[head.at] = true
    total = total + head.bytes
  end

  local wanted = {}
  for _, id in ipairs(begin_with) do add_new(wanted, seen, id) end
  for steps = 1, max_steps do
    local sources = {}
    for _, id in ipairs(wanted) do
      local cited = head_of(id)
      if cited then
        local newest = last_of_thread(cited.logical_id)
        local latest = newest ~= '' and newest ~= id and head_of(newest) or cited
        seen[latest.at] = true
        if latest.at ~= target and not met[latest.logical_id] then
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
  for _, id in ipairs(additional) do
    local head = head_of(id)
    if head and not is_chosen[head.at] then choose('', head) end
  end
  return chosen, total
end

-- Adds the 13 fields of a complete artefact to the reply, as they are stored: a person may have damaged them.
local function add_fields(reply, head)
  for _, name in ipairs(artefact_fields) do
    reply[#reply + 1] = head[name] or redis.call('HGET', artefact_key(head.at), name)
  end
end

-- Adds 15 words for each: the steps, the id under which it is stored, its fields.
local function add_whole(reply, chosen)
  for _, one in ipairs(chosen) do
    reply[#reply + 1] = one.steps
    reply[#reply + 1] = one.head.at
    add_fields(reply, one.head)
  end
end
