// Report of a selftest, as JSON and as text to paste into a ticket.
import { toVersionLine } from '@recordproof/shared/version-line.ts';
import type { Check } from './check.ts';

export type Report = {
  readonly isWorking: boolean;
  readonly version: string;
  readonly commit: string | null;
  readonly node: string;
  readonly platform: string;
  readonly profile: string;
  readonly database: 'sqlite' | 'postgres';
  readonly objects: 'disk' | 's3';
  readonly keyProvider: string;
  readonly checks: readonly Check[];
  readonly durationMs: number;
};

const marks = { ok: 'ok', skipped: 'skipped', failed: 'FAILED' };

const toLines = (check: Check): string => {
  const { name, status, found, durationMs } = check;
  const line = `${name.padEnd(13)} ${marks[status].padEnd(8)} ${String(durationMs).padStart(6)} ms  ${found}\n`;
  return check.status === 'failed' ? `${line}${' '.repeat(34)}${check.remedy}\n` : line;
};

export function toText({ checks, durationMs, ...facts }: Report): string {
  const { version, node, platform, profile, database, objects, keyProvider } = facts;
  const head = [
    `RecordProof ${toVersionLine(version)}, Node ${node}, ${platform}`,
    `profile ${profile}, database ${database}, objects ${objects}, keys ${keyProvider}`,
  ];
  return `${head.join('\n')}\n\n${checks.map(toLines).join('')}\n${toVerdict(checks, durationMs)}\n`;
}

function toVerdict(checks: readonly Check[], durationMs: number): string {
  const failed = checks.filter(({ status }) => status === 'failed').map(({ name }) => name);
  const skipped = checks.filter(({ status }) => status === 'skipped').length;
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  if (failed.length > 0)
    return `${failed.length} of ${checks.length} checks failed in ${seconds}: ${failed.join(', ')}`;
  return `all ${checks.length - skipped} checks passed in ${seconds}${skipped === 0 ? '' : `, ${skipped} skipped`}`;
}
