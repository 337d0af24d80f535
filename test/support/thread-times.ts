// Processor time of a process by the purpose of its threads, as Linux counts it.
import { readdir, readFile } from 'node:fs/promises';

const ticksPerSecond = 100;

/** Node's names of its threads, and their purpose for us; any other belongs to the engine. */
const stages: Readonly<Record<string, string>> = {
  'node-MainThread': 'main thread',
  WorkerThread: 'worker threads',
  'libuv-worker': 'file operations',
};

export type ThreadTimes = ReadonlyMap<string, number>;

/** Seconds in user and system mode since the process began. Threads that have ended are not included. */
export async function readThreadTimes(pid: number): Promise<ThreadTimes> {
  const times = new Map<string, number>();
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    const nameEnd = stat.lastIndexOf(')');
    const [user, system] = stat
      .slice(nameEnd + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number);
    const name = stat.slice(stat.indexOf('(') + 1, nameEnd);
    const stage = stages[name] ?? 'engine';
    times.set(stage, (times.get(stage) ?? 0) + ((user ?? 0) + (system ?? 0)) / ticksPerSecond);
  }
  return times;
}

export const timesSince = (before: ThreadTimes, now: ThreadTimes): ThreadTimes =>
  new Map([...now].map(([stage, seconds]) => [stage, seconds - (before.get(stage) ?? 0)]));
