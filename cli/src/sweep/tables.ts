// Tables of censuses and marks, in lines and on the screen.
import type {
  Census,
  InstallationSweep,
  SweepCandidate,
  SweepMark,
  SweepStatus,
  UnknownHold,
} from '@recordproof/shared/api/sweep.ts';
import { toMinute } from '../platform/output.ts';
import type { Slice } from '../platform/pages.ts';
import { alignRows, below, extra, name, tableOf } from '../platform/table.ts';
import { toSize } from '../platform/units.ts';

export const candidatesTable = tableOf<SweepCandidate>({
  CANDIDATE: candidate => candidate.candidateId,
  PATH: name(candidate => candidate.storagePath),
  SIZE: candidate => toSize(candidate.size),
  SHA256: extra(candidate => candidate.cipherHash),
  MODIFIED: candidate => toMinute(candidate.modifiedAt),
});

export const marksTable = tableOf<SweepMark>({
  MARK: mark => mark.markId,
  STATE: mark => mark.state,
  REASON: mark => mark.reason ?? '',
  PATH: name(mark => mark.storagePath),
  SIZE: mark => toSize(mark.size),
  SHA256: extra(mark => mark.cipherHash),
  UNTIL: mark => toMinute(mark.protectedUntil),
});

const holdLines = tableOf<UnknownHold>({
  FILE: hold => hold.fileId,
  NAME: name(hold => hold.fileName),
  OWNER: hold => hold.ownerName,
  REASON: hold => hold.reason,
  'FILE HASH': extra(hold => hold.fileHash),
});

const installationLines = tableOf<InstallationSweep['tenants'][number]>({
  TENANT: name(row => row.tenant),
  CENSUS: row => row.census?.state.toLowerCase() ?? 'none',
  TAKEN: row => (row.census === null ? '' : toMinute(row.census.startedAt)),
  OBJECTS: row => String(row.census?.objectCount ?? 0),
  UNREFERENCED: row => (row.census === null ? '' : unreferencedText(row.census)),
  HOLDS: row => String(row.census?.unknownHoldCount ?? 0),
  MARKED: row => String(row.marks.marked),
  FAILED: row => String(row.marks.failed),
});

export const installationTable = ({ tenants }: InstallationSweep) => installationLines(tenants);

const mostNamed = 5;

/** Each advice once, with its files. */
function hintLines(holds: readonly UnknownHold[]): string {
  const hints = Map.groupBy(holds, ({ hint }) => hint);
  return [...hints].map(([hint, of]) => `${namesOf(of)}: ${hint}`).join('\n');
}

/** All of them are in the table. */
function namesOf(holds: readonly UnknownHold[]): string {
  const named = holds.slice(0, mostNamed).map(({ fileId }) => fileId);
  const others = holds.length - named.length;
  return `${named.join(', ')}${others === 0 ? '' : ` and ${others} more`}`;
}

export const unknownHoldsTable = ({ records }: Slice<UnknownHold>) =>
  below(holdLines(records), records.length === 0 ? '' : `What to do:\n${hintLines(records)}`);

const unreferencedText = ({ unreferencedCount, unreferencedBytes }: Census): string =>
  `${unreferencedCount} objects, ${toSize(unreferencedBytes)}`;

export const censusRows = (census: Census): string[][] => [
  ['census', `${census.censusId}   ${census.state}${census.state === 'RUNNING' ? `   ${census.phase}` : ''}`],
  ['references', String(census.knownReferenceCount)],
  ['unknown', `${census.unknownHoldCount} holds`],
  ['objects', String(census.objectCount)],
  ['candidates', unreferencedText(census)],
  ['foreign', String(census.foreignCount)],
  ['taken', toMinute(census.completedAt ?? census.startedAt)],
];

export const censusText = (census: Census): string =>
  alignRows([...censusRows(census), ...(census.censusDigest === null ? [] : [['digest', census.censusDigest]])]);

export const censusNote = ({ state, unknownHoldCount, unreferencedCount }: Census): string => {
  if (state !== 'COMPLETED') return '';
  if (unknownHoldCount > 0) return 'what blocks it: recordproof admin sweep unknown-holds';
  return unreferencedCount > 0 ? 'what was found: recordproof admin sweep candidates' : '';
};

export const switchesText = ({ markEnabled, deleteEnabled, protectionDays }: SweepStatus): string =>
  `marking ${markEnabled ? 'on' : 'off'}, deleting ${deleteEnabled ? 'on' : 'off'}, ${protectionDays} days of protection`;

export const marksText = ({ marks }: SweepStatus): string =>
  `${marks.marked} marked, ${marks.deleted} deleted, ${marks.retained} retained, ${marks.failed} failed`;

export const statusText = (status: SweepStatus): string =>
  alignRows([
    ['switches', switchesText(status)],
    ...(status.census === null ? [['census', 'none yet']] : censusRows(status.census)),
    ['marks', marksText(status)],
  ]);

/** All figures in one line. */
export const statusLine = (status: SweepStatus): string => {
  const { census } = status;
  const what = census === null ? 'no census' : `census ${census.censusId} ${census.state}, ${unreferencedText(census)}`;
  return `${what}; ${marksText(status)}`;
};
