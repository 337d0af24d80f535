// The command `recordproof-verify audit`: reads a whole ledger, compares it with kept checkpoints, and reports.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseUtf8 } from '@recordproof/shared/evidence/digest.ts';
import {
  isEvidenceArchive,
  maxEvidenceBytes,
  readEvidenceArchive,
} from '@recordproof/shared/evidence/evidence-archive.ts';
import { LogUnavailable } from '@recordproof/shared/evidence/log-over-http.ts';
import { readProofArchive } from '@recordproof/shared/evidence/proof-archive.ts';
import { maxStampBytes } from '@recordproof/shared/evidence/rfc3161.ts';
import { parseTlogPolicy } from '@recordproof/shared/evidence/tlog-policy.ts';
import { parseRoots } from '@recordproof/shared/evidence/x509.ts';
import { writeDurably } from '@recordproof/shared/node/durable-file.ts';
import { UsageError } from '@recordproof/shared/node/read-arguments.ts';
import { readBounded } from '../node/read-inputs.ts';
import type { Command } from '../shell/run-command.ts';
import { oneLine, systemCodeOf, type Terminal } from '../shell/terminal.ts';
import { type AuditInput, auditLedger } from './audit-ledger.ts';
import { type AuditOptions, auditDeclaration, parseAuditOptions } from './audit-options.ts';
import type { AuditOutcome, AuditReport } from './audit-report.ts';
import { openAuditSource } from './audit-source.ts';
import { toAuditText } from './audit-text.ts';
import { type CheckpointNote, parseCheckpointNotes } from './checkpoint-notes.ts';

const exitCodes: Readonly<Record<AuditOutcome, number>> = { SOUND: 0, CONTRADICTED: 2, INCOMPLETE: 3 };
/** EX_UNAVAILABLE of sysexits.h. */
const unreachableExitCode = 69;

const mebibyte = 1024 * 1024;

async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const options = parseAuditOptions(args);
  const { stdout, stderr } = terminal;
  const input = await readInput(options, terminal);
  try {
    const { report, note, unwritten } = await auditLedger(input);
    endProgress(terminal);
    if (note !== undefined) await keep(options, note, report);
    if (unwritten !== undefined)
      stderr.write(`The evidence could not be written to ${oneLine(options.evidence)}${toCode(unwritten)}.\n`);
    stdout.write(
      options.format === 'json' ? `${JSON.stringify(report, null, 2)}\n` : toAuditText(report, options.language),
    );
    return exitCodes[report.outcome];
  } catch (problem) {
    if (!(problem instanceof LogUnavailable)) throw problem;
    stderr.write(`${oneLine(problem.message)}: nothing was audited.\n`);
    return unreachableExitCode;
  }
}

async function readInput(options: AuditOptions, terminal: Terminal): Promise<AuditInput> {
  const { policy, roots } = options;
  return {
    options,
    source: openAuditSource(options),
    policy: policy === undefined ? undefined : await readAs('--policy', policy, mebibyte, parseTlogPolicy),
    kept: await readKept(options),
    proofs: await Promise.all(options.proofs.map(readProofId)),
    stamps: await Promise.all(options.stamps.map(path => readAs('--stamp', path, maxStampBytes, bytes => bytes))),
    roots: roots === undefined ? [] : await readAs('--tsa-roots', roots, 4 * mebibyte, parseRoots),
    nowMs: Date.now(),
    pause: seconds => sleep(1000 * seconds),
    onProgress: (read, size) => onProgress(terminal, read, size),
  };
}

/** The id in an archive, even if the archive is faulty in other ways. */
async function readProofId(named: string): Promise<string> {
  if (isProofId(named)) return named;
  return readAs('--proof', named, maxEvidenceBytes, bytes => {
    const archive = isEvidenceArchive(bytes) ? readEvidenceArchive(bytes).archive : bytes;
    const { proofId } = JSON.parse(parseUtf8(readProofArchive(archive)['manifest.json']));
    if (!isProofId(proofId)) throw new RangeError('its manifest names no proof');
    return proofId;
  });
}

const isProofId = (value: unknown): value is string =>
  typeof value === 'string' && /^rp-proof-[0-9a-f]{64}$/.test(value);

const maxKeptBytes = 256 * mebibyte;

/** A copy of the ledger contains the checkpoint under which it was read. */
async function readKept({ since, mirror }: AuditOptions): Promise<CheckpointNote[]> {
  const kept: CheckpointNote[] = [];
  for (const path of since) kept.push(...(await readAs('--since', path, maxKeptBytes, parseCheckpointNotes)));
  const copied = mirror === undefined ? 'UNREADABLE' : await readBounded(join(mirror, 'checkpoint'), mebibyte);
  return copied === 'UNREADABLE' ? kept : [...kept, { note: copied }];
}

/** Every file named by the caller must be usable; otherwise the audit would check less than requested. */
async function readAs<T>(option: string, path: string, maxBytes: number, parse: (bytes: Uint8Array) => T): Promise<T> {
  const bytes = await readBounded(path, maxBytes);
  if (bytes === 'UNREADABLE') throw new UsageError(`${option}: the file ${path} cannot be read`);
  if (bytes.length > maxBytes) throw new UsageError(`${option}: the file ${path} exceeds ${maxBytes} bytes`);
  try {
    return parse(bytes);
  } catch (problem) {
    throw new UsageError(`${option}: the file ${path} cannot be used: ${(problem as Error).message}`);
  }
}

/** Atomic: an interrupted audit keeps the older checkpoint. */
async function keep({ keep: path, mirror }: AuditOptions, note: string, report: AuditReport): Promise<void> {
  if (report.ledger === undefined || report.entriesRead !== report.ledger.size) return;
  if (mirror !== undefined) {
    await mkdir(mirror, { recursive: true });
    await writeDurably(join(mirror, 'checkpoint'), note);
  }
  if (path === undefined) return;
  await writeDurably(path, note);
  report.keptFile = path;
}

function onProgress({ stderr }: Terminal, read: number, size: number): void {
  if (stderr.isTTY !== true || read === 0) return;
  stderr.write(`\rReading the ledger: ${Math.floor((100 * read) / size)} %  `);
}

function endProgress({ stderr }: Terminal): void {
  if (stderr.isTTY === true) stderr.write('\r\u001b[K');
}

function toCode(problem: unknown): string {
  const code = systemCodeOf(problem);
  return code === '' ? '' : ` (${code})`;
}

const describeFailure = (problem: unknown): string => `The audit could not be finished${toCode(problem)}.`;

export const auditCommand: Command = { declaration: auditDeclaration, run, describeFailure };
