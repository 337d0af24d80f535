// Targets that vouch for checkpoints: the configured witnesses and peers. A target asks one of them and checks its answer
// before it is stored. Other kinds (time stamps, calendars) are further targets.

import { toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { openNodes } from '@recordproof/shared/evidence/log-reader.ts';
import { consistencyRanges, hashRanges } from '@recordproof/shared/evidence/merkle-ranges.ts';
import { type TypedNoteKey, typedKeyId } from '@recordproof/shared/evidence/note-keys.ts';
import { sha256 } from '@recordproof/shared/node/sha256.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import type { CheckpointRow, Ledger } from '../chain/index.ts';
import { askWitness } from './ask-witness.ts';
import type { VoucherKind } from './migrations.ts';
import { fetchPeerKey } from './peer-key.ts';

type VoucherInput = {
  readonly checkpoint: CheckpointRow;
  /** The newest checkpoint that the target is known to have vouched for; 0 for none. */
  readonly vouchedSize: number;
  readonly signal: AbortSignal;
};

export type Voucher = { readonly content: Uint8Array; readonly statedAt: Time };

export type VoucherTarget = {
  readonly kind: VoucherKind;
  /** Of one target for ever: its vouchers and its state are found by it. */
  readonly name: string;
  /** Rejects with a sentence when there is no voucher that can be believed. */
  vouch(input: VoucherInput): Promise<Voucher>;
};

type VouchingParts = Pick<Server, 'ledger' | 'clock' | 'config'>;

export function listTargets({ ledger, clock, config }: VouchingParts): VoucherTarget[] {
  const { witnesses, peers } = config.ledger;
  const open = (url: string, key: TypedNoteKey | undefined, keys: GetKeys) =>
    openTarget({ ledger, clock, url, name: toTargetName(url, key), keys });
  return [
    ...witnesses.map(({ url, keys }) => open(url, keys[0], async () => keys)),
    ...peers.map(({ url, keys: [key] }) => {
      if (key === undefined) throw new Error('a peer has a key');
      let known: TypedNoteKey | undefined;
      return open(`${url}/ledger/witness`, key, async signal => {
        known ??= await fetchPeerKey(url, key, signal);
        return [known];
      });
    }),
  ];
}

/** `<name>+<key id>`: a witness that moves to another address stays the same. */
const toTargetName = (url: string, key: TypedNoteKey | undefined): string =>
  key === undefined ? url : `${key.name}+${toHex(typedKeyId(key))}`;

type GetKeys = (signal: AbortSignal) => Promise<readonly TypedNoteKey[]>;

type Opening = {
  readonly ledger: Ledger;
  readonly clock: Server['clock'];
  readonly url: string;
  readonly name: string;
  readonly keys: GetKeys;
};

function openTarget({ ledger, clock, url, name, keys }: Opening): VoucherTarget {
  return {
    kind: 'WITNESS',
    name,
    vouch: async ({ checkpoint, vouchedSize, signal }) =>
      askWitness({
        url,
        keys: await keys(signal),
        note: toUtf8(checkpoint.note),
        size: checkpoint.size,
        oldSize: vouchedSize,
        prove: oldSize => proveGrowth(ledger, oldSize, checkpoint.size),
        nowMs: () => clock.now(),
        signal,
      }),
  };
}

function proveGrowth(ledger: Ledger, oldSize: number, size: number): Promise<Uint8Array[]> {
  return hashRanges(consistencyRanges(oldSize, size), openNodes(readTileOf(ledger), size, sha256), sha256);
}

export const readTileOf =
  ({ tiles }: Ledger) =>
  async (path: string): Promise<Uint8Array> => {
    const tile = await tiles.find(path);
    if (tile === null) throw new Error(`the ledger has no ${path}`);
    return tile;
  };
