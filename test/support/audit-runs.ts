// Runs of the command `audit` on the ledger of a dishonest operator, in a folder of their own.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditReport } from '../../verifier/src/audit/audit-report.ts';
import { main } from '../../verifier/src/cli.ts';
import { batchEntry, fileEntry, OperatorLog, type OperatorSite, openOperatorSite } from './operator-log.ts';

const base = Date.UTC(2026, 0, 15, 12);

/** Minutes after the first entry. */
export const at = (minutes: number): string => new Date(base + minutes * 60_000).toISOString();

/** One entry a minute, each tenth of them a batch. */
export const honest = (size: number): Uint8Array[] =>
  Array.from({ length: size }, (_, i) => (i % 10 === 9 ? batchEntry(i, at(i)) : fileEntry(i, at(i))));

export async function runVerifier(...args: string[]) {
  const written = { stdout: '', stderr: '' };
  const code = await main(args, {
    stdin: (async function* () {})(),
    stdout: { write: (text: string) => (written.stdout += text) },
    stderr: { write: (text: string) => (written.stderr += text) },
  });
  return { code, ...written };
}

export type Audits = AsyncDisposable & {
  readonly folder: string;
  readonly log: OperatorLog;
  readonly site: OperatorSite;
  /** Path of a file in the folder. */
  path(name: string): string;
  keep(name: string, content: string): string;
  /** Publishes other entries from now on. */
  show(entries: readonly Uint8Array[]): Promise<void>;
  /** Uses the key of the ledger; queries the server only with `--compare`. */
  audit(...args: string[]): Promise<{ code: number; report: AuditReport; found: string[] }>;
  readEvidence(report: AuditReport): Record<string, unknown>;
};

export async function openAudits(entries = honest(600)): Promise<Audits> {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  const log = new OperatorLog(entries);
  const site = await openOperatorSite(log);
  const path = (name: string) => join(folder, name);
  return {
    ...{ folder, log, site, path },
    keep(name, content) {
      writeFileSync(path(name), content);
      return path(name);
    },
    async show(others) {
      const answers = [...site.files].filter(([name]) => name.startsWith('api/'));
      site.files = new Map([...(await new OperatorLog(others).files()), ...answers]);
    },
    async audit(...args) {
      const compare = args.includes('--compare') ? [] : ['--compare', '0'];
      const fixed = ['--key', log.key, ...compare, '--evidence', folder, '--format', 'json'];
      const { code, stdout } = await runVerifier('audit', site.url, ...fixed, ...args);
      const report: AuditReport = JSON.parse(stdout);
      return { code, report, found: report.findings.map(finding => finding.code) };
    },
    readEvidence: report => JSON.parse(readFileSync(report.evidenceFile ?? '', 'utf8')),
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}
