// Parent folder for the data of tests in memory, where a sync takes no time and files are created in a tenth of it; the
// temporary folder on disk where memory is too small.
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const memory = '/dev/shm';
const leastMemory = 4 * 2 ** 30;

export function memoryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= leastMemory ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}
