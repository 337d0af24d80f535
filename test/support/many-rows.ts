// Rows as after years of use, written by the database itself: millions in minutes. Each function adds the rows numbered
// from `above` + 1 to `upTo`. Hashes and signatures are dummies: no test checks them.
import { wholeTenant } from '@recordproof/server/features/quotas/queries.ts';
import type { Database, Engine } from '@recordproof/server/platform/db/open-db.ts';
import { sql } from 'kysely';

export type Span = { readonly above: number; readonly upTo: number };
export type Owner = { readonly tenantId: number; readonly ownerId: number };

/** The range of ids of each owner. */
const perOwner = 100_000_000;

export const firstIdOf = ({ ownerId }: Owner): number => ownerId * perOwner;

const numbers = (kind: Engine, { above, upTo }: Span): string =>
  kind === 'sqlite'
    ? `with recursive series(n) as (select ${above + 1} union all select n + 1 from series where n < ${upTo})`
    : `with series as (select n from generate_series(${above + 1}::bigint, ${upTo}) n)`;

const hexOf = (kind: Engine, number: string): string =>
  kind === 'sqlite' ? `printf('%064x', ${number})` : `lpad(to_hex(${number}), 64, '0')`;

/** Runs slow statements with foreign keys unchecked: references may be inserted later, or never. */
export async function writeMany({ db, kind }: Database, ...statements: readonly string[]): Promise<void> {
  if (kind === 'sqlite') await sql.raw('pragma foreign_keys = off').execute(db);
  await db.transaction().execute(async tx => {
    if (kind === 'postgres') {
      await sql`set local statement_timeout = 0`.execute(tx);
      await sql`set local session_replication_role = replica`.execute(tx);
    }
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });
}

/** Names with words that occur in all, in a hundredth, and in ten of them. */
export function filesOf(kind: Engine, owner: Owner, span: Span): string {
  const first = firstIdOf(owner);
  const words = ['invoice', 'contract', 'photo', 'letter', 'minutes', 'plan', 'offer', 'budget', 'survey', 'draft'];
  const word = words.map((name, at) => `when ${at} then '${name}'`).join(' ');
  const quarterly = `case when n % 100 = 7 then ' quarterly' else '' end`;
  const needle = `case when n <= 100 and n % 10 = 3 then ' needle' else '' end`;
  const name = `case n % 10 ${word} end || ' of day ' || (n * 7919 % 1000003) || ${quarterly} || ${needle} || '.pdf'`;
  const hex = hexOf(kind, `${first} + n`);
  return `insert into file (id, version_group_id, tenant_id, owner_id, file_hash, content_hash, file_name, name_folded, file_size,
      content_type, status, proof_status, encryption, created_by, provenance_depth, created_at, version, is_latest)
    ${numbers(kind, span)} select ${first} + n, ${first} + n, ${owner.tenantId}, ${owner.ownerId}, ${hex}, 'sha256:' || ${hex},
      ${name}, ${name}, n * 7907 % 1000003, 'application/pdf', 1, 'NONE', 'NONE', 'bench:${owner.ownerId}:' || n, 0, n * 1000, 1, 1
    from series`;
}

/** The counters that the server keeps beside the files. */
export const usageOf = ({ tenantId, ownerId }: Owner, files: number, ofTenant = files): string[] => [
  `delete from file_usage where tenant_id = ${tenantId} and owner_id in (${wholeTenant}, ${ownerId})`,
  ...[
    [wholeTenant, ofTenant],
    [ownerId, files],
  ].map(
    ([
      id,
      count,
    ]) => `insert into file_usage (tenant_id, owner_id, files, bytes, latest_files, upload_day, day_uploads, download_day,
      day_downloads, recorded) values (${tenantId}, ${id}, ${count}, ${count}, ${count}, 0, 0, 0, 0, 0)`,
  ),
];

/** Half a year, evenly divided between all rows. */
type AuditTime = { readonly from: number; readonly stepMs: number };

