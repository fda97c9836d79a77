-- The context of a claim's target: breadth first from its sources and the additional artefacts,
-- each of the target's goal replaced by the latest version of its thread, one for each thread. A
-- cited version and its latest one are both followed. What does not exist, or is not complete, is
-- left out. Changes nothing.
-- KEYS none
-- ARGS target, max_steps: number, max_bytes: number, begin_with: text*, additional: text*
-- Result `whole`, then 15 words for each artefact: the steps from the target ('' for one that is
--      only additional), its id, its 13 fields, which a person may have damaged; or `heads`, where
--      their payloads and metadata have more bytes than that, then 4 words for each: the steps, its
--      id, its type, its bytes; or `apart`, where it has to be found piece by piece

local function read_context(_, args)
  if #args.begin_with + #args.additional > most_artefacts then return { 'apart' } end
  local chosen, total =
    collect_context(args.target, args.max_steps, args.begin_with, args.additional)
  if not chosen then return { 'apart' } end
  if total <= math.min(args.max_bytes, most_payload_bytes) then
    local reply = { 'whole' }
    add_whole(reply, chosen)
    return reply
  end
  local reply = { 'heads' }
  for _, one in ipairs(chosen) do
    for _, word in ipairs({ one.steps, one.head.at, one.head.type, digits(one.head.bytes) }) do
      reply[#reply + 1] = word
    end
  end
  return reply
end
