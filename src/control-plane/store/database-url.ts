/** The URL of a database, or a function that reads it for each connection. */
export type DatabaseUrl = string | (() => string | Promise<string>);
