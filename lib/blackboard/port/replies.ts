// Replies of the API that clients may ask for again, and what else it says for a while. A part of
// the port.

export interface ReplyBoard {
  /** Keeps the reply to a request that has this key for so long. A later one replaces it. */
  keepReply(key: string, reply: string, ttlMs: number): Promise<void>;
  /** Undefined where none is kept, or no longer. */
  readReply(key: string): Promise<string | undefined>;
}
