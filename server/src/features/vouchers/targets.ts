// Voucher targets: each configured witness and peer is one; all time-stamping authorities together are one, and so are
// the calendars. Every answer is verified before it is stored.
import { parseHex, toHex, toUtf8 } from '@recordproof/shared/evidence/digest.ts';
import { openNodes } from '@recordproof/shared/evidence/log-reader.ts';
import { consistencyRanges, hashRanges } from '@recordproof/shared/evidence/merkle-ranges.ts';
import { type TypedNoteKey, typedKeyId } from '@recordproof/shared/evidence/note-keys.ts';
import type { Time } from '../../platform/db/tables.ts';
import type { Server } from '../../platform/server.ts';
import type { CheckpointRow, Ledger } from '../chain/index.ts';
import { quorumWaitMs } from './choose-checkpoint.ts';
import type { VoucherKind } from './migrations.ts';
import { fetchPeerKey } from './peer-key.ts';
import type { Requirement } from './queries.ts';
import { requestCosignature } from './request-cosignature.ts';
import { requestOtsStamp } from './request-ots-stamp.ts';
import { requestTimeStamp, type StampAuthority } from './request-time-stamp.ts';

type VoucherInput = {
  readonly checkpoint: CheckpointRow;
  /** The newest checkpoint with a voucher of the target; 0 for none. */
  readonly vouchedSize: number;
  readonly signal: AbortSignal;
};

type Voucher = {
  /** The source that gave it. */
  readonly source: string;
  readonly content: Uint8Array;
  readonly statedAt: Time;
  /** It is queried again later. */
  readonly isPending?: boolean;
};

export type SourceFailure = { readonly source: string; readonly error: unknown };
export type Vouching = { readonly vouchers: readonly Voucher[]; readonly failures: readonly SourceFailure[] };

export type VoucherTarget = {
  readonly kind: VoucherKind;
  /** Permanent per target: the key of its stored state. */
  readonly name: string;
  /** The queried sources, whose names identify vouchers. */
  readonly sources: readonly string[];
  /** Between two vouchers. */
  readonly pauseMs: number;
  /** It vouches for the newest checkpoint that meets this, so that one checkpoint has all vouchers. */
  readonly after?: Requirement;
  /** How long a checkpoint waits for that requirement. */
  readonly maxWaitMs: number;
  /** Verified vouchers only. Without any, a failure states the reason. */
  vouch(input: VoucherInput): Promise<Vouching>;
};

type VouchingParts = Pick<Server, 'ledger' | 'clock' | 'config'>;

const witnessPauseMs = 1000;

/** In order: witnesses, time stamp, calendars. */
export function listTargets({ ledger, clock, config }: VouchingParts): VoucherTarget[] {
  const { quorum, authorities, calendars, stampPauseSeconds, calendarPauseSeconds } = config.ledger;
  const targets = listWitnesses({ ledger, clock, config });
  const names = targets.map(({ name }) => name);
  const quorumFirst = quorum > 0 ? { after: { kind: 'WITNESS', targets: names, count: quorum } as const } : {};
  const stampFirst = authorities.length > 0 ? { after: { kind: 'RFC3161', count: 1 } as const } : quorumFirst;
  const stampPauseMs = stampPauseSeconds * 1000;
  const nowMs = () => clock.now();
  if (authorities.length > 0)
    targets.push({
      kind: 'RFC3161',
      name: 'rfc3161',
      sources: authorities.map(({ name }) => name),
      pauseMs: stampPauseMs,
      ...quorumFirst,
      maxWaitMs: quorumWaitMs,
      vouch: input => stampByFirst(authorities, { ...input, nowMs }),
    });
  if (calendars.length > 0)
    targets.push({
      kind: 'OTS',
      name: 'opentimestamps',
      sources: calendars.map(({ name }) => name),
      pauseMs: calendarPauseSeconds * 1000,
      ...stampFirst,
      maxWaitMs: quorumWaitMs + (authorities.length > 0 ? 2 * stampPauseMs : 0),
      vouch: input => sendToAll(calendars, { ...input, nowMs }),
    });
  return targets;
}