/** Twenty kinds of operations, a thousand users, every fiftieth rejected. */
export function auditOf(kind: Engine, tenantId: number, span: Span, { from, stepMs }: AuditTime): string {
  const modules = ['files', 'auth', 'shares', 'tickets', 'accounts'];
  const module = `case n % 5 ${modules.map((name, at) => `when ${at} then '${name}'`).join(' ')} end`;
  const bytes = (size: number) =>
    kind === 'sqlite' ? `randomblob(${size})` : `decode(repeat(md5(n::text), ${size / 16}), 'hex')`;
  const [packed, digest] = [bytes(80), bytes(32)];
  return `insert into audit_log (tenant_id, position, module, operation_type, packed, request_ip, status, error_msg,
      user_id, username, operation_time, execution_time, hash)
    ${numbers(kind, span)} select ${tenantId}, n, ${module}, 'operation-' || (n % 4), ${packed}, '192.0.2.' || (n % 200), case when n % 50 = 0 then 1 else 0 end,
      case when n % 50 = 0 then 'refused' end, n * 7919 % 1000 + 1, 'user-' || (n * 7919 % 1000 + 1),
      ${from} + n * ${stepMs}, 5, ${digest} from series`;
}

export const auditHeadOf = (tenantId: number, length: number): string[] => [
  `delete from audit_head where tenant_id = ${tenantId}`,
  `insert into audit_head (tenant_id, length, hash) values (${tenantId}, ${length}, 'x')`,
];

/** One share for each file, each opened once; a tenth is over. */
export function sharesOf(kind: Engine, owner: Owner, span: Span): string[] {
  const first = firstIdOf(owner);
  const series = numbers(kind, span);
  return [
    `insert into share (id, tenant_id, owner_id, code, share_type, status, access_count, view_count, download_count, save_count,
        generation, expire_at, created_at)
      ${series} select ${first} + n, ${owner.tenantId}, ${owner.ownerId}, 's' || n, 0, case when n % 10 = 0 then 2 else 1 end, 1, 1, 0,
        0, 0, 4000000000000 + n, n * 1000 from series`,
    `insert into share_file (share_id, tenant_id, file_id, position)
      ${series} select ${first} + n, ${owner.tenantId}, ${first} + n, 0 from series`,
    `insert into share_access (tenant_id, share_id, action_type, ip, created_at)
      ${series} select ${owner.tenantId}, ${first} + n, 1, '192.0.2.1', n * 1000 from series`,
  ];
}

/** The counters that the server keeps beside the shares. */
export const shareCountsOf = ({ tenantId, ownerId }: Owner): string[] => [
  `delete from share_count where tenant_id = ${tenantId} and owner_id in (${wholeTenant}, ${ownerId})`,
  ...[wholeTenant, ownerId].map(
    id => `insert into share_count (tenant_id, owner_id, status, shares)
      select tenant_id, ${id}, status, count(*) from share where tenant_id = ${tenantId}
        ${id === wholeTenant ? '' : `and owner_id = ${id}`} group by tenant_id, status`,
  ),
];

/** A record for each file, and a root for every thousand. */
export function ledgerOf(kind: Engine, owner: Owner, span: Span): string {
  const hex = hexOf(kind, `${firstIdOf(owner)} + n`);
  const bytes = (text: string) => (kind === 'sqlite' ? `unhex(${text})` : `decode(${text}, 'hex')`);
  return `insert into ledger_entry (position, kind, subject, packed, leaf_hash, recorded_at)
    ${numbers(kind, span)} select n, case when n % 1000 = 0 then 'BATCH_ROOT' else 'FILE_RECORD' end,
      case when n % 1000 = 0 then 'MB-' || n else ${hex} end, ${bytes(`'02' || ${hex}`)}, ${bytes(hex)}, n * 1000 from series`;
}

/** Signatures have about the length of real ones. */
export function proofsOf(kind: Engine, owner: Owner, span: Span): string {
  const first = firstIdOf(owner);
  const hex = hexOf(kind, `${first} + n`);
  return `insert into proof (proof_id, tenant_id, file_id, file_version, version_group_id, leaf_id, key_id, key_version, status,
      status_version, manifest_sha256, signature, issued_at, updated_at)
    ${numbers(kind, span)} select 'p' || n, ${owner.tenantId}, ${first} + n, 1, ${first} + n, ${first} + n, 'proofs', 1, 'ACTIVE', 1,
      ${hex}, substr(${hex} || ${hex}, 1, 86), n * 1000, n * 1000 from series`;
}

/** Pending work: nine of ten jobs are due. */
export const jobsOf = (kind: Engine, span: Span): string =>
  `insert into job (kind, payload, state, due_at, attempt, fence, created_at)
    ${numbers(kind, span)} select 'bench', '{"fileId":' || n || '}', 'WAITING', case when n % 10 = 0 then 4000000000000 + n else n end,
      0, 0, n from series`;
