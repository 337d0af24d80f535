// credentials.json: one session for each profile and server. A token is found only by the address that issued it. The file
// is neither read nor written where other users could read it.

import { CommandError } from './command-error.ts';
import type { Paths } from './folders.ts';
import { alone } from './lock.ts';
import { isRecord, parseJsonFile, readPrivate, writePrivate } from './private-file.ts';

export type SavedSession = {
  readonly profile: string;
  readonly server: string;
  readonly username: string;
  readonly token: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
};

export type SessionKey = Pick<SavedSession, 'profile' | 'server'>;

const fields = ['profile', 'server', 'username', 'token', 'issuedAt', 'expiresAt'] as const;

function parseSession(path: string, value: unknown): SavedSession {
  const isWhole = isRecord(value) && fields.every(field => typeof value[field] === 'string');
  const isTimed = isWhole && [value.issuedAt, value.expiresAt].every(time => !Number.isNaN(Date.parse(String(time))));
  if (isTimed) return Object.fromEntries(fields.map(field => [field, value[field]])) as SavedSession;
  throw new CommandError('config', `${path} holds an incomplete session`, { try: `delete ${path} and sign in again` });
}

async function readSessions(paths: Paths): Promise<SavedSession[]> {
  const text = await readPrivate(paths.credentials, 'readers');
  if (text === undefined) return [];
  const { sessions } = parseJsonFile(paths.credentials, text);
  if (!Array.isArray(sessions)) return [parseSession(paths.credentials, sessions)];
  return sessions.map(session => parseSession(paths.credentials, session));
}

const isSame = (a: SessionKey, b: SessionKey): boolean => a.profile === b.profile && a.server === b.server;

export async function findSession(paths: Paths, key: SessionKey): Promise<SavedSession | undefined> {
  return (await readSessions(paths)).find(session => isSame(session, key));
}

export async function listSessions(paths: Paths): Promise<readonly SessionKey[]> {
  return readSessions(paths);
}

async function writeSessions(paths: Paths, sessions: readonly SavedSession[]): Promise<void> {
  await writePrivate(paths.credentials, `${JSON.stringify({ sessions }, null, 2)}\n`);
}

const lockOf = (paths: Paths): string => `${paths.credentials}.lock`;

/**
 * Replaces the current session by the result of `renew`, under the lock of all runs, so that only one of many runs
 * renews an old session. `undefined` removes it.
 */
export function replaceSession(
  paths: Paths,
  key: SessionKey,
  renew: (current: SavedSession | undefined) => Promise<SavedSession | undefined> | SavedSession | undefined,
): Promise<SavedSession | undefined> {
  return alone(lockOf(paths), async () => {
    const sessions = await readSessions(paths);
    const current = sessions.find(session => isSame(session, key));
    const next = await renew(current);
    if (next === current) return current;
    const others = sessions.filter(session => !isSame(session, key));
    await writeSessions(paths, next ? [...others, next] : others);
    return next;
  });
}

export function removeSessionsOfProfile(paths: Paths, profile: string): Promise<void> {
  return alone(lockOf(paths), async () => {
    const sessions = await readSessions(paths);
    const others = sessions.filter(session => session.profile !== profile);
    if (others.length < sessions.length) await writeSessions(paths, others);
  });
}
