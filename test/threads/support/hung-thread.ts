/** A thread that never says that it is ready. */
setInterval(() => undefined, 60_000);
