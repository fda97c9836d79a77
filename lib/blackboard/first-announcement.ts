/** How long after its opening a claim that still lacks bids is looked at again, and announced. Later announcements back off. */
export const firstAnnouncementAfterMs = 3_000;
