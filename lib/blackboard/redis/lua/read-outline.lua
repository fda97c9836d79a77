-- Looks at some artefacts of a goal, from a place in their order on, and names those on which the
-- goal's state depends. The others are at rest: a sound Standard artefact or Review, no version of
-- the goal, whose claims have all ended, and were opened for nothing but itself. The first of
-- either kind is named all the same, because it is a result or a review. Changes nothing.
-- KEYS none
-- ARGS goal, from: number
-- Result the place of the next one, '' after the last; how many artefacts were looked at, and how
--      many claims they have; then for each that is named its id, how many claims it has, and the
--      cause and the id of each claim

-- Redis serves no other client meanwhile: one call looks at no more artefacts than these, and stops
-- once their fields have so many bytes.
local outlined_at_once, outlined_bytes = 250, 512 * 1024

local uuid = '%x%x%x%x%x%x%x%x%-%x%x%x%x%-4%x%x%x%-[89ab]%x%x%x%-%x%x%x%x%x%x%x%x%x%x%x%x'
local whole_uuid, source = '^' .. uuid .. '$', '^"' .. uuid .. '",$'
local instant = '^%d%d%d%d%-(%d%d)%-(%d%d)T(%d%d):(%d%d):(%d%d)%.%d%d%dZ$'
local last_days = { '31', '28', '31', '30', '31', '30', '31', '31', '30', '31', '30', '31' }

local function is_id(text)
  return text:find(whole_uuid) and not text:find('%u')
end

-- Of two digits each, text has the order of numbers.
local function is_instant(text)
  local month, day, hour, minute, second = text:match(instant)
  if not month or hour > '23' or minute > '59' or second > '59' then return false end
  return day > '00' and day <= (last_days[tonumber(month)] or '')
end

-- A list of ids as our programs write it.
local function is_list_of_ids(text)
  if text == '[]' then return true end
  if text:sub(1, 1) ~= '[' or text:sub(-1) ~= ']' then return false end
  local rest = text:sub(2, -2) .. ','
  if #rest % 39 ~= 0 or rest:find('%u') then return false end
  for at = 1, #rest, 39 do
    if not rest:sub(at, at + 38):find(source) then return false end
  end
  return true
end

local function is_metadata(text)
  if text == '{}' then return true end
  if text:sub(1, 1) ~= '{' then return false end
  local is_read, metadata = pcall(cjson.decode, text)
  if not is_read then return false end
  local summary, commit = metadata.summary, metadata.commit
  if summary ~= nil and type(summary) ~= 'string' then return false end
  if commit == nil then return true end
  return type(commit) == 'string' and (#commit == 40 or #commit == 64)
    and not commit:find('[^0-9a-f]')
end

-- Whether each field is surely as our programs write it. A reader says what is wrong with another
-- one: it is named. `sound`: texts of ids that were found to be so before; many artefacts share
-- them.
local function is_plain(head, id, sound)
  local function has_ids(text, check)
    if not sound[text] then sound[text] = check(text) and true or nil end
    return sound[text]
  end
  return head.id == id and (head.logical_id == id or is_id(head.logical_id))
    and #head.version <= 9 and head.version:find('^[1-9]%d*$')
    and #head.type >= 1 and #head.type <= 200
    and has_ids(head.source_artefacts, is_list_of_ids)
    and head.produced_by_role ~= '' and is_instant(head.created_at)
    and (head.claim_id == '' or has_ids(head.claim_id, is_id))
    and is_metadata(head.metadata)
end

-- The structural type of an artefact at rest; false of any other one. `causes`: causes and claims
-- in turn. Counts the bytes that it reads in `read`.
local function kind_at_rest(id, goal, causes, sound, read)
  local key = artefact_key(id)
  -- A reader says what is wrong with a key of another type.
  if not length_in_hash(key, 'id') then return false end
  local head = read_fields(key, head_fields)
  for index = 1, #head_fields do
    local value = head[head_fields[index]]
    if not value then return false end
    read.bytes = read.bytes + #value
  end
  local kind = head.structural_type
  if head.goal_id ~= goal or head.logical_id == goal then return false end
  -- A person's own version supersedes Failures.
  if head.claim_id == '' and head.logical_id ~= id then return false end
  if kind == 'Standard' then
    if #causes ~= 2 or causes[1] ~= 'standard' then return false end
    if redis.call('ZSCORE', prefix .. 'claims:open', causes[2]) then return false end
  elseif kind ~= 'Review' or #causes > 0 then
    return false
  end
  if not is_plain(head, id, sound) or redis.call('HEXISTS', key, 'payload') == 0 then
    return false
  end
  return kind
end

local function read_outline(_, args)
  local ids = redis.call('ZRANGE', goal_key(args.goal) .. ':artefacts', args.from,
    args.from + outlined_at_once - 1)
  local read, sound, named, looked_at, claims, has_shown = { bytes = 0 }, {}, {}, 0, 0, {}
  for _, id in ipairs(ids) do
    if read.bytes >= outlined_bytes then break end
    local causes = redis.call('HGETALL', causes_key(id))
    looked_at, claims = looked_at + 1, claims + #causes / 2
    local kind = kind_at_rest(id, args.goal, causes, sound, read)
    if not kind or not has_shown[kind] then
      if kind then has_shown[kind] = true end
      named[#named + 1] = id
      named[#named + 1] = digits(#causes / 2)
      for _, word in ipairs(causes) do named[#named + 1] = word end
    end
  end
  local is_last = looked_at == #ids and #ids < outlined_at_once
  local reply = { is_last and '' or digits(args.from + looked_at), digits(looked_at),
    digits(claims) }
  for _, word in ipairs(named) do reply[#reply + 1] = word end
  return reply
end
