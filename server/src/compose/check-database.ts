// Integrity check of the embedded database after an unclean stop. A separate process runs it and can be killed at any
// time, so neither the start nor any request waits for it.
import { spawn } from 'node:child_process';
import { isSea } from 'node:sea';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { DatabaseCheck, DatabaseCheckState } from '../platform/db/database-check.ts';
import type { DataFolderLock } from '../platform/installation.ts';
import { lowerPriority } from '../platform/lower-priority.ts';
import type { Log } from '../platform/telemetry/log.ts';

const longestMs = 10 * 60_000;
const politeness = 10;

type Checked = { readonly folder: string; readonly held: DataFolderLock; readonly log: Log };
/** Without a held folder the database is not this process's to check. */
type DatabaseCheckInput = Omit<Checked, 'held'> & { readonly held: DataFolderLock | undefined };

/** Starts the check if it is needed. */
export function openDatabaseCheck({ folder, held, log }: DatabaseCheckInput): DatabaseCheck & AsyncDisposable {
  if (!held?.wasLeftOpen) return { state: { kind: 'sound' }, [Symbol.asyncDispose]: async () => {} };
  let state: DatabaseCheckState = { kind: 'running' };
  const abort = new AbortController();
  const done = check({ folder, held, log }, abort.signal).then(found => {
    state = found;
  });
  return {
    get state() {
      return state;
    },
    [Symbol.asyncDispose]: () => {
      abort.abort();
      return done;
    },
  };
}

async function check({ folder, held, log }: Checked, closing: AbortSignal): Promise<DatabaseCheckState> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(longestMs)]);
  const { code, output } = await checkFolder(folder, signal);
  if (code === 0) {
    held.proveSound();
    log.info({}, 'the server was not shut down cleanly; the database is sound');
    return { kind: 'sound' };
  }
  const [finding, ...others] = output.split('\n').filter(line => line !== '');
  if (code === 1 && finding !== undefined) {
    log.error({ findings: [finding, ...others] }, 'the database is damaged; restore it from a backup');
    return { kind: 'damaged', findings: [finding, ...others] };
  }
  if (!closing.aborted) log.warn({ code }, 'failed to check the database for damage');
  return { kind: 'unfinished' };
}

type Outcome = { readonly code: number | null; readonly output: string };

async function checkFolder(folder: string, signal: AbortSignal): Promise<Outcome> {
  const program = isSea() ? [] : [fileURLToPath(new URL('../../bin/recordproof-server.mjs', import.meta.url))];
  const child = spawn(process.execPath, [...program, 'database', 'check', '--data', folder], {
    stdio: ['ignore', 'pipe', 'ignore'],
    killSignal: 'SIGKILL',
    signal,
  });
  const ended = new Promise<number | null>(resolve => {
    child.once('error', () => resolve(null));
    child.once('close', code => resolve(code));
  });
  if (child.pid !== undefined) lowerPriority(child.pid, politeness);
  const [code, output] = await Promise.all([ended, text(child.stdout).catch(() => '')]);
  return { code, output };
}
