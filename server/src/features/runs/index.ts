// Engine of runs: long tasks over many rows that an administrator starts, watches, pauses and resumes, and that
// continue on any server. Key rotation and backfill are kinds of runs. Lease and fence: the job of a run holds one
// (platform/jobs), each claimed item another (platform/db/claim.ts).
import { feature } from '../../platform/feature.ts';

export { changeRun, endRun, failRun, startRun, toRunJob, withRunLock } from './change-run.ts';
export { getRun, runHandlers } from './run-handlers.ts';
export { defineRun, findLastId, isActive, isDiscovered, type RunKey, toRunKey } from './run-kind.ts';
export {
  assertAllFinished,
  claimItems,
  countItemsBy,
  findNextDue,
  findRun,
  isRowActive,
  lockRun,
  noSuchRun,
  readPages,
  updateRun,
} from './run-queries.ts';
export { discoverItems, lockActiveRun, runParts } from './work-runs.ts';

export const runs = feature({ name: 'runs', layer: 1 });
