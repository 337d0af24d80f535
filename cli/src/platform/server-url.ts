// Server addresses in one normal form: sessions are stored under it, and a token is sent only to its own.
import { CommandError } from './command-error.ts';

export const defaultServer = 'http://127.0.0.1:8080';

const reject = (reason: string): CommandError =>
  new CommandError('usage', `the server address ${reason}`, { try: 'write it like https://proof.example.org' });

export function parseServerUrl(text: string): string {
  const url = URL.parse(text);
  // The address itself is not repeated: it may contain a password.
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw reject('must begin with http:// or https://');
  if (url.username || url.password) throw reject('must not hold a user name or password');
  if (url.search || url.hash) throw reject('must end before any ? or #');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** Whether the connection is unencrypted and not local. */
export function isPlainText(server: string): boolean {
  const { protocol, hostname } = new URL(server);
  const isHere = hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
  return protocol === 'http:' && !isHere;
}
