const MIB = 1024 * 1024;

/** The largest packet, in bytes of its frame. A larger one is answered with `too_large`. */
export const MAX_PACKET_BYTES = 8 * MIB;

/** A frame beyond this is not read to its end: the connection is closed with 1009. */
export const MAX_FRAME_BYTES = 2 * MAX_PACKET_BYTES;

/** The longest key of a command, in UTF-16 units. */
export const MAX_KEY_LENGTH = 256;
