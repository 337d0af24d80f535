// Files that one account gives and another keeps: the second gets a record, a key and a place on the ledger of its own.
import type { Feature } from '../../platform/feature.ts';
import { copySaga } from './copy-saga.ts';
import type { CopyPorts } from './ports.ts';

export { type CopyRequest, copyFiles, countMissing } from './copy-files.ts';
export { findOwnFiles, holdGiven, sealGift } from './give-files.ts';
export { copyMigrations } from './migrations.ts';
export type { ConfirmGift, CopyPorts, Gift, SavedCopy } from './ports.ts';
export { toListedFile, toSharedFile } from './views.ts';

export const copies = (ports: CopyPorts): Feature => ({
  name: 'copies',
  sagas: [copySaga(ports) as NonNullable<Feature['sagas']>[number]],
});