type Timed = VoucherInput & { readonly nowMs: () => number };

/** From the first authority with a valid answer. */
async function stampByFirst(
  authorities: readonly StampAuthority[],
  { checkpoint, signal, nowMs }: Timed,
): Promise<Vouching> {
  const failures: SourceFailure[] = [];
  for (const authority of authorities) {
    const source = authority.name;
    try {
      const stamp = await requestTimeStamp(authority, { note: toUtf8(checkpoint.note), nowMs, signal });
      return { vouchers: [{ source, ...stamp }], failures };
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ source, error });
    }
  }
  return { vouchers: [], failures };
}

type Calendar = Server['config']['ledger']['calendars'][number];

async function sendToAll(calendars: readonly Calendar[], { checkpoint, signal, nowMs }: Timed): Promise<Vouching> {
  const root = parseHex(checkpoint.root);
  const answers = await Promise.allSettled(calendars.map(calendar => requestOtsStamp(calendar, root, signal)));
  signal.throwIfAborted();
  const vouching = { vouchers: [] as Voucher[], failures: [] as SourceFailure[] };
  for (const [at, answer] of answers.entries()) {
    const source = calendars[at]?.name ?? '';
    if (answer.status === 'rejected') vouching.failures.push({ source, error: answer.reason });
    else vouching.vouchers.push({ source, ...answer.value, statedAt: nowMs() });
  }
  return vouching;
}

function listWitnesses(parts: VouchingParts): VoucherTarget[] {
  const { witnesses, peers } = parts.config.ledger;
  return [
    ...witnesses.map(({ url, keys }) => openWitness(parts, url, keys[0], async () => keys)),
    ...peers.map(({ url, keys: [key] }) => {
      if (key === undefined) throw new Error(`ledger.witness-peers: ${url} has no verifier key`);
      let cachedKey: TypedNoteKey | undefined;
      return openWitness(parts, `${url}/ledger/witness`, key, async signal => {
        cachedKey ??= await fetchPeerKey(url, key, signal);
        return [cachedKey];
      });
    }),
  ];
}

/** `<name>+<key id>`: unchanged when a witness moves to another URL. */
const toTargetName = (url: string, key: TypedNoteKey | undefined): string =>
  key === undefined ? url : `${key.name}+${toHex(typedKeyId(key))}`;

type GetKeys = (signal: AbortSignal) => Promise<readonly TypedNoteKey[]>;

function openWitness(
  { ledger, clock }: VouchingParts,
  url: string,
  key: TypedNoteKey | undefined,
  getKeys: GetKeys,
): VoucherTarget {
  const name = toTargetName(url, key);
  return {
    kind: 'WITNESS',
    name,
    sources: [name],
    pauseMs: witnessPauseMs,
    maxWaitMs: 0,
    vouch: async ({ checkpoint, vouchedSize, signal }) => {
      try {
        const cosigned = await requestCosignature({
          url,
          keys: await getKeys(signal),
          note: toUtf8(checkpoint.note),
          size: checkpoint.size,
          oldSize: vouchedSize,
          prove: oldSize => proveGrowth(ledger, oldSize, checkpoint.size),
          nowMs: () => clock.now(),
          signal,
        });
        return { vouchers: [{ source: name, ...cosigned }], failures: [] };
      } catch (error) {
        signal.throwIfAborted();
        return { vouchers: [], failures: [{ source: name, error }] };
      }
    },
  };
}

const proveGrowth = (ledger: Ledger, oldSize: number, size: number): Promise<Uint8Array[]> =>
  hashRanges(consistencyRanges(oldSize, size), openNodes(readTileOf(ledger), size));

export const readTileOf =
  ({ tiles }: Ledger) =>
  async (path: string): Promise<Uint8Array> => {
    const tile = await tiles.find(path);
    if (tile === null) throw new Error(`the ledger has no ${path}`);
    return tile;
  };
