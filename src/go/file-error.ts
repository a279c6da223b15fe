const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
};

/** The error of reading a file, in Go's words where they are known. */
export function openError(path: string, error: unknown): Error {
  return inGosWords(isReadOfFolder(error) ? 'read' : 'open', path, error);
}

/** The error of looking at what is at a path, in Go's words where they are known. */
export function statError(path: string, error: unknown): Error {
  return inGosWords('stat', path, error);
}

function isReadOfFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EISDIR';
}

function inGosWords(operation: string, path: string, error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const reason = 'code' in error ? reasons[String(error.code)] : undefined;
  return reason === undefined ? error : new Error(`${operation} ${path}: ${reason}`, { cause: error });
}
