// Key rotations as a kind of runs.
import type { KeyRotationItem, KeyRotationRun } from '@recordproof/shared/api/key-rotation.ts';
import { runKinds } from '@recordproof/shared/api/run-kinds.ts';
import { runLine } from '../platform/dashboard/run-texts.ts';
import type { RunKind } from '../platform/run-commands.ts';
import { failuresText, itemsTable, runsTable, runText } from './tables.ts';

export const rotations: RunKind<KeyRotationRun, KeyRotationItem> = {
  topic: 'admin key-rotation',
  firstCommand: 'plan',
  endpoints: runKinds.rotation.runs,
  itemExamples: [{ command: 'admin key-rotation items 7 --after 50', description: 'What comes behind item 50' }],
  isSuccess: ({ status }) => status === 'COMPLETED',
  toText: runText,
  toLine: (run, samples) => runLine(run, samples, run.status, ` (${failuresText(run)})`),
  toTable: runsTable,
  toItemTable: itemsTable,
  loadDrawing: async () => (await import('./drawing.ts')).drawing,
  screenText: 'progress, pace, time left and failures',
  failureText: 'when the run ends otherwise than COMPLETED',
};
