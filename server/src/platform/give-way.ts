// Lets work go behind those who wait for an answer, on a machine that has not enough processors for both.
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

const most = 19;

/** By so much more than it does already. A process, or on Linux a thread. */
export function giveWay(id: number, politeness: number): void {
  unlessImpossible(() => setPriority(id, Math.min(most, getPriority(id) + politeness)));
}

/** The thread that calls, and no other of its process. Only Linux has priorities of threads. */
export function giveWayHere(politeness: number): void {
  if (process.platform !== 'linux') return;
  unlessImpossible(() => giveWay(Number(basename(readlinkSync('/proc/thread-self'))), politeness));
}

function unlessImpossible(work: () => void): void {
  try {
    work();
  } catch {
    // It has ended already, or the system has no such thing: then it runs as everything else.
  }
}
