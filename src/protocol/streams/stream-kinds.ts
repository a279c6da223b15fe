/** The kinds of content that streams have. Each has a file here with the schema of its header. */
export type StreamKind = 'chart' | 'command';

/** The kinds of streams of this version, for `hello` and `welcome`. */
export const streamKinds: readonly StreamKind[] = ['chart', 'command'];
