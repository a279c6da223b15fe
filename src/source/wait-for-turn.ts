/** Waits for a turn, or rejects with the reason of the signal. */
export type WaitForTurn = (signal: AbortSignal) => Promise<void>;

/** Bytes up to which a download does not wait for a turn. */
export const smallDownloadBytes = 8 * 1024 * 1024;
