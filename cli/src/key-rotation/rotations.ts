// Key rotations as a kind of runs.
import type { KeyRotationItem, KeyRotationRun } from '@recordproof/shared/api/key-rotation.ts';
import { runKinds } from '@recordproof/shared/api/run-kinds.ts';
import { runLine } from '../platform/dashboard/run-texts.ts';
import { plainRuns } from '../platform/plain-runs.ts';
import type { RunKind } from '../platform/run-commands.ts';
import { failuresText, itemsTable, runsTable, runText } from './tables.ts';

export const rotations: RunKind<KeyRotationRun, KeyRotationItem> = {
  ...plainRuns({ topic: 'admin key-rotation', endpoints: runKinds.rotation.runs }),
  firstCommand: 'plan',
  toText: runText,
  toLine: (run, samples) => runLine(run, samples, run.status, ` (${failuresText(run)})`),
  toTable: runsTable,
  toItemTable: itemsTable,
  loadDrawing: async () => (await import('./drawing.ts')).drawing,
};
