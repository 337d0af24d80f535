// Messages for errors of the operating system: with the path for a file, without local details for a connection.

type SystemError = Error & { readonly code: string; readonly syscall?: string; readonly path?: string };

const ofConnections: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETRESET',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'EPROTO',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
]);

const codeOf = (error: unknown): string | undefined => {
  const code = (error as { code?: unknown } | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
};

const maxDepth = 5;

/** The code of the cause of a broken connection, at any depth. */
export function findNetworkCode(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < maxDepth; error = error.cause, depth += 1) {
    const code = codeOf(error);
    if (code !== undefined && ofConnections.has(code)) return code;
  }
  return undefined;
}

const noSuchFile = 'there is no such file or folder';

/** Node's text of a name whose bytes are no valid text; a file cannot be opened by it. */
const replacement = '\ufffd';
export const isUnreadable = (path: string): boolean => path.includes(replacement);

/** For names from a folder or the command line. */
export const explainMissing = (path: string): string =>
  isUnreadable(path) ? 'its name is not UTF-8, so that it cannot be opened; rename it' : noSuchFile;

const ofFiles: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'your share of this disk is used up',
  EIO: 'the disk fails',
  EISDIR: 'is a folder',
  ELOOP: 'is a link, or too many of them',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long for this disk',
  ENOENT: noSuchFile,
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is no folder',
  EPERM: 'permission denied',
  EROFS: 'the disk can only be read',
};

const isSystemError = (error: unknown): error is SystemError =>
  error instanceof Error && codeOf(error) !== undefined && typeof (error as SystemError).syscall === 'string';

/** Errors of a disk or a missing permission; undefined for everything else. */
export function findFileProblem(error: unknown): string | undefined {
  if (!isSystemError(error)) return undefined;
  const isMissing = error.code === 'ENOENT' && error.path !== undefined;
  const what = isMissing ? explainMissing(error.path) : (ofFiles[error.code] ?? error.code);
  return error.path === undefined ? what : `${error.path}: ${what}`;
}
