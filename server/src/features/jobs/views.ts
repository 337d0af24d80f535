// Wire format of a dead job: its kind, its error, and the ids in its payload. Other payload fields are omitted, because
// they may contain personal data such as an address or message text.
import type { DeadJob } from '@recordproof/shared/api/jobs.ts';
import { toIso } from '../../platform/clock.ts';
import { toWireId } from '../../platform/ids.ts';
import type { Claimed } from '../../platform/jobs/queries.ts';
import { isEventKind } from '../../platform/jobs/queries.ts';

type Payload = Readonly<Record<string, unknown>>;

const idName = /^(id|saga|schedule|fileHash|[a-z][A-Za-z]{0,40}Id)$/;
const idText = /^[A-Za-z0-9._:-]{1,128}$/;
const mostIds = 20;

export function toDeadJobView(job: Claimed): DeadJob {
  const payload = JSON.parse(job.payload) as Payload;
  const isEvent = isEventKind(job.kind);
  const { type } = payload;
  return {
    id: toWireId(job.id),
    type: isEvent ? 'EVENT' : 'JOB',
    kind: job.kind,
    eventType: isEvent && typeof type === 'string' ? type : null,
    attempts: job.attempt,
    lastError: job.last_error,
    about: toIds(isEvent ? { tenantId: payload.tenantId, ...toObject(payload.payload) } : payload),
    createdAt: toIso(job.created_at),
    traceId: job.trace?.split('-')[1] ?? null,
  };
}

const toObject = (value: unknown): Payload => (typeof value === 'object' && value !== null ? (value as Payload) : {});

const toIds = (payload: Payload): Record<string, string> =>
  Object.fromEntries(
    Object.entries(payload)
      .filter(([name, value]) => idName.test(name) && (typeof value === 'number' || typeof value === 'string'))
      .map(([name, value]) => [name, String(value)] as const)
      .filter(([, text]) => idText.test(text))
      .slice(0, mostIds),
  );
