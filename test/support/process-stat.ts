// State, parent and process group of a process of this machine, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

type Stat = { readonly state?: string; readonly parent?: number; readonly group?: number };

/** Of `/proc/PID/stat` or the same file of a thread; empty for one that is gone. */
export function readStat(path: string): Stat {
  try {
    const [state, parent, group] = readFileSync(path, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return state === undefined ? {} : { state, parent: Number(parent), group: Number(group) };
  } catch {
    return {};
  }
}

export const listProcesses = (): number[] =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number);
