/**
 * How long after its opening a claim that still lacks bids is announced again. Later announcements
 * back off.
 */
export const firstAnnouncementAfterMs = 3_000;
