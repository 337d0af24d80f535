// Seals of repetition counts. A row's hash does not cover its count, because it grows for a minute. After the minute, a
// separate row in the chain records the count.
import { localCall } from '../../platform/call.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { Db, Key, Time, Tx } from '../../platform/db/tables.ts';
import { appendAudits } from './append-audit.ts';
import type { AuditLogRow } from './packed-row.ts';
import { type ClosedWindow, hasClosedWindows, listRepeated, takeClosedWindows } from './rejection-queries.ts';

const sealModule = 'audit';
const sealOperation = 'seal-repetitions';
const rowsAtOnce = 500;

/** A rejection without repetitions has nothing to seal. */
export async function appendSeals(tx: Tx, tenantId: Key, windows: readonly ClosedWindow[], now: Time): Promise<void> {
  const notes = windows
    .filter(({ repeated }) => repeated > 0)
    .map(({ position, repeated }) => ({
      call: localCall('audit', tenantId, now),
      entry: {
        module: sealModule,
        operation: sealOperation,
        description: `the rejection in row ${position} was repeated ${repeated} times within its minute`,
        param: { position, repeated },
      },
    }));
  if (notes.length > 0) await appendAudits(tx, notes, now);
}

/** Seals the repetitions of past minutes. */
export async function sealRejections({ db }: Pick<Database, 'db'>, tenantId: Key, now: Time): Promise<void> {
  if (!(await hasClosedWindows(db, tenantId, now))) return;
  await db
    .transaction()
    .execute(async tx => appendSeals(tx, tenantId, await takeClosedWindows(tx, { tenantId }, now), now));
}

type SealedRow = Pick<AuditLogRow, 'position' | 'module' | 'operation_type' | 'request_param' | 'repeated'>;

/** Compares the counts in rows with those in seals, in chain order. */
export class Seals {
  readonly #repeated = new Set<number>();
  readonly #sealed = new Map<number, number>();

  add({ position, module, operation_type, request_param, repeated }: SealedRow): void {
    if (repeated !== 0) this.#repeated.add(position);
    if (module !== sealModule || operation_type !== sealOperation) return;
    const seal = JSON.parse(request_param) as ClosedWindow;
    this.#sealed.set(seal.position, seal.repeated);
  }

  /** The first row after the cut whose repetitions are neither sealed nor part of a minute that is not sealed yet. */
  async findBroken(db: Db, tenantId: Key, cutAt: number): Promise<number | null> {
    const positions = [...new Set([...this.#repeated, ...this.#sealed.keys()])]
      .filter(one => one > cutAt)
      .sort((a, b) => a - b);
    for (let from = 0; from < positions.length; from += rowsAtOnce) {
      const page = positions.slice(from, from + rowsAtOnce);
      const counted = await listRepeated(db, tenantId, page);
      const broken = page.find(position => {
        const now = counted.get(position);
        return (this.#sealed.get(position) ?? now?.open) !== now?.repeated;
      });
      if (broken !== undefined) return broken;
    }
    return null;
  }
}
