-- Reads what an agent has sent after a place: as many messages as make up so many bytes, and at
-- least one. A message may have more than the leader can hold: of such a one only the place and the
-- id are given. Changes nothing.
-- KEYS mail
-- ARGS after, max_messages: number, max_bytes: number, max_message_bytes: number
-- Result for each message 3 words: its place, its id, its text ('' where the message is too large)

local function message_of(fields, args)
  local size, message = 0, { id = '', text = '' }
  for place = 1, #fields, 2 do
    size = size + #fields[place] + #fields[place + 1]
    message[fields[place]] = fields[place + 1]
  end
  if size > args.max_message_bytes then message.text = '' end
  return size, message
end

-- An agent may call this function about its own mail, with numbers of its own.
local most_messages, most_mail_bytes = 50, 1024 ^ 2

local function read_mail(keys, args)
  local reply, bytes, after = {}, 0, args.after
  local max_bytes = math.min(args.max_bytes, most_mail_bytes)
  local max_messages = math.min(args.max_messages, most_messages)
  while bytes < max_bytes and #reply < 3 * max_messages do
    -- Refused after the last id that a stream can have, which an agent may have chosen itself:
    -- nothing comes after it.
    local entries = redis.pcall('XRANGE', keys.mail, '(' .. after, '+', 'COUNT', 1)
    local entry = not entries.err and entries[1]
    if not entry then break end
    after = entry[1]
    local size, message = message_of(entry[2], args)
    bytes = bytes + size
    reply[#reply + 1] = after
    reply[#reply + 1] = message.id
    reply[#reply + 1] = message.text
  end
  return reply
end
