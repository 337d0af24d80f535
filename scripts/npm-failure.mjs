// Why `npm ci` failed, short enough to be read: npm itself prints its whole usage, or a stack.

const lockfile = 'package.json and package-lock.json do not fit together; take both from the same commit';
const registry = 'the npm registry cannot be reached; look at the network, the proxy and "npm config get registry"';
const access = 'the npm registry does not let this user in; look at "npm config get registry" and its login';
const absent =
  'the npm registry does not have a package that this checkout is locked to; look at "npm config get registry"';

const sentences = {
  EUSAGE: lockfile,
  ENOTFOUND: registry,
  EAI_AGAIN: registry,
  ECONNREFUSED: registry,
  ECONNRESET: registry,
  ETIMEDOUT: registry,
  ENETUNREACH: registry,
  EHOSTUNREACH: registry,
  ERR_SOCKET_TIMEOUT: registry,
  E401: access,
  E403: access,
  ENEEDAUTH: access,
  E404: absent,
  ETARGET: absent,
  EINTEGRITY: 'a downloaded package is not the one that the lockfile names; try again with an empty npm cache',
  ENOSPC: 'the disk is full',
  EACCES: 'this user may not write into the checkout or the npm cache',
  EPERM: 'this user may not write into the checkout or the npm cache',
};

const mostLines = 8;
const isNoise = line =>
  line === '' || /^(?:at |code E|errno |syscall |A complete log|If you are behind)/.test(line.trim());

/** `errors`: what npm wrote to stderr. */
export function explainNpmFailure(errors) {
  const lines = errors.split(/\r?\n/).map(line => line.replace(/^npm (?:error|ERR!) ?/, '').trimEnd());
  const code = lines.map(line => /^code (\S+)/.exec(line)?.[1]).find(found => found !== undefined);
  const usage = lines.findIndex(line => /^(?:Clean install a project|Usage:)/.test(line));
  const told = (usage < 0 ? lines : lines.slice(0, usage)).filter(line => !isNoise(line));
  const stack = told.findIndex(line => /^\s+code: '/.test(line));
  const why = sentences[code] ?? `npm ci failed${code === undefined ? '' : ` with ${code}`}`;
  return { lines: (stack < 0 ? told : told.slice(0, stack)).slice(0, mostLines), sentence: `${why}.` };
}
