// Table types and migrations of vouchers.
import type { Migration } from '../../platform/db/migrate.ts';

/**
 * The content of a voucher. WITNESS: lines of cosignatures, in UTF-8. RFC3161: the response of an authority to the
 * SHA-256 of the checkpoint's text, unchanged. OTS: the answer of an OpenTimestamps calendar to the checkpoint's root.
 */
export type VoucherKind = 'WITNESS' | 'RFC3161' | 'OTS';

declare module '../../platform/db/tables.ts' {
  interface Tables {
    /**
     * The voucher of one target for one checkpoint, verified before it was stored. Never changed, except that a pending
     * answer of a calendar is replaced once, when a Bitcoin block attests it.
     */
    voucher: {
      id: NewKey;
      checkpoint_size: number;
      kind: VoucherKind;
      target: string;
      content: Uint8Array;
      /** The time stated by the voucher. */
      stated_at: Time;
      created_at: Time;
    };
    /** The state of each target, and when it is queried again. */
    voucher_target: {
      name: string;
      /** The newest checkpoint with its voucher; 0 before the first. */
      vouched_size: number;
      vouched_at: Time | null;
      /** Since the last success. */
      failures: number;
      last_error: string | null;
      /** Not queried before this time. */
      next_at: Time;
    };
    /** Answers of calendars without attestation by a Bitcoin block. */
    voucher_pending: {
      voucher_id: Key;
      /** How often the calendar was queried. */
      tries: number;
      last_error: string | null;
      /** The calendar is not queried before this time. */
      next_at: Time;
    };
    /** For each peer's ledger, the newest checkpoint that this server cosigned. */
    voucher_witnessed_log: {
      origin: string;
      size: number;
      /** Base64; empty before the first cosignature, as is `note`. */
      root: string;
      note: string;
      time_seconds: number;
      /** The first note that contradicts `fork_of`: the peer signed two different trees of one size. */
      fork: string | null;
      fork_of: string | null;
    };
  }
}

export const voucherMigrations: readonly Migration[] = [
  {
    name: 'V2.0.34 tables of vouchers',
    statements: t => [
      `create table voucher (
        id ${t.key},
        checkpoint_size ${t.integer} not null,
        kind text not null,
        target text not null,
        content ${t.bytes} not null,
        stated_at ${t.integer} not null,
        created_at ${t.integer} not null,
        unique (checkpoint_size, kind, target)
      ) ${t.strict}`,
      `create table voucher_target (
        name text primary key,
        vouched_size ${t.integer} not null,
        vouched_at ${t.integer},
        failures ${t.integer} not null,
        last_error text,
        next_at ${t.integer} not null
      ) ${t.strict}`,
      `create table voucher_witnessed_log (
        origin text primary key,
        size ${t.integer} not null,
        root text not null,
        note text not null,
        time_seconds ${t.integer} not null,
        fork text,
        fork_of text
      ) ${t.strict}`,
      'create index voucher_kind on voucher (kind, checkpoint_size)',
      `create table voucher_pending (
        voucher_id ${t.integer} primary key references voucher (id),
        tries ${t.integer} not null,
        last_error text,
        next_at ${t.integer} not null
      ) ${t.strict}`,
      'create index voucher_pending_due on voucher_pending (next_at)',
    ],
  },
];
