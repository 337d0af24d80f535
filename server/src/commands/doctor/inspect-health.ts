// Health checks on the database, by the rules of the running server: queues, damage, scrub, backups.
import type { ComponentHealth } from '@recordproof/shared/api/monitor.ts';
import type { Config } from '../../config/config.ts';
import { integrityProbe, scrubProbe } from '../../features/integrity/index.ts';
import { backupProbe, outboxProbe, sagaProbe } from '../../features/monitor/index.ts';
import { systemClock as clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/open-db.ts';
import type { HealthProbe } from '../../platform/health.ts';
import { countQueues } from '../../platform/jobs/queries.ts';
import { countSagas } from '../../platform/saga/queries.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

const remedies: Readonly<Record<string, string>> = {
  integrity: 'Run: recordproof admin integrity alerts',
  scrub: 'Raise integrity.scrub.bytes-per-second, or give the scrub more hours (docs/guide/integrity.md).',
  backup: 'Run: recordproof-server backup (docs/guide/backup.md), and a timer that repeats it.',
  outbox: 'Run: recordproof-server jobs list',
  saga: 'Run: recordproof-server jobs list',
};

export async function inspectHealth(database: Database, config: Config): Promise<Finding[]> {
  const { db } = database;
  const probes: readonly HealthProbe[] = [
    integrityProbe({ database }),
    scrubProbe({ database, clock, config }),
    backupProbe({ db, clock, maxAgeHours: config.health.backupMaxAgeHours }),
    outboxProbe(async () => {
      const { events } = await countQueues(db);
      return { pending: events.waiting + events.running, failed: events.dead };
    }, config.health),
    sagaProbe(async () => {
      const { running, failed, compensating } = await countSagas(db);
      return { running, failed, pendingCompensation: compensating };
    }, config.health),
  ];
  const { signal } = new AbortController();
  return Promise.all(probes.map(async probe => toFinding(probe.name, await probe.check(signal))));
}

function toFinding(name: string, { status, details = {} }: ComponentHealth): Finding {
  const { error, ...facts } = details;
  const text = Object.entries(facts)
    .map(([fact, value]) => `${fact} ${value}`)
    .join(', ');
  const found = `${status}: ${error === undefined ? text : String(error)}`;
  if (status === 'UP') return ok(name, text);
  const remedy = remedies[name] ?? 'Look into the log of the server.';
  return status === 'DOWN' ? failure(name, found, remedy) : warning(name, found, remedy);
}
