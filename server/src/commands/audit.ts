// Re-computes the audit log's hash chain, tenant by tenant. Exit code 1 when it does not hold.
import { listTenants } from '../features/accounts/index.ts';
import { verifyAuditChain } from '../features/audit/index.ts';
import { UsageError } from './exit.ts';
import { openLocal, parseLocalArgs } from './local.ts';

export async function audit([action, ...args]: readonly string[]): Promise<number> {
  if (action !== 'verify') throw new UsageError('say what to do: audit verify.');
  const { configArgs } = parseLocalArgs(args, [], []);
  await using local = await openLocal(configArgs);
  const { db } = local.database;
  let broken = 0;
  for (const tenant of await listTenants(db)) {
    const report = await verifyAuditChain(db, tenant.id);
    const verdict = report.brokenAt === null ? `${report.rows} rows, unbroken` : `BROKEN at row ${report.brokenAt}`;
    if (report.brokenAt !== null) broken += 1;
    process.stdout.write(`${tenant.name}: ${verdict}\n`);
  }
  return broken === 0 ? 0 : 1;
}
