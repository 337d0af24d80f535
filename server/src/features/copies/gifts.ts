// Gifts: how a file gets from one account to another. The features that give files register their checks here.
import type { Call, Party } from '../../platform/call.ts';
import type { RecipientType } from '../../platform/crypto/envelope.ts';
import type { Key, Tx } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import type { FileRow } from '../files/index.ts';

/** A share's code, or a friend share's id. Its envelope opens the original. */
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
   * Called in the transaction that stores a copy, before it takes other locks. Throws ApiError if the gift was
   * withdrawn meanwhile; otherwise locks it until the commit, and may write related rows.
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
  if (!giver) throw new Error(`no giver is registered for files received by ${type}`);
  return giver;
}
