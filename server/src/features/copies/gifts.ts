// By what a file comes from one account to another. The features that give files answer here for what they gave.
import type { Call, Party } from '../../platform/call.ts';
import type { RecipientType } from '../../platform/crypto/envelope.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import type { FileRow } from '../files/index.ts';

/** A share's code, a friend share's id. Its envelope opens the original. */
export type Gift = { readonly type: Exclude<RecipientType, 'OWNER' | 'UPLOAD'>; readonly id: string };

export type SavedCopy = {
  readonly tenantId: Key;
  readonly giftId: string;
  readonly source: FileRow;
  readonly copy: FileRow;
  readonly call: Call<Party>;
  readonly userAgent: string | null;
};

export type Giver = {
  readonly type: Gift['type'];
  /**
   * Asked in the transaction that makes a copy count, before anything else is locked in it. Throws ApiError when the gift
   * was withdrawn meanwhile, holds it until the commit when not, and may write what goes with it.
   */
  readonly confirm: (tx: Tx, saved: SavedCopy) => Promise<void>;
};

declare module '../../platform/hooks.ts' {
  interface Hooks {
    giver: Giver;
  }
}

export function getGiver({ hooks }: Pick<Server, 'hooks'>, { type }: Gift): Giver {
  const giver = hooks.of('giver').find(each => each.type === type);
  if (!giver) throw new Error(`nobody answers for files that come by ${type}`);
  return giver;
}
