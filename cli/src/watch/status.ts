// The status of a watched folder: its log, checked line by line, compared with the folder as it is now.
import { stat } from 'node:fs/promises';
import { CommandError } from '../platform/command-error.ts';
import { Memory } from './memory.ts';
import { openOwnFiles } from './own-files.ts';
import { type Seen, scanFolder } from './scan-folder.ts';
import { readLog } from './watch-log.ts';
import { acquireLock, type WatchFiles } from './watching.ts';

export type WatchStatus = {
  readonly folder: string;
  readonly server: string;
  readonly account: string;
  readonly isRunning: boolean;
  readonly startedAt: string;
  readonly lastEventAt: string;
  readonly waitingFor: string | null;
  /** Of the existing files. */
  readonly proven: number;
  readonly waitingForProof: number;
  /** New or changed since, and not stored yet. */
  readonly notStored: readonly string[];
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
  readonly withoutProof: readonly { readonly path: string; readonly why: string }[];
  readonly gone: number;
  readonly versions: number;
  readonly log: { readonly path: string; readonly lines: number; readonly head: string };
};

function isWatched(state: WatchFiles): boolean {
  using lock = acquireLock(state);
  return lock === undefined;
}

export async function readStatus(folder: string, state: WatchFiles): Promise<WatchStatus> {
  if (!(await stat(state.log).catch(() => undefined)))
    throw new CommandError('refused', `${folder} was never watched for this server`, {
      try: `recordproof watch ${folder}`,
    });
  const memory = new Memory();
  const { lines, digest } = await readLog(state.log, line => memory.take(line));
  const { started, last } = memory;
  if (started === undefined || last === undefined)
    throw new CommandError('later', `the watch of ${folder} has not reached the server yet`, {
      try: `read ${state.log}`,
    });
  const { files } = await scanFolder(folder, openOwnFiles(folder, started.proofs ?? undefined));
  return {
    ...{ folder, server: started.server, account: started.account, isRunning: isWatched(state) },
    ...{ startedAt: started.time, lastEventAt: last.time, waitingFor: memory.waitingFor ?? null },
    ...countFiles(memory, files),
    gone: [...memory.files.values()].filter(({ isGone }) => isGone).length,
    versions: memory.versions.size,
    log: { path: state.log, lines, head: digest },
  };
}

function countFiles({ files: remembered, unproved, noProof }: Memory, seen: readonly Seen[]) {
  const stable = seen.filter(({ path, revision, leftOut }) => !leftOut && remembered.get(path)?.revision === revision);
  const isStable = new Set(stable.map(({ path }) => path));
  const stored = stable.flatMap(({ path }) => {
    const fileId = remembered.get(path)?.stored?.fileId;
    return fileId === undefined ? [] : [{ path, fileId }];
  });
  const waiting = stored.filter(({ fileId }) => unproved.has(fileId));
  const without = stored.filter(({ fileId }) => noProof.has(fileId));
  const unreadable = stable.flatMap(({ path }) => {
    const why = remembered.get(path)?.leftOut;
    return why === undefined ? [] : [{ path, why }];
  });
  return {
    proven: stored.length - waiting.length - without.length,
    waitingForProof: waiting.length,
    notStored: seen.filter(({ path, leftOut }) => !leftOut && !isStable.has(path)).map(({ path }) => path),
    leftOut: [...seen.flatMap(({ path, leftOut }) => (leftOut ? [{ path, why: leftOut }] : [])), ...unreadable],
    withoutProof: without.map(({ path, fileId }) => ({ path, why: noProof.get(fileId) ?? '' })),
  };
}
