// The log of a watch on a small disk that fills up and is freed again while the watch runs.
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openWatchLog, readLog } from '../../cli/src/watch/watch-log.ts';
import { findMountObstacle, mountSmallDisk } from '../support/small-disks.ts';

const obstacle = findMountObstacle();
if (obstacle !== null) console.warn(`full disks are not tested: ${obstacle}`);

describe.skipIf(obstacle !== null)('the log of a watch', () => {
  test('stays readable after the disk was full in the middle of a line', async () => {
    using disk = mountSmallDisk('', 1);
    const file = join(disk.folder, 'log.ndjson');
    const filler = join(disk.folder, 'filler');
    await writeFile(filler, Buffer.alloc(2 ** 19));
    await using log = await openWatchLog(file, () => undefined);
    const gone = Array.from({ length: 500 }, (_, index) => ({ event: 'gone', path: `file ${index}` }) as const);
    const fill = async () => {
      for (;;) await log.append(gone);
    };
    await expect(fill()).rejects.toMatchObject({ code: 'ENOSPC' });
    await rm(filler);
    await log.append([{ event: 'going-on' }]);
    const events: string[] = [];
    await readLog(file, ({ event }) => events.push(event));
    expect(events.at(-1)).toBe('going-on');
    expect(events.length % gone.length).toBe(1);
  });
});
