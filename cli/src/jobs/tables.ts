// Tables of dead jobs and events.
import type { DeadJob } from '@recordproof/shared/api/jobs.ts';
import { toMinute } from '../platform/output.ts';
import { alignRows, extra, name, tableOf, words } from '../platform/table.ts';

const nameOf = ({ kind, eventType }: DeadJob): string => eventType ?? kind;

const toAbout = ({ about }: DeadJob): string =>
  Object.entries(about)
    .map(([field, value]) => `${field} ${value}`)
    .join(', ');

export const deadJobsTable = tableOf<DeadJob>({
  ID: job => job.id,
  KIND: name(nameOf),
  TRIES: job => String(job.attempts),
  CREATED: job => toMinute(job.createdAt),
  ERROR: words(job => job.lastError ?? ''),
  ABOUT: extra(toAbout),
});

export const deadJobText = (job: DeadJob): string =>
  alignRows([
    ['id', job.id],
    ['kind', job.kind],
    ...(job.eventType === null ? [] : [['event', job.eventType]]),
    ['attempts', String(job.attempts)],
    ['created', job.createdAt],
    ['error', job.lastError ?? 'none'],
    ['about', toAbout(job) || 'nothing in particular'],
    ...(job.traceId === null ? [] : [['trace', job.traceId]]),
  ]);

/** Shown before it is purged. */
export const deadJobLine = (job: DeadJob): string => `${job.id}  ${nameOf(job)}  ${job.lastError ?? ''}`;
