// Engine of runs: long tasks over many rows that an administrator starts, watches, pauses and resumes, and that
// continue on any server. Key rotation and backfill are kinds of runs.
import { feature } from '../../platform/feature.ts';

export { changeRun, endRun, failRun, inTurn, startRun, toRunJob } from './change-run.ts';
export { getRun, runHandlers } from './run-handlers.ts';
export { defineRun, findLastId, isAtWork, isDiscovered, type WhichRun, whichOf } from './run-kind.ts';
export {
  assertAllFinished,
  claimItems,
  countItemsBy,
  findNextDue,
  findRun,
  isRowAtWork,
  lockRun,
  noSuchRun,
  readPages,
  updateRun,
} from './run-queries.ts';
export { discoverItems, lockRunAtWork, runParts } from './work-runs.ts';

export const runs = feature({ name: 'runs', layer: 1 });
