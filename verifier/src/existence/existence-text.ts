// The existence report for people: the answer first, then each voucher with its time and whose word it is, then the steps
// from the file to them.
import { oneLine } from '../shell/terminal.ts';
import type { ExistenceOutcome, ExistenceReport, Link, Voucher } from './existence-report.ts';

const headlines: Readonly<Record<Exclude<ExistenceOutcome, 'EXISTED'>, string>> = {
  CONTRADICTED: 'CONTRADICTED: these files cannot all be true.',
  NOT_SHOWN: 'NOT SHOWN: nothing speaks against it, but nobody whom you trust says since when the file existed.',
  ERROR: 'ERROR: some of these files cannot be read, so nothing can be said.',
};

const marks = { HOLDS: '+', MISSING: '?', CONTRADICTED: '!', DAMAGED: '!' } as const;

const kindTexts: Readonly<Record<Voucher['kind'], string>> = {
  WITNESS: 'witness',
  QUORUM: 'quorum',
  RFC3161: 'time stamp',
  BITCOIN: 'Bitcoin',
  CALENDAR: 'calendar',
  OTHER: 'other',
};

/** Without fractions of a second, rounded up: the bytes existed no later than that. */
function toShownTime(time: string): string {
  const millis = Math.ceil(Date.parse(time) / 1000) * 1000;
  return `${new Date(millis).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function toExistenceText(report: ExistenceReport): string {
  const { outcome, existedNoLaterThan, reason } = report;
  const lines =
    existedNoLaterThan === undefined
      ? [headlines[outcome === 'EXISTED' ? 'ERROR' : outcome], `Reason: ${reason}`]
      : [`EXISTED: these bytes existed no later than ${toShownTime(existedNoLaterThan)}.`];
  lines.push(...listFacts(report), '', 'On whose word:');
  lines.push(
    ...(report.vouchers.length === 0 ? ['  nobody: there is no voucher'] : report.vouchers.flatMap(listVoucher)),
  );
  if (report.required.length > 0) lines.push('', 'You asked for:', ...report.required.map(toRequiredLine));
  lines.push('', 'From the file to there:', ...report.links.map(toLinkLine));
  lines.push('', 'This says nothing of who made the file, of what it says, or of whether its proof was revoked since.');
  return `${lines.map(oneLine).join('\n')}\n`;
}

function listFacts({ contentHash, checkpoint, entry }: ExistenceReport): string[] {
  return [
    ...(contentHash === undefined ? [] : [`File:       ${contentHash}`]),
    ...(checkpoint === undefined ? [] : [`Checkpoint: ${checkpoint.origin}, ${checkpoint.size} entries`]),
    ...(entry === undefined ? [] : [`Recorded:   ${entry.recordedAt}, on the word of the operator alone`]),
  ];
}

function listVoucher({ kind, name, standing, time, trust, message }: Voucher): string[] {
  const when = time === undefined ? '' : `, ${toShownTime(time)}`;
  const head = `  ${marks[standing]} ${kindTexts[kind]} ${name}${when}`;
  return [head, `      ${message}`, ...(standing === 'HOLDS' ? [`      Rests on ${trust}.`] : [])];
}

const toRequiredLine = ({ requirement, isMet, time }: ExistenceReport['required'][number]): string =>
  `  ${isMet ? '+' : '?'} ${requirement}${time === undefined ? ': not met' : `, ${toShownTime(time)}`}`;

const toLinkLine = ({ standing, message, code }: Link): string =>
  `  ${marks[standing]} ${message}${standing === 'HOLDS' ? '' : ` [${code}]`}`;
