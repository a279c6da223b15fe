const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  // of a file where a folder is to be made
  EEXIST: 'not a directory',
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
};

/**
 * Returns the error of Go's `os.Open` or `Read` for an error of Node; `error` itself if its code is
 * unknown.
 */
export function openError(path: string, error: unknown): Error {
  return goPathError(isReadOfFolder(error) ? 'read' : 'open', path, error);
}

/**
 * Returns the error of Go's `os.Create` for an error of Node; `error` itself if its code is
 * unknown.
 */
export function createError(path: string, error: unknown): Error {
  return goPathError('open', path, error);
}

/**
 * Returns the error of Go's `os.MkdirAll` for an error of Node; `error` itself if its code is
 * unknown.
 */
export function mkdirError(path: string, error: unknown): Error {
  return goPathError('mkdir', path, error);
}

/**
 * Returns the error of Go's `os.Stat` for an error of Node; `error` itself if its code is unknown.
 */
export function statError(path: string, error: unknown): Error {
  return goPathError('stat', path, error);
}

function isReadOfFolder(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EISDIR';
}

function goPathError(operation: string, path: string, error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const reason = 'code' in error ? reasons[String(error.code)] : undefined;
  return reason === undefined ? error : new Error(`${operation} ${path}: ${reason}`, { cause: error });
}
