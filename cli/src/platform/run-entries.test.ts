// Commands shared by all kinds of runs: the entries of a kind, and the display of its runs and items.
import { runKinds } from '@recordproof/shared/api/run-kinds.ts';
import type { RunEndpoints } from '@recordproof/shared/api/runs.ts';
import { expect, test } from 'vitest';
import { plainRuns } from './plain-runs.ts';
import { plainRunEntries } from './run-entries.ts';

const room = { columns: 80, isWide: false };

test('a kind without commands of its own has those of every kind, cancel and retry', async () => {
  const commands = plainRunEntries('rotation', ['cancel', 'retry']);
  const words = ['cancel', 'items', 'list', 'pause', 'resume', 'retry', 'status', 'watch'];
  expect(Object.keys(commands).toSorted()).toEqual(words.map(word => `admin rotation ${word}`));
  for (const [path, load] of Object.entries(commands)) {
    const { summary, examples = [] } = await load();
    expect(summary, path).toMatch(/^[A-Z]/);
    expect(JSON.stringify(examples), path).toContain(path);
  }
});

test('runs and items of any kind are shown by the fields that they have', async () => {
  const run = {
    ...{ runId: '7', mode: 'APPLY', status: 'COMPLETED_WITH_FAILURES', discoveryCompleted: true },
    ...{ totalCount: 1200, remainingCount: 0, failedCount: 2 },
    ...{ createdAt: '2026-01-31T12:00:00.000Z', startedAt: null, completedAt: null },
  };
  const { runs }: { readonly runs: RunEndpoints } = runKinds.rotation;
  const kind = plainRuns({ topic: 'admin rotation', endpoints: runs });
  expect(kind.toText(run)).toMatch(/^status +COMPLETED_WITH_FAILURES$/m);
  expect(kind.toTable([run])(room)).toContain('1200/1200');
  expect(kind.toLine(run, [])).toBe('run 7  COMPLETED_WITH_FAILURES  100.0 %  1,200 of 1,200  2 failed');
  expect([kind.isSuccess(run), kind.isSuccess({ ...run, status: 'COMPLETED' })]).toEqual([false, true]);
  const items = kind
    .toItemTable([{ itemId: '1', fileName: 'a.pdf', reason: null }])(room)
    .split('\n');
  expect(items.map(line => line.trimEnd())).toEqual(['ITEM ID  FILE NAME  REASON', '1        a.pdf']);
  const { title, facts } = await kind.loadDrawing();
  const scene = { run, samples: [], problem: null, note: null };
  expect([title, facts(scene, { columns: 80, rows: 24, progress: 'progress' }).length]).toEqual(['key-rotation', 4]);
});
