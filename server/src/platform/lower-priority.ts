// Lower scheduling priority for background work, for machines with few processors.
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { basename } from 'node:path';

const most = 19;

/** Lowers the priority by this much: of a process or, on Linux, a thread. */
export function lowerPriority(id: number, politeness: number): void {
  unlessImpossible(() => setPriority(id, Math.min(most, getPriority(id) + politeness)));
}

/** The calling thread only. Only Linux has thread priorities. */
export function lowerThreadPriority(politeness: number): void {
  if (process.platform !== 'linux') return;
  unlessImpossible(() => lowerPriority(Number(basename(readlinkSync('/proc/thread-self'))), politeness));
}

function unlessImpossible(work: () => void): void {
  try {
    work();
  } catch {
    // The thread has ended, or the system does not support this: its priority stays.
  }
}
