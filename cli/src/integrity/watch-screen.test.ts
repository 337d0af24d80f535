// The screen of open alerts, as a terminal of a given size shows it.
import { stripVTControlCharacters } from 'node:util';
import type { IntegrityAlert } from '@recordproof/shared/api/integrity.ts';
import { renderToString } from 'ink';
import { expect, test } from 'vitest';
import { type AlertScene, chooseNext, drawAlerts } from './watch-screen.ts';

const alert = (id: string): IntegrityAlert => ({
  id,
  fileId: '7',
  fileName: 'a name that is quite long, so that it does not fit into the line that it stands in.pdf',
  ownerName: 'alice',
  alertType: 'CONTENT_HASH_MISMATCH',
  severity: 'CRITICAL',
  status: 'PENDING',
  evidence: { chunk: 1, reason: 'chunk 1: the stored bytes have another hash' },
  actualHash: null,
  chainHash: null,
  repairHint: 'Repair it',
  acknowledgedBy: null,
  acknowledgedAt: null,
  resolvedBy: null,
  resolvedAt: null,
  resolution: null,
  note: null,
  createdAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:00.000Z',
});

const alerts = Array.from({ length: 40 }, (_, nth) => alert(String(1000 + nth)));
const scene: AlertScene = {
  open: { pending: 40, acknowledged: 0, alerts },
  chosen: '1030',
  problem: null,
  note: null,
};

const shownAt = (columns: number, rows: number, change: Partial<AlertScene> = {}): string[] =>
  stripVTControlCharacters(renderToString(drawAlerts({ ...scene, ...change }, { columns, rows }), { columns })).split(
    '\n',
  );

test.each([
  [80, 24],
  [60, 14],
])('at %i by %i the screen fits, and shows the selected alert', (columns, rows) => {
  const lines = shownAt(columns, rows);
  expect(lines.length).toBeLessThanOrEqual(rows);
  expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(columns);
  const text = lines.join('\n');
  for (const part of ['40 pending', '› 1030', 'recordproof admin integrity repair 1030', 'acknowledge'])
    expect(text).toContain(part);
});

test('the screen reports that no alert is open, and the reason for outdated figures', () => {
  const open = { pending: 0, acknowledged: 0, alerts: [] };
  const text = shownAt(80, 24, { open, problem: 'no answer; trying again in 2 s' }).join('\n');
  expect(text).toContain('no open alert');
  expect(text).toContain('trying again');
});

test('an alert that no repair can resolve shows the command for its details', () => {
  const open = { pending: 1, acknowledged: 0, alerts: [{ ...alert('7'), alertType: 'CHAIN_MISMATCH' as const }] };
  const text = shownAt(80, 24, { open }).join('\n');
  expect(text).toContain('recordproof admin integrity show 7');
  expect(text).not.toContain('integrity repair');
});

test('the selection moves up and down, and stops at the ends', () => {
  expect(chooseNext(scene, 1)).toBe('1031');
  expect(chooseNext({ ...scene, chosen: '1000' }, -1)).toBe('1000');
  expect(chooseNext({ ...scene, chosen: '1039' }, 1)).toBe('1039');
  expect(chooseNext({ ...scene, chosen: 'gone' }, 1)).toBe('1001');
});

test('at 60 by 16 the screen keeps the status line and the keys', () => {
  const status = 'no answer; trying again in 00:04';
  const lines = shownAt(60, 16, { problem: status });
  expect(lines.length).toBeLessThanOrEqual(16);
  expect(lines.at(-2)).toBe(status);
  expect(lines.at(-1)).toContain('q leave');
});
