// `audit verify`: recomputes the hash chain of each tenant's audit log. Exit code 1 when a chain is broken.

import type { KeyObject } from 'node:crypto';
import { listTenants } from '../features/accounts/index.ts';
import { findAuditTimeSteps, verifyAuditChain } from '../features/audit/index.ts';
import { findHeadProblem, findUncoveredCut } from '../features/audit-review/index.ts';
import type { Db, Key } from '../platform/db/tables.ts';
import type { Input } from './declared/local.ts';
import { openLocal } from './local.ts';
import { answer, toLines } from './outcome.ts';

export async function verify({ values, configArgs }: Input): Promise<number> {
  await using local = await openLocal(configArgs);
  const { db } = local.database;
  const { pepper } = local.keys;
  const verdicts: ({ readonly tenant: string } & ChainCheck)[] = [];
  for (const tenant of await listTenants(db)) {
    verdicts.push({ tenant: tenant.name, ...(await verifyTenantChain(db, pepper, tenant.id)) });
  }
  const text = toLines(verdicts.map(({ tenant, verdict }) => `${tenant}: ${verdict}`));
  return answer(values.json, { json: { tenants: verdicts }, text }, !verdicts.some(({ isBroken }) => isBroken));
}

type ChainCheck = { readonly verdict: string; readonly isBroken: boolean };

export async function verifyTenantChain(db: Db, pepper: KeyObject, tenantId: Key): Promise<ChainCheck> {
  const { rows, brokenAt } = await verifyAuditChain(db, tenantId);
  if (brokenAt !== null) return { verdict: `BROKEN at row ${brokenAt}`, isBroken: true };
  const uncovered = await findUncoveredCut(db, tenantId);
  if (uncovered !== null) return { verdict: `BROKEN: ${uncovered}`, isBroken: true };
  const problem = await findHeadProblem(db, pepper, tenantId);
  if (problem !== null) return { verdict: `BROKEN: ${problem}`, isBroken: true };
  const { count, first } = await findAuditTimeSteps(db, tenantId);
  const steps = count === 0 ? '' : `; times go back at ${count} of them, first at row ${first}: a clock was set back`;
  return { verdict: `${rows} rows, unbroken${steps}`, isBroken: false };
}
