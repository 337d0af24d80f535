// Copies of received files: the recipient gets a record, a key and a ledger entry of its own.
import { feature } from '../../platform/feature.ts';
import { copySaga } from './copy-saga.ts';

export { type CopyRequest, copyFiles, countMissing } from './copy-files.ts';
export type { Gift, Giver, SavedCopy } from './gifts.ts';
export { findOwnFiles, lockGiven, sealGift } from './give-files.ts';
export { toListedFile, toSharedFile } from './views.ts';

export const copies = feature({
  name: 'copies',
  layer: 3,
  open: server => ({ sagas: [copySaga(server)] }),
});
