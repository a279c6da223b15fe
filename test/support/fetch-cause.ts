// Adds the reason to the error `fetch failed` of Node, because ava prints only the message of an
// error.
const { fetch } = globalThis;

globalThis.fetch = async (...request) => {
  try {
    return await fetch(...request);
  } catch (error) {
    if (error instanceof Error && error.cause instanceof Error) error.message += `: ${error.cause.message}`;
    throw error;
  }
};
