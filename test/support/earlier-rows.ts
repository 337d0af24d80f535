// Rows as releases before V1.48 stored them: audit rows and ledger entries as texts, digests in hex.
import { createHash } from 'node:crypto';
import { migrations } from '@recordproof/server/compose/features.ts';
import { hashRow, type LinkedRow, startOfChain, toTail } from '@recordproof/server/features/audit/hash-chain.ts';
import type { Migration } from '@recordproof/server/platform/db/migrate.ts';
import type { Db } from '@recordproof/server/platform/db/tables.ts';
import { sql } from 'kysely';

const minorOf = ({ name }: Migration): number => Number(/^V1\.(\d+)/.exec(name)?.[1]);

export const earlierMigrations: readonly Migration[] = migrations.filter(step => minorOf(step) < 48);

type EarlierAuditRow = LinkedRow & {
  readonly tenant_id: number;
  readonly previous_hash: string;
  readonly hash: string;
};

const texts = ['plain', '"quotes" and \\', 'Ünïcode 文件 😀', '', 'f'.repeat(64), '1'.repeat(40)];

/** Chains of two tenants, whose rows alternate. */
export function makeAuditRows(count: number): EarlierAuditRow[] {
  const heads = new Map<number, { position: number; hash: string }>();
  return Array.from({ length: count }, (_, at) => {
    const tenant_id = 1 + (at % 2);
    const head = heads.get(tenant_id) ?? { position: 0, hash: startOfChain };
    const text = texts[at % texts.length] ?? '';
    const row: LinkedRow = {
      position: head.position + 1,
      module: at % 5 === 0 ? 'proofs' : 'uploads',
      operation_type: 'store',
      description: `file ${at} stored ${text}`,
      method: at % 7 === 0 ? 'other' : 'uploads.store',
      request_url: `/api/v1/files/${text}`,
      request_method: 'POST',
      request_ip: '192.0.2.1',
      request_param: JSON.stringify({ fileId: at, name: text }).slice(0, 40),
      status: at % 3 === 0 ? 1 : 0,
      error_msg: at % 3 === 0 ? text : null,
      user_id: at % 4 === 0 ? null : at,
      username: at % 4 === 0 ? null : `user ${at}`,
      operation_time: 1_700_000_000_000 + at,
      execution_time: at,
    };
    const hash = hashRow(head.hash, tenant_id, row.position, toTail(row));
    heads.set(tenant_id, { position: row.position, hash });
    return { ...row, tenant_id, previous_hash: head.hash, hash };
  });
}

export async function insertEarlierRows(db: Db, audit: readonly EarlierAuditRow[]): Promise<void> {
  const heads = new Map(audit.map(row => [row.tenant_id, row]));
  const entries = audit.map(({ position, tenant_id, hash }) => {
    const entry = JSON.stringify({ kind: 'FILE_RECORD', recordId: hash, recordedAt: position });
    const leaf_hash = createHash('sha256').update(entry).digest('hex');
    const place = { position: position * 2 + tenant_id, recorded_at: position };
    return { ...place, kind: 'FILE_RECORD', subject: hash, entry, leaf_hash };
  });
  await insertAll(db, 'audit_log', audit);
  await insertAll(
    db,
    'audit_head',
    [...heads].map(([tenant_id, { position, hash }]) => ({ tenant_id, length: position, hash })),
  );
  await insertAll(db, 'ledger_entry', entries);
}

const rowsAtOnce = 100;

/** Today's types do not know the earlier columns. */
async function insertAll(db: Db, table: string, rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const values = rows
      .slice(from, from + rowsAtOnce)
      .map(row => sql`(${sql.join(columns.map(column => row[column]))})`);
    const names = columns.map(name => sql.ref(name));
    await sql`insert into ${sql.table(table)} (${sql.join(names)}) values ${sql.join(values)}`.execute(db);
  }
}
