const mebibyte = 1024 * 1024;

/** The largest packet, in bytes of its frame. A larger one gets a `too_large` error. */
export const maxPacketBytes = 8 * mebibyte;

/** The largest archive of a chart in a packet, in bytes before base64. */
export const maxChartArchiveBytes = 5 * mebibyte;

/** The longest manifests of a set, in UTF-16 units: Helm reads no larger file. */
export const maxManifestsLength = 5 * mebibyte;

/** The largest archive of a chart that is uploaded to a control plane, in bytes. */
export const maxUploadedChartBytes = 100 * mebibyte;

/** The largest frame that is read, in bytes. A larger one closes the connection with 1009. */
export const maxFrameBytes = 2 * maxPacketBytes;

/** The longest key of a command, in UTF-16 units. */
export const maxKeyLength = 256;

/** The longest type of a packet, in UTF-16 units. */
export const maxTypeLength = 64;

/** The longest name of a command's sender, in UTF-16 units. */
export const maxSentByLength = 256;

/** The longest envelope with signatures, in UTF-16 units. */
export const maxEnvelopeLength = 8 * 1024;

/** The longest envelope with an approval of plans, in UTF-16 units. */
export const maxApprovalLength = 24 * 1024;

/** Number of bytes that an agent may send up to the end of its `hello`. */
export const maxHelloBytes = 64 * 1024;

/** Number of bad packets after which a connection is closed. */
export const maxBadPackets = 100;

/** The longest text of a field, in UTF-16 units: as long as its packet allows. */
export const maxTextLength = 8 * mebibyte;

/** The largest number of items of a list or map in an answer. */
export const maxAnswerItems = 200_000;
