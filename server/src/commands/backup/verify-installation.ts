// Full verification of an installation that trusts neither its database nor its store: every manifest with the bytes,
// the key, the proof and the ledger record of its file, the whole ledger, every audit chain. It modifies none of them.

import type { Schema } from '../../compose/open-schema.ts';
import { openStoreOf } from '../../compose/open-store.ts';
import type { Config } from '../../config/config.ts';
import { listTenants } from '../../features/accounts/index.ts';
import { findLog, type LedgerReport, openChains, toPublicBytes, verifyLedger } from '../../features/chain/index.ts';
import { openStoredKey, toOwner } from '../../features/envelopes/index.ts';
import { listLiveFileIds, listLiveFiles } from '../../features/files/index.ts';
import { type Examines, examineFile, type Finding, readSubjects } from '../../features/integrity/index.ts';
import { openCheckProof, openLocalSigningKeys, openSigning } from '../../features/proofs/index.ts';
import { systemClock } from '../../platform/clock.ts';
import type { ServerKeys } from '../../platform/crypto/server-keys.ts';
import type { Db, Key } from '../../platform/db/tables.ts';
import { inParallel } from '../../platform/in-parallel.ts';
import type { ObjectStore } from '../../platform/objects/object-store.ts';
import { silentLog } from '../../platform/telemetry/log.ts';
import { openMetrics } from '../../platform/telemetry/metrics.ts';
import { verifyTenantChain } from '../audit.ts';
import { openProvidersOf } from '../key-providers.ts';

export type Verified = {
  readonly files: number;
  readonly ledger: Pick<LedgerReport, 'size' | 'checkpoints' | 'tiles'>;
  readonly auditChains: number;
  /** One line per problem; the first few hundred. */
  readonly problems: readonly string[];
  /** Files that the caller knows as lost and whose objects are indeed missing; not counted as problems. */
  readonly knownLost: number;
};

const mostProblems = 500;
const filesAtOnce = 32;

export async function verifyInstallation(
  config: Config,
  { database, keys }: Schema,
  lost: ReadonlySet<Key> = new Set(),
): Promise<Verified> {
  await using opened = new AsyncDisposableStack();
  const { db } = database;
  const objects = opened.use(await openStoreOf(config, keys));
  const ground = { database, objects, clock: systemClock, log: silentLog, keys, config };
  const problems = new Problems();
  const chains = await verifyChains({ db, objects, keys }, problems);
  if ((await findLog(db)) === null) {
    for (const { id, name } of await listTenants(db))
      if ((await listLiveFileIds(db, id, 0, 1)).length > 0)
        problems.add(`the files of ${name} could not be checked: the database has no ledger`);
    return { files: 0, ...chains, problems: problems.list(), knownLost: 0 };
  }
  const { ledger, records } = await openChains(ground);
  opened.use(ledger);
  const signing = openSigning(
    { database, metrics: openMetrics() },
    openLocalSigningKeys({ db, folder: config.keysFolder, clock: systemClock }),
  );
  const server: Examines = {
    records,
    objects,
    config,
    openKey: await openKeyCheck(config, { db, problems, opening: opened }),
    checkProof: openCheckProof({ database, signing }),
  };
  let [files, knownLost] = [0, 0];
  for (const { id } of await listTenants(db)) {
    const tenant = await examineTenant(db, server, { id, problems, lost });
    files += tenant.files;
    knownLost += tenant.knownLost;
  }
  return { files, ...chains, problems: problems.list(), knownLost };
}

type KeyChecking = {
  readonly db: Db;
  readonly problems: Problems;
  readonly opening: AsyncDisposableStack;
};

/** Without key providers one problem is noted, not one for each file. */
async function openKeyCheck(config: Config, { db, problems, opening }: KeyChecking): Promise<Examines['openKey']> {
  try {
    const { keyProviders } = (await openProvidersOf(config, db, opening)) ?? { keyProviders: [] };
    return (file, envelope) => openStoredKey(keyProviders, file, toOwner(file), envelope);
  } catch (error) {
    problems.add(`the keys of the files could not be checked: ${toReason(error)}`);
    return async () => null;
  }
}

type Chained = { readonly db: Db; readonly objects: ObjectStore; readonly keys: Pick<ServerKeys, 'ledger' | 'pepper'> };

/** The checks of `ledger verify` and `audit verify`. */
export async function verifyChains(
  { db, objects, keys }: Chained,
  problems: Problems,
): Promise<Pick<Verified, 'ledger' | 'auditChains'>> {
  const tenants = await listTenants(db);
  for (const { id, name } of tenants) {
    const { verdict, isBroken } = await verifyTenantChain(db, keys.pepper, id);
    if (isBroken) problems.add(`audit log of ${name}: ${verdict}`);
  }
  const log = await findLog(db);
  if (log === null) return { ledger: { size: 0, checkpoints: 0, tiles: 0 }, auditChains: tenants.length };
  const key = { name: log.origin, publicKey: toPublicBytes(keys.ledger) };
  const { problems: ledgerProblems, size, checkpoints, tiles } = await verifyLedger({ db, objects, key });
  for (const problem of ledgerProblems) problems.add(`ledger: ${problem}`);
  return { ledger: { size, checkpoints, tiles }, auditChains: tenants.length };
}

export class Problems {
  readonly #first: string[] = [];
  #count = 0;

  add(problem: string): void {
    this.#count += 1;
    if (this.#first.length < mostProblems) this.#first.push(problem);
  }

  list(): string[] {
    const more = this.#count - this.#first.length;
    return more === 0 ? this.#first : [...this.#first, `and ${more} more`];
  }
}

type Examined = Pick<Verified, 'files' | 'knownLost'>;
type Tenant = { readonly id: Key; readonly problems: Problems; readonly lost: ReadonlySet<Key> };

async function examineTenant(db: Db, server: Examines, { id: tenantId, problems, lost }: Tenant): Promise<Examined> {
  const signal = new AbortController().signal;
  let [files, knownLost] = [0, 0];
  for (let after = 0; ; ) {
    const ids = await listLiveFileIds(db, tenantId, after, filesAtOnce);
    const last = ids.at(-1);
    if (last === undefined) return { files, knownLost };
    const subjects = await readSubjects(db, tenantId, await listLiveFiles(db, tenantId, ids));
    const examined = await inParallel(subjects, subject => examineFile(server, subject, 'FULL', signal), 8);
    for (const [index, { findings, outage }] of examined.entries()) {
      const id = subjects[index]?.file.id ?? 0;
      const isKnown = (finding: Finding) => lost.has(id) && finding.alertType === 'OBJECT_NOT_FOUND';
      if (findings.some(isKnown)) knownLost += 1;
      for (const finding of findings) if (!isKnown(finding)) problems.add(`file ${id}: ${toLine(finding)}`);
      if (outage !== undefined) problems.add(`file ${id} could not be checked: ${toReason(outage)}`);
    }
    files += subjects.length;
    after = last;
  }
}

const toLine = ({ alertType, evidence }: Finding): string => `${alertType}: ${String(evidence.reason)}`;

const toReason = (outage: unknown): string => (outage instanceof Error ? outage.message : String(outage));
